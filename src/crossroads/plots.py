"""Figures: a result in, axes out. Needs matplotlib (the extra ``plots``), which is loaded on first use."""

from crossroads.core.lazy import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy(__name__, __file__)
