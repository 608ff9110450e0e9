"""Measure the social and intersectional associations that a model has learned.

The public names are written once, in ``__init__.pyi``, next to where each of them lives. They are loaded when
they are first asked for, so that importing the package is quick. Less common ones are in five groups:
``stats``, ``traits``, ``pairs``, ``plots`` and ``sources``.

Examples
--------
>>> import crossroads as cr
>>> vectors = {"rose": [9, 1], "tulip": [9, 3], "wasp": [1, 9], "ant": [2, 9], "joy": [1, 0], "pain": [0, 1]}
>>> emb = cr.Embeddings.from_dict(vectors)
>>> design = cr.Design(name="insects", x=["rose", "tulip"], y=["wasp", "ant"], a=["joy"], b=["pain"])
>>> round(cr.weat(emb, design).effect_size, 2)
1.72
"""

from importlib import import_module as _import_module

from crossroads.core import VERSION as __version__  # noqa: N811
from crossroads.core.lazy import homes_in as _homes_in

# lazy_loader (SPEC 1) reads such a stub too, but has no place for the nearest name in its error
_HOMES = _homes_in(f"{__file__}i")
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    """Load a public name from its home; measures in groups are found without their group as well."""
    home = _HOMES.get(name) or _groups(leave="plots").get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_meant(name)}")
    found = _import_module(f"{home}.{name}") if home == __name__ else getattr(_import_module(home), name)
    if home.startswith("crossroads.core.evidence."):
        # evidence is there to be measured: the first measure is to be as quick as the second
        _import_module("crossroads.core.subjects").load_results()
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)


def _groups(*, leave: str = "") -> dict[str, str]:
    """The names in the groups, each with its group."""
    groups = [f"{__name__}.{one}" for one, home in _HOMES.items() if home == __name__ and one != leave]
    return {one: group for group in groups for one in _import_module(group).__all__}


def _meant(name: str) -> str:
    """The nearest public name, of the package or of one of its groups."""
    if name.startswith("_"):  # asked for by programs, which cannot mean another
        return ""
    from crossroads.core.errors import nearest

    inside = {one: f"{group.rpartition('.')[2]}.{one}" for one, group in _groups().items()}
    known = inside | {one: one for one in __all__}
    near = nearest(name, known, n=1)
    return f"; did you mean {known[near[0]]!r}?" if near else ""
