"""The public names of this group, and where each lives."""

from crossroads.chat.figures import chat_plot as chat_plot
from crossroads.comparison.figures import comparison_plot as comparison_plot
from crossroads.comparison.figures import meta_plot as meta_plot
from crossroads.contexts.figures import context_forest as context_forest
from crossroads.contexts.figures import context_levels as context_levels
from crossroads.core.figures.saving import save as save
from crossroads.intersections.figures.detections import discoveries as discoveries
from crossroads.intersections.figures.detections import roc as roc
from crossroads.intersections.figures.geometry import fit_plot as fit_plot
from crossroads.sentences.figures import sentence_plot as sentence_plot
from crossroads.traits.figures.pairs import dominance_matrix as dominance_matrix
from crossroads.traits.figures.pairs import emergent_traits as emergent_traits
from crossroads.traits.figures.scores import profile as profile
from crossroads.traits.figures.scores import trait_heatmap as trait_heatmap
from crossroads.words.figures.associations import association_plot as association_plot
from crossroads.words.figures.associations import frequency_plot as frequency_plot
from crossroads.words.figures.associations import placebo_plot as placebo_plot
from crossroads.words.figures.associations import ranking as ranking
from crossroads.words.figures.batteries import decades as decades
from crossroads.words.figures.batteries import forest as forest
from crossroads.words.figures.maps import eat_map as eat_map
from crossroads.words.figures.maps import eat_maps as eat_maps
from crossroads.words.figures.maps import taxonomy as taxonomy
