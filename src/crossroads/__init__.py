"""Measure the social and intersectional associations that a model has learned.

>>> import crossroads as cr
>>> emb = cr.load("default", words=cr.catalog("weat6").words)  # doctest: +SKIP
>>> cr.weat(emb, cr.catalog("weat6")).effect_size  # doctest: +SKIP
1.708...
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crossroads.version import VERSION

if TYPE_CHECKING:
    from crossroads.auditing import recognise, run_audit
    from crossroads.errors import CrossroadsError, CrossroadsWarning, InputError, MissingStimuliError
    from crossroads.evidence import Contexts, Embeddings, Judgements, Logits, Provenance, read_judgements
    from crossroads.extraction.probing import probe
    from crossroads.inference.multiplicity import benjamini_hochberg, holm
    from crossroads.inference.permutation import permutation_test
    from crossroads.inference.power import minimum_detectable
    from crossroads.inference.sensitivity import set_distance
    from crossroads.measures import (
        TraitScores,
        against,
        align,
        align_table,
        battery,
        bootstrap,
        ceat,
        ceat_battery,
        ceat_bootstrap,
        choose_templates,
        compare,
        compare_battery,
        compare_traits,
        discover,
        domain_dominance,
        eibd,
        emergent,
        group_ceat,
        ibd,
        ilps,
        ilps_star,
        influence,
        mleat,
        multilevel_ceat,
        null_threshold,
        order_sensitivity,
        read_scores,
        rsa,
        rsa_grid,
        sc_weat,
        screen,
        series,
        set_test,
        weat,
        wefat,
    )
    from crossroads.sources import (
        clip_embeddings,
        endpoint_embeddings,
        load,
        load_series,
        prompted_embeddings,
    )
    from crossroads.stimuli import (
        Design,
        StimulusSet,
        batteries,
        catalog,
        paired_groups,
        read_design,
        read_designs,
    )

__version__ = VERSION

__all__ = [
    "Contexts",
    "CrossroadsError",
    "CrossroadsWarning",
    "Design",
    "Embeddings",
    "InputError",
    "Judgements",
    "Logits",
    "MissingStimuliError",
    "Provenance",
    "StimulusSet",
    "TraitScores",
    "__version__",
    "against",
    "align",
    "align_table",
    "batteries",
    "battery",
    "benjamini_hochberg",
    "bootstrap",
    "catalog",
    "ceat",
    "ceat_battery",
    "ceat_bootstrap",
    "choose_templates",
    "clip_embeddings",
    "compare",
    "compare_battery",
    "compare_traits",
    "discover",
    "domain_dominance",
    "eibd",
    "emergent",
    "endpoint_embeddings",
    "group_ceat",
    "holm",
    "ibd",
    "ilps",
    "ilps_star",
    "influence",
    "load",
    "load_series",
    "minimum_detectable",
    "mleat",
    "multilevel_ceat",
    "null_threshold",
    "order_sensitivity",
    "paired_groups",
    "permutation_test",
    "probe",
    "prompted_embeddings",
    "read_design",
    "read_designs",
    "read_judgements",
    "read_scores",
    "recognise",
    "rsa",
    "rsa_grid",
    "run_audit",
    "sc_weat",
    "screen",
    "series",
    "set_distance",
    "set_test",
    "weat",
    "wefat",
]

_HOMES = {
    "crossroads.auditing": (
        "recognise",
        "run_audit",
    ),
    "crossroads.errors": (
        "CrossroadsError",
        "CrossroadsWarning",
        "InputError",
        "MissingStimuliError",
    ),
    "crossroads.evidence": (
        "Contexts",
        "Embeddings",
        "Judgements",
        "Logits",
        "Provenance",
        "read_judgements",
    ),
    "crossroads.extraction.probing": ("probe",),
    "crossroads.inference.multiplicity": (
        "benjamini_hochberg",
        "holm",
    ),
    "crossroads.inference.permutation": ("permutation_test",),
    "crossroads.inference.power": ("minimum_detectable",),
    "crossroads.inference.sensitivity": ("set_distance",),
    "crossroads.measures": (
        "TraitScores",
        "against",
        "align",
        "align_table",
        "battery",
        "bootstrap",
        "ceat",
        "ceat_battery",
        "ceat_bootstrap",
        "choose_templates",
        "compare",
        "compare_battery",
        "compare_traits",
        "discover",
        "domain_dominance",
        "eibd",
        "emergent",
        "group_ceat",
        "ibd",
        "ilps",
        "ilps_star",
        "influence",
        "mleat",
        "multilevel_ceat",
        "null_threshold",
        "order_sensitivity",
        "read_scores",
        "rsa",
        "rsa_grid",
        "sc_weat",
        "screen",
        "series",
        "set_test",
        "weat",
        "wefat",
    ),
    "crossroads.sources": (
        "clip_embeddings",
        "endpoint_embeddings",
        "load",
        "load_series",
        "prompted_embeddings",
    ),
    "crossroads.stimuli": (
        "Design",
        "StimulusSet",
        "batteries",
        "catalog",
        "paired_groups",
        "read_design",
        "read_designs",
    ),
}
"""Where each public name lives: loaded when it is first asked for, so that importing the package is quick."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME_OF[name]
    found = getattr(import_module(home), name)
    if home == "crossroads.evidence":
        # evidence is there to be measured: the first measure is to be as quick as the second
        import_module("crossroads.measures")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})
