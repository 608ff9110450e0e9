"""Refuse results that a figure cannot draw, and name the figures that can."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from crossroads.errors import WrongKindError, join_words
from crossroads.plots.frame.style import house
from crossroads.results import Result

P = ParamSpec("P")
T = TypeVar("T")


def figure(draw: Callable[P, T]) -> Callable[P, T]:
    """Draw in the common style, after checking that every result is of an annotated type.

    Parameters
    ----------
    draw
        Function that draws; its annotations give the results it takes.
    """
    asked = inspect.signature(draw)

    @functools.wraps(draw)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        for name, value in asked.bind(*args, **kwargs).arguments.items():
            hint = _hint(draw, name)
            if _kinds(hint) and not _fits(value, hint):
                raise _refused(draw, name, value)
        with house():
            return draw(*args, **kwargs)

    return checked


def _hint(draw: Callable[..., Any], name: str) -> Any:
    """The annotation of a parameter; None if it names a type that is not imported, such as axes."""
    inner = inspect.unwrap(draw)
    text = inner.__annotations__.get(name)
    try:
        return eval(text, inner.__globals__) if isinstance(text, str) else text
    except NameError:
        return None


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is not None else ()


def _kinds(hint: Any) -> list[Any]:
    """The types of results that an annotation names."""
    if inner := _parts(hint):
        return [kind for part in inner for kind in _kinds(part)]
    ours = isinstance(hint, type) and hint.__module__.startswith("crossroads.")
    return [hint] if ours else []


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = typing.get_origin(hint), _parts(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in inner)
    if hint is type(None):
        return value is None
    if origin is Sequence:
        if isinstance(value, (str, Mapping, Result)) or not isinstance(value, Iterable):
            return False
        return all(_fits(one, inner[0]) for one in value) if isinstance(value, Collection) else True
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(one, inner[1]) for one in value.values())
    if getattr(hint, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(hint) if not name.startswith("_"))
    return isinstance(value, hint)


def _refused(draw: Callable[..., Any], name: str, value: Any) -> WrongKindError:
    hint = _hint(draw, name)
    takes = f"{draw.__name__} draws" if _first(draw) == name else f"{name} of {draw.__name__} takes"
    if others := _drawn_by(value):
        advice = f"{_named(value)} is drawn by {join_words(others, last='or')}."
    elif isinstance(value, Result):
        advice = f"no figure shows {_named(value)}; its to_frame() has the numbers."
    else:
        advice = f"give {_spoken(hint)}."
    return WrongKindError(f"{takes} {_spoken(hint)}, and was given {_named(value)}.", hint=advice)


def _first(draw: Callable[..., Any]) -> str:
    return next(iter(inspect.signature(draw).parameters), "")


def _drawn_by(value: Any) -> list[str]:
    """Names of the figures that show a result."""
    from crossroads import plots

    drawers = inspect.getmembers(plots, inspect.isfunction)
    hints = {name: _hint(draw, _first(draw)) for name, draw in drawers}
    return [name for name, hint in hints.items() if _kinds(hint) and _fits(value, hint)]


def _spoken(hint: Any) -> str:
    """An annotation in words: ``BatteryResult``, ``a list of RsaResult``."""
    origin, inner = typing.get_origin(hint), _parts(hint)
    if origin in (typing.Union, types.UnionType):
        return join_words([_spoken(part) for part in inner if part is not type(None)], last="or")
    if origin is Sequence:
        return f"a list of {inner[0].__name__}"
    if origin is Mapping:
        return f"a dictionary of {inner[1].__name__}"
    return str(hint.__name__)


def _named(value: Any) -> str:
    """The type of a value, and for a collection the types inside."""
    held = list(value.values()) if isinstance(value, Mapping) else value
    inside = held if isinstance(held, (list, tuple)) else ()
    kinds = list(dict.fromkeys(type(one).__name__ for one in inside))
    what = {"list": "a list", "tuple": "a tuple", "dict": "a dictionary"}.get(
        type(value).__name__, type(value).__name__
    )
    return f"{what} of {join_words(kinds, most=3)}" if kinds else what
