"""Figures: a result in, axes out. Needs matplotlib (the extra ``plots``), which is loaded on first use."""

from crossroads.plots.association.associations import association_plot as association_plot
from crossroads.plots.association.decades import decades as decades
from crossroads.plots.association.eat_map import eat_map as eat_map
from crossroads.plots.association.eat_maps import eat_maps as eat_maps
from crossroads.plots.association.forest import forest as forest
from crossroads.plots.association.frequency import frequency_plot as frequency_plot
from crossroads.plots.association.influence import influence_plot as influence_plot
from crossroads.plots.association.multiverse import specification_curve as specification_curve
from crossroads.plots.association.placebo import placebo_plot as placebo_plot
from crossroads.plots.association.ranking import ranking as ranking
from crossroads.plots.association.taxonomy import taxonomy as taxonomy
from crossroads.plots.comparison import comparison_plot as comparison_plot
from crossroads.plots.contextual.forest import context_forest as context_forest
from crossroads.plots.contextual.histogram import context_histogram as context_histogram
from crossroads.plots.contextual.histogram import context_histograms as context_histograms
from crossroads.plots.contextual.levels import context_levels as context_levels
from crossroads.plots.frame.saving import save as save
from crossroads.plots.geometry.dissimilarities import rdms as rdms
from crossroads.plots.geometry.fit import fit_plot as fit_plot
from crossroads.plots.intersectional.discoveries import discoveries as discoveries
from crossroads.plots.intersectional.plane import crossed_axes as crossed_axes
from crossroads.plots.intersectional.roc import roc as roc
from crossroads.plots.traits.dominance import dominance_matrix as dominance_matrix
from crossroads.plots.traits.emergent import emergent_traits as emergent_traits
from crossroads.plots.traits.heatmap import trait_heatmap as trait_heatmap
from crossroads.plots.traits.profile import profile as profile
