"""Figures: a result in, axes out. Needs matplotlib (the extra ``plots``), which is loaded on first use."""

from crossroads.plots.association import association_plot
from crossroads.plots.comparison import comparison_plot
from crossroads.plots.context_forest import context_forest
from crossroads.plots.context_histogram import context_histogram, context_histograms
from crossroads.plots.context_levels import context_levels
from crossroads.plots.crossed import crossed_axes
from crossroads.plots.decades import decades
from crossroads.plots.discoveries import discoveries
from crossroads.plots.dominance import dominance_matrix
from crossroads.plots.eat_map import eat_map
from crossroads.plots.eat_maps import eat_maps
from crossroads.plots.emergent import emergent_traits
from crossroads.plots.fit import fit_plot
from crossroads.plots.forest import forest
from crossroads.plots.influence import influence_plot
from crossroads.plots.profile import profile
from crossroads.plots.ranking import ranking
from crossroads.plots.rdms import rdms
from crossroads.plots.roc import roc
from crossroads.plots.saving import save
from crossroads.plots.taxonomy import taxonomy
from crossroads.plots.trait_heatmap import trait_heatmap

__all__ = [
    "association_plot",
    "comparison_plot",
    "context_forest",
    "context_histogram",
    "context_histograms",
    "context_levels",
    "crossed_axes",
    "decades",
    "discoveries",
    "dominance_matrix",
    "eat_map",
    "eat_maps",
    "emergent_traits",
    "fit_plot",
    "forest",
    "influence_plot",
    "profile",
    "ranking",
    "rdms",
    "roc",
    "save",
    "taxonomy",
    "trait_heatmap",
]
