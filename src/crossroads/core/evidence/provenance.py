"""Where evidence came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crossroads.core.errors import EvidenceError
from crossroads.core.stimuli.files.text import guarded


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The origin of a set of vectors.

    Examples
    --------
    >>> import crossroads as cr
    >>> source = cr.Provenance(source="my-vectors.txt", details={"trained on": "letters of 1850"})
    >>> emb = cr.Embeddings(["rose", "wasp"], [[1, 0], [0, 1]], provenance=source)
    >>> emb.provenance.source
    'my-vectors.txt'
    """

    source: str
    """The file, package or model the vectors were read from."""
    format: str = "in memory"
    """The format the source was read as, such as ``"glove-text"``."""
    revision: str | None = None
    """Version or revision of the source, if it has one."""
    sha256: str | None = None
    """Checksum of the file, if it was computed."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further facts that identify the evidence: size of the vocabulary, layer, pooling, decade."""

    def __post_init__(self) -> None:
        """Escape bytes of a path that are not valid characters, so that the name can always be written."""
        object.__setattr__(self, "source", _writable(self.source))
        details = {key: _writable(value) for key, value in self.details.items()}
        if details != self.details:
            object.__setattr__(self, "details", details)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**vars(self), "details": dict(self.details)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, keep: bool = False) -> Provenance:
        """Rebuild from :meth:`to_dict`; with ``keep``, what another version has recorded becomes details.

        A TypeError if the data are not those of a provenance, a FormatError if they are nested too deeply.
        """
        kinds = {
            "source": str,
            "format": str,
            "revision": str | None,
            "sha256": str | None,
            "details": Mapping,
        }
        data = guarded(lambda: dict(data), "the provenance")
        if not all(isinstance(data[name], kind) for name, kind in kinds.items() if name in data):
            raise TypeError("this is not a provenance")
        more = {key: value for key, value in data.items() if keep and key not in kinds}
        fields = {key: value for key, value in data.items() if key not in more}
        return cls(**fields | {"details": {**more, **fields.get("details", {})}})


def _writable(value: Any) -> Any:
    """Text that UTF-8 can encode; paths may have other bytes."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def provenance_of(about: object, source: str) -> Provenance:
    """Provenance as it is, from a description, or with a default source."""
    if isinstance(about, Provenance):
        return about
    if about is not None and not isinstance(about, str):
        hint = "give cr.Provenance, or a description."
        raise EvidenceError(f"the provenance is of type {type(about).__name__}.", hint=hint)
    return Provenance(source=source if about is None else about)
