"""Measures of vectors that another subject also takes of contexts, under one name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from crossroads.core.evidence import Contexts
from crossroads.core.subjects import load_results

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)
S = TypeVar("S", covariant=True)


class Extended(Protocol[P, R, Q, S]):
    """A measure of vectors, and of contexts."""

    @overload
    def __call__(self, *args: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Q.args, **options: Q.kwargs) -> S: ...


def extended(name: str, _: Callable[[], Callable[Q, S]]) -> Callable[[Callable[P, R]], Extended[P, R, Q, S]]:
    """Hand contexts to the measure of a name in the results of a subject; the second value is its type."""

    def extend(measure: Callable[P, R]) -> Any:
        @wraps(measure)
        def either(*given: Any, **options: Any) -> Any:
            of_contexts = isinstance(given[0] if given else options.get("contexts"), Contexts)
            found = [vars(one).get(name) for one in load_results()] if of_contexts else []
            return next(filter(None, found), measure)(*given, **options)

        return either

    return extend
