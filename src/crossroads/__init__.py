"""Measure the social and intersectional associations that a model has learned.

>>> import crossroads as cr
>>> emb = cr.load("default", words=cr.catalog("weat6").words)  # doctest: +SKIP
>>> cr.weat(emb, cr.catalog("weat6")).effect_size  # doctest: +SKIP
1.708...
"""

from crossroads.errors import CrossroadsError, CrossroadsWarning, InputError, MissingStimuliError
from crossroads.evidence import Contexts, Embeddings, Provenance
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.inference.permutation import permutation_test
from crossroads.inference.power import minimum_detectable
from crossroads.measures import (
    battery,
    bootstrap,
    ceat,
    ceat_battery,
    ceat_bootstrap,
    compare,
    discover,
    eibd,
    group_ceat,
    ibd,
    influence,
    mleat,
    multilevel_ceat,
    null_threshold,
    rsa,
    rsa_grid,
    sc_weat,
    series,
    weat,
    wefat,
)
from crossroads.sources import load, load_series
from crossroads.stimuli import Design, StimulusSet, batteries, catalog, read_design, read_designs
from crossroads.version import VERSION

__version__ = VERSION

__all__ = [
    "Contexts",
    "CrossroadsError",
    "CrossroadsWarning",
    "Design",
    "Embeddings",
    "InputError",
    "MissingStimuliError",
    "Provenance",
    "StimulusSet",
    "__version__",
    "batteries",
    "battery",
    "benjamini_hochberg",
    "bootstrap",
    "catalog",
    "ceat",
    "ceat_battery",
    "ceat_bootstrap",
    "compare",
    "discover",
    "eibd",
    "group_ceat",
    "holm",
    "ibd",
    "influence",
    "load",
    "load_series",
    "minimum_detectable",
    "mleat",
    "multilevel_ceat",
    "null_threshold",
    "permutation_test",
    "read_design",
    "read_designs",
    "rsa",
    "rsa_grid",
    "sc_weat",
    "series",
    "weat",
    "wefat",
]
