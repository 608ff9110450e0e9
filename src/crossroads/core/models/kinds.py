"""The kind of a model, detected from its name and from small files, before anything is loaded.

The first of these rules that applies decides, and ``kind`` overrides it:

1. ``http://`` or ``https://`` is an embedding service.
2. With a format of vectors, it is vectors.
3. A folder with a manifest of crossroads contains context vectors or saved answers.
4. A folder with files such as ``1900-w.npy`` is a series of decades.
5. A folder with ``config.json`` is a transformer: a vision–language model if it names one, a language model
   if it was saved with a language-modelling head, an encoder otherwise. One with ``modules.json`` alone
   is an encoder, and so is one with ``options.json`` and ``weights.hdf5``, an ELMo.
6. A ``.gguf`` file, or a folder with one, is a language model.
7. Any other file, a spaCy folder, ``default`` or an installed spaCy pipeline has vectors.
8. A name that is not a path is looked up on the Hugging Face hub, where ``config.json`` decides as above.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from crossroads.core.errors import (
    FormatError,
    InputError,
    MissingExtraError,
    UnknownNameError,
    in_short,
    join_words,
    nearest,
    one_of,
    require,
)
from crossroads.core.evidence.contexts import FORMAT as STORE
from crossroads.core.evidence.contexts import SENTENCES
from crossroads.core.evidence.model_names import KINDS
from crossroads.core.models.elmo import OPTIONS, WEIGHTS, elmo_files
from crossroads.core.models.files import MODULES, fetch
from crossroads.core.models.services.addresses import public_url
from crossroads.core.models.transformers import Device
from crossroads.core.storage.files import read_record
from crossroads.core.subjects import brought, subjects

KindName = Literal[
    "vectors", "series", "encoder", "language-model", "vision-language", "endpoint", "contexts", "logits"
]
"""Every kind of model that can be audited."""
Correction = Literal["standardise", "all-but-the-top", "rank"]
"""Corrections of the space of one vector per word; see :func:`~crossroads.stats.corrected`."""
Pooling = Literal["auto", "last", "word", "mean", "cls", "sentence"]
"""Which tokens give the vector: the last of the prompt, those of the word, all, the first, or as the model's
own files define."""
CLIP_TYPES = ("clip", "siglip", "siglip2", "metaclip_2", "chinese_clip", "altclip")
"""Types of vision–language models in configurations."""
_HEADS = ("ForMaskedLM", "WithLMHeadModel", "ForCausalLM", "LMHeadModel", "ForPreTraining")
_URL = re.compile(r"https?://", re.IGNORECASE)
_LONG = 40
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_FILE_SUFFIXES = frozenset({
    ".bin", ".bz2", ".gguf", ".gz", ".json", ".kv", ".npy", ".npz", ".parquet", ".pickle", ".pkl",
    ".safetensors", ".txt", ".vec", ".wordvectors", ".xz", ".zip", ".zst",
})  # fmt: skip
TRANSFORMERS = ("encoder", "language model")
"""Kinds of models that read words in prompts, layer by layer."""
ON_WORDS = ("vectors", "series", *TRANSFORMERS, "vision-language", "endpoint")
"""Kinds of models that give one vector per word."""
TAKES: Mapping[str, tuple[str, ...]] = {
    "prompt": (*TRANSFORMERS, "vision-language", "endpoint"),
    **dict.fromkeys(("layer", "layers", "pooling", "contexts"), TRANSFORMERS),
    "served": ("endpoint",),
    "revision": (*TRANSFORMERS, "vision-language"),
    **dict.fromkeys(
        ("format", "duplicates", "encoding_errors", "member", "checksum", "pool", "ranked"),
        ("vectors", "series"),
    ),
    **dict.fromkeys(("correct", "freeze"), ON_WORDS),
    "placebo": ON_WORDS,
    "images": ("vision-language",),
    "human": ("language model", "logits"),
    "pairs": ("language model",),
}
"""Options of sources and of audits, and the kinds of models that they apply to."""
CAN_BE = (
    "a file or folder of word vectors, default, a folder of a transformer or its name on the Hugging Face "
    "hub, a .gguf file, a store of context vectors, saved answers of a language model, or the address of an "
    "embedding service"
)
"""What can be audited, in words."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """The kind of a model."""

    name: str
    """A key of :data:`crossroads.core.evidence.model_names.KINDS`."""
    model: str
    """The model as it was given."""
    because: str
    """The reason for the detected kind."""

    @property
    def shown(self) -> str:
        """The model as it may be shown: an address without secrets."""
        return public_url(self.model) if self.name == "endpoint" else self.model


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """How vectors are obtained from a model: the options of :func:`~crossroads.load`.

    Besides, ``pool`` is the number of other words of a file that are also read, ``images`` a folder with one
    subfolder of images per stimulus set, and ``answers`` the folder in which those of a service are kept.
    """

    format: str | None = None
    fallback: str = "auto"
    pool: int | None = None
    prompt: str | None = None
    layer: int | None = None
    pooling: Pooling | None = None
    served: str | None = None
    revision: str | None = None
    images: Path | None = None
    device: Device = "auto"
    answers: Path | None = None


def check_options(kinds: Sequence[Kind], **given: object) -> None:
    """Refuse options, by their names in :data:`TAKES`, that apply to none of the models; None is not one."""
    for name, value in given.items():
        if value is not None and not any(kind.name in TAKES[name] for kind in kinds):
            raise useless(name, kinds[0], TAKES[name])


def useless(option: str, kind: Kind, fitting: Sequence[str]) -> InputError:
    """The error for an option that a kind of model cannot use, with the kinds that can."""
    others = join_words((KINDS[one] for one in fitting), last="or")
    message = f"{option}= was given, but {kind.shown} is {KINDS[kind.name]}: {kind.because}."
    hint = f"{option}= goes with {others}; kind= sets the kind of a model."
    return InputError(message, hint=hint, option=(option, "kind"))


def recognise(
    model: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the name that load() has
    kind: KindName | None = None,
) -> Kind:
    """Detect the kind of a model by its path, name or address, without loading it.

    A ``format`` is one of vectors; ``kind`` overrides the detection, and may have blanks for hyphens.
    """
    by_format = None if format is None else _recognised("format", format)
    if not isinstance(model, str | os.PathLike):
        raise InputError(f"the model is of type {type(model).__name__}.", hint=f"MODEL is {CAN_BE}.")
    model = os.fspath(model)
    if not model.strip():
        raise InputError("the name of the model is empty.", hint=f"MODEL is {CAN_BE}.")
    if kind is not None:
        plain = one_of("kind of model", kind.lower().replace(" ", "-"), KindName)
        known = next(one for one in KINDS if one.replace(" ", "-") == plain)
        return _said_to_be(known, model, "it was given as")
    if _URL.match(model):
        return Kind(name="endpoint", model=model, because="it is an address")
    if by_format is not None:
        return _said_to_be(by_format[0], model, by_format[1])
    path, model = _as_path(model)
    found = _of_folder(path) if path.is_dir() else _of_file(path) if path.is_file() else _of_name(model, path)
    return Kind(name=found[0], model=model, because=found[1])


_CHECKPOINT = re.compile(r"(?:checkpoint|ckpt|global_?step|step|iter|epoch)[-_]?(\d+)", re.IGNORECASE)


def checkpoints(folder: Path) -> dict[int, Path]:
    """The checkpoints of a training run by step: subfolders such as ``checkpoint-500`` that hold a model."""
    named = ((_CHECKPOINT.fullmatch(path.name), path) for path in folder.iterdir())
    steps = {int(match[1]): path for match, path in named if match and (path / "config.json").is_file()}
    return dict(sorted(steps.items()))


def _as_path(model: str) -> tuple[Path, str]:
    path = Path(model).expanduser()
    return path, str(path) if path.exists() else model


def _said_to_be(name: str, model: str, because: str) -> Kind:
    """The kind as given, if the model can be of that kind."""
    path, model = _as_path(model)
    if name == "series" and not path.is_dir():
        what = "this is a file." if path.exists() else "there is no such folder."
        raise FormatError(
            what, path=model, hint="decades are a folder of files such as 1900-w.npy and 1900-vocab.pkl."
        )
    if name == "vectors" and not path.exists() and _recognised("name", model) is None:
        raise _nowhere(model, nearest(model, [*_names(), *_in_folder_of(path)]))
    return Kind(name=name, model=model, because=because)


_Found = tuple[str, str]  # a kind, and why


def _of_folder(folder: Path) -> _Found:
    said = read_record(folder / "manifest.json").get("format")
    stores = {STORE: "contexts"} | {k: v for one in subjects().values() for k, v in one.manifests.items()}
    if said in stores:
        return stores[said], f"its manifest says {said}"
    if said == SENTENCES:
        raise InputError(
            f"{folder} contains sentences, not a model.", hint=f"crossroads audit MODEL --contexts {folder}"
        )
    if found := _recognised("folder", folder):
        return found
    if (folder / "config.json").is_file():
        return _of_config(str(folder), folder / "config.json")
    if (folder / MODULES).is_file():
        return "encoder", f"it is a sentence encoder ({MODULES})"
    if elmo_files(folder) is not None:
        return "encoder", f"it is an ELMo ({OPTIONS} and {WEIGHTS})"
    if any(folder.glob("*.gguf")):
        return "language model", "it contains a GGUF file"
    if {"crossroads", "results"} <= set(read_record(folder / "results.json")):
        hint = f"crossroads report {folder} shows it; give the model it was made from."
        raise InputError(f"{folder} is already an audit.", hint=hint)
    if steps := checkpoints(folder):
        raise InputError(
            f"{folder} holds {len(steps)} checkpoints of a training run.",
            hint=f"name one, such as {next(reversed(steps.values()))}; "
            f"crossroads mleat {folder} --over checkpoints measures all.",
        )
    names = sorted(entry.name for entry in folder.iterdir())
    held = f"it contains {join_words([repr(name) for name in names], most=3)}" if names else "it is empty"
    raise FormatError(f"this folder cannot be audited: {held}.", path=folder, hint=f"MODEL is {CAN_BE}.")


def _of_file(file: Path) -> _Found:
    with file.open("rb") as stream:
        first = stream.read(4)
    if first == b"GGUF":
        return "language model", "it is a GGUF file"
    if first == b"\x89HDF":
        hint = f"an ELMo is a folder with {OPTIONS} and {WEIGHTS}: give the folder."
        raise FormatError("this is a file in HDF5, such as the weights of an ELMo.", path=file, hint=hint)
    return _recognised("file", file) or ("vectors", "it is a file")


def _of_config(model: str, file: Path) -> _Found:
    if not (config := read_record(file)):
        raise FormatError("this is not a configuration in JSON.", path=file, hint="download the model again.")
    type_, listed = str(config.get("model_type") or ""), config.get("architectures") or []
    classes = [str(one) for one in listed] if isinstance(listed, list) else []
    said = f"its configuration names {join_words(classes) or type_ or 'nothing'}"
    if type_ in CLIP_TYPES:
        return "vision-language", said
    if "vision_config" in config or config.get("is_encoder_decoder"):
        what = "makes text from images" if "vision_config" in config else "is an encoder–decoder"
        hint = "encoders, decoders and models such as CLIP can be audited."
        raise InputError(f"{model} {what}: {said}.", hint=hint)
    return "language model" if any(one.endswith(_HEADS) for one in classes) else "encoder", said


def _of_name(model: str, path: Path) -> _Found:
    """Kind of a name that is not a path: embedded vectors, a spaCy pipeline, or a model on the hub."""
    if found := _recognised("name", model):
        return found
    names, neighbours = _names(), _in_folder_of(path)
    near = nearest(model, [*names, *neighbours])
    if _looks_like_a_path(model, path) or not _HUB_NAME.fullmatch(model):
        raise _nowhere(model, near)
    if nearest(model, names):
        raise UnknownNameError("model", model, [*names, *neighbours])
    return _of_config(model, _hub_config(model, near))


def _nowhere(model: str, near: Sequence[str]) -> FormatError:
    hint = f"did you mean {_named(near)}?" if near else f"MODEL is {CAN_BE}."
    return FormatError("there is no such file or folder.", path=model, hint=hint)


def _named(near: Sequence[str]) -> str:
    """Paths as a hint names them: a long one by the name in its folder, which must not be cut."""
    return join_words((in_short(one if len(one) < _LONG else Path(one).name) for one in near), last="or")


def _looks_like_a_path(model: str, path: Path) -> bool:
    inside = len(path.parts) > 2 or (len(path.parts) == 2 and path.parent.is_dir())
    ends = model.startswith((".", "~", "/", "\\")) or model.endswith(("/", "\\"))
    return inside or ends or path.is_absolute() or path.suffix.lower() in _FILE_SUFFIXES


def _recognised(what: str, value: Any) -> _Found | None:
    """The kind of a format, folder, file or name of vectors, and why; None where no subject knows it."""
    found = (getattr(module, f"kind_of_{what}")(value) for module in brought("formats"))
    return next((kind for kind in found if kind is not None), None)


def _names() -> list[str]:
    return [name for module in brought("formats") for name in module.NAMES]


def _in_folder_of(path: Path) -> list[str]:
    """Names in the folder that would contain a path."""
    try:
        return sorted(str(path.parent / entry.name) for entry in path.parent.iterdir())
    except OSError:
        return []


def _hub_config(name: str, near: tuple[str, ...]) -> Path:
    """The configuration of a model on the hub; no other file is downloaded."""
    end = f"; or did you mean {_named(near)}?" if near else "."
    try:
        with _quiet():
            # a single file, hf_hub_download, is asked for six times where there is no connection
            folder = fetch(name, ["config.json"], hint=f"MODEL is {CAN_BE}{end}")
    except MissingExtraError as error:
        message = f"there is no file or folder {name!r} here, and {error.message}"
        raise MissingExtraError(message, hint=f"{error.hint}{end}") from error
    if not (folder / "config.json").is_file():
        message = f"{name} on the hub is not a model: it has no config.json."
        raise FormatError(message, hint=f"MODEL is {CAN_BE}{end}")
    return folder / "config.json"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the messages of the hub, which our errors replace."""
    logging = require("huggingface_hub.utils.logging", extra="models", purpose="looking up models of the hub")
    bars = require("huggingface_hub.utils", extra="models", purpose="looking up models of the hub")
    level, without = logging.get_verbosity(), bars.are_progress_bars_disabled()
    logging.set_verbosity(logging.CRITICAL)
    bars.disable_progress_bars()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if not without:
            bars.enable_progress_bars()
