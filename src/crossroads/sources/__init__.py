"""Where vectors come from: models and services that are asked directly, and what they need.

>>> import crossroads as cr
>>> cr.sources.prompts_for(cr.catalog("weat1"))["rose"]
'This is {article} {word}'
"""

from importlib import import_module as _import_module

with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as _stub:  # noqa: PTH123
    _HOMES = {words[-1]: words[1] for line in _stub if (words := line.split())[:1] == ["from"]}

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)
