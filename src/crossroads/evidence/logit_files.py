"""Logits on disk: a folder of arrays with a manifest."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.errors import FormatError
from crossroads.evidence.logit_checks import ARRAYS, names_of, trait_from
from crossroads.evidence.provenance import Provenance
from crossroads.storage.folders import MANIFEST, read_folder, write_folder

if TYPE_CHECKING:
    from crossroads.evidence.logits import Logits

FORMAT = "crossroads-logits/1"
_LABELS = ("groups", "priors", "templates", "adjectives")


def write_logits(logits: Logits, path: str | Path) -> None:
    """Write a folder of logits, as a whole or not at all."""
    arrays = {name: getattr(logits, name) for name in ARRAYS if getattr(logits, name) is not None}
    about = {
        **{name: list(getattr(logits, name)) for name in _LABELS},
        "traits": [asdict(trait) for trait in logits.traits],
        "kind": logits.kind,
        "vocabulary": int(logits.vocabulary),
        "provenance": logits.provenance.to_dict(),
    }
    write_folder(path, arrays, about, kind=FORMAT)


def read_logits(path: str | Path, *, verify: bool) -> dict[str, Any]:
    """Read the fields of a folder, without checking them against each other."""
    arrays, about = read_folder(path, kind=FORMAT, made_by="`crossroads probe`", verify=verify)
    try:
        return {
            **{name: names_of(about[name], name) for name in _LABELS},
            **{name: arrays.get(name) for name in ARRAYS},
            "traits": tuple(trait_from(data) for data in about["traits"]),
            "kind": about["kind"],
            "vocabulary": about["vocabulary"],
            "provenance": Provenance.from_dict(about["provenance"]),
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"the manifest does not describe logits ({type(error).__name__}: {error}).",
            path=Path(path) / MANIFEST,
            hint="the folder is damaged or was changed; make it again.",
        ) from error
