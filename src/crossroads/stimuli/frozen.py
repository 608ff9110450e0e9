"""Mappings that cannot be changed, for frozen dataclasses."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from crossroads.errors import UnknownNameError

K = TypeVar("K")
V = TypeVar("V", covariant=True)


class FrozenDict(Mapping[K, V]):
    """A mapping that keeps its order, can be hashed and pickled, and cannot be changed.

    Examples
    --------
    >>> colours = FrozenDict({"rose": "red"})
    >>> colours["rose"], len(colours), colours == {"rose": "red"}
    ('red', 1, True)
    """

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[K, V] | None = None) -> None:
        self._data: dict[K, V] = dict(data or {})

    def __getitem__(self, key: K) -> V:
        return self._data[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __hash__(self) -> int:
        return hash(frozenset(self._data.items()))

    def __repr__(self) -> str:
        return repr(self._data)


class Named(Mapping[str, V]):
    """Items by name; the error for an unknown name suggests the nearest known one."""

    noun: ClassVar[str] = "name"

    @abstractmethod
    def _named(self) -> Mapping[str, V]:
        """The items by name."""

    def __getitem__(self, name: str) -> V:
        items = self._named()
        if name not in items:
            raise UnknownNameError(self.noun, str(name), items)
        return items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named())

    def __len__(self) -> int:
        return len(self._named())

    def __contains__(self, name: object) -> bool:
        return name in self._named()

    def get(self, name: str, default: Any = None) -> Any:
        """The item, or a default if the name is not known."""
        if name not in self:
            return default
        return self[name]
