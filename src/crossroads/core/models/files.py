"""The files of a transformer model: where they are, whether they are safe, and their checksum.

A model is a folder in the layout of Hugging Face, a name on its hub, a GGUF file, or a folder with an ELMo.
Weights are read from safetensors, GGUF or HDF5, which hold numbers only; pickled weights
(``pytorch_model.bin``) can run any program while they are loaded, and are refused.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.core.errors import FormatError, InputError, UnsafeFileError, in_short, join_words, require
from crossroads.core.evidence.model_names import GENERIC
from crossroads.core.models.elmo import elmo_files
from crossroads.core.storage.files import checksum

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_OTHERS = ("*.h5", "*.msgpack", "*.onnx")
_TEXTS = ("*.json", "*.txt", "*.model", "*.jinja", "*.spm", "*.codes", "*.tokenizer", "*.tiktoken")
"""Settings, vocabularies and templates: fetched from the hub, and part of the checksum."""
VOCABULARIES = (
    "tokenizer.json", "vocab.json", "vocab.txt", "tokenizer.model", "sentencepiece.bpe.model", "spiece.model",
    "tekken.json",
)  # fmt: skip
"""Files of which any one defines a tokenizer."""
_NEXT_TO_GGUF = (
    "tokenizer*.json", "*.model", "tekken.json", "vocab.json", "vocab.txt", "merges.txt", "chat_template.*",
    "special_tokens_map.json", "added_tokens.json", "generation_config.json",
)  # fmt: skip
"""Files that transformers reads along with a GGUF file; it prefers them to what the file holds."""
_TEMPLATES = "additional_chat_templates"
MODULES = "modules.json"
"""The file that makes a model a sentence encoder: its modules, each with a folder."""
_ROUTER = "router_config.json"
_ADAPTER = "adapter_config.json"
_ELSEWHERE = ("transformers_weights", "tokenizer_name_or_path", "gguf_file")
"""Settings that name other files than those that are found here."""
_ARGUMENTS = re.compile("(model|tokenizer|processor|config)_(args|kwargs)")
_NAMES_FILES = re.compile("variant|adapter_kwargs|use_kernels|allow_all_kernels|kernel_config|.*_file")
"""Arguments for loading, in settings of a sentence encoder, by which other files or code would be used."""
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_CONVERT = (
    "convert them if you trust them: AutoModel.from_pretrained(NAME).save_pretrained(FOLDER, "
    "safe_serialization=True), and the tokenizer next to it."
)


@dataclass(frozen=True, kw_only=True)
class ModelFiles:
    """A model that was found and may be loaded."""

    name: str
    """The name as given; of a path its last part, or the last two where that is ``model`` or the like."""
    folder: str
    """The folder of the files on this machine."""
    gguf: str | None = None
    """The GGUF file in that folder, if the model is one."""
    elmo: bool = False
    """Whether it is an ELMo, which needs neither torch nor transformers."""
    revision: str | None = None
    """The commit of the hub, for models that come from there."""
    sha256: str
    """Checksum over every file that loading may read."""

    @property
    def place(self) -> str:
        """The argument of :func:`find_model`: the path here, or the name on the hub."""
        if self.revision is not None:
            return self.name
        return str(Path(self.folder, self.gguf)) if self.gguf else self.folder

    @property
    def format(self) -> str:
        """What reads the model, as it is recorded."""
        return "elmo" if self.elmo else "transformers"

    def options(self) -> dict[str, Any]:
        """Arguments of every ``from_pretrained``: these files, no remote code, no network."""
        own_files = {"trust_remote_code": False, "local_files_only": True}
        more = {} if self.gguf is None else {"gguf_file": self.gguf}
        return {"pretrained_model_name_or_path": self.folder, **own_files, **more}


def find_model(name: str | Path, *, revision: str | None = None) -> ModelFiles:
    """Find the files of a model, and refuse those that cannot be loaded safely."""
    path = Path(name).expanduser()
    if path.exists():
        if revision is not None:
            message = f"revision {revision!r} was given for the path {str(name)!r}."
            raise InputError(message, hint="only models of the hub have revisions; leave it out.")
        return _from_path(path.resolve())
    name = str(name)
    if not _HUB_NAME.fullmatch(name) or name.startswith(".") or name.endswith(".gguf"):
        hint = "give a folder, a .gguf file or a name on the hub."
        raise InputError(f"there is no model at {name!r}.", hint=hint)
    return _from_hub(name, revision)


def _from_path(path: Path) -> ModelFiles:
    if path.is_file():
        if path.suffix == ".gguf":
            return _gguf(path)
        hint = "give the folder it is in, or a .gguf file."
        raise FormatError("this is a file, not a model.", path=path, hint=hint)
    if (path / "config.json").is_file() or (path / MODULES).is_file():
        return ModelFiles(name=_name(path), folder=str(path), sha256=_checksum(path, _checked(path)))
    if (pair := elmo_files(path)) is not None:
        return ModelFiles(name=_name(path), folder=str(path), elmo=True, sha256=_combined(path, pair))
    files = sorted(path.glob("*.gguf"))
    if len(files) == 1:
        return _gguf(files[0])
    if files:
        hint = f"name one, such as {files[0].name}."
        raise FormatError(f"there are {len(files)} GGUF files.", path=path, hint=hint)
    hint = (
        "a model folder holds config.json, tokenizer.json and model.safetensors; that of an ELMo "
        "options.json and weights.hdf5."
    )
    raise FormatError("the folder is not a model: it has no config.json.", path=path, hint=hint)


def _name(folder: Path) -> str:
    """The last part of a path, or the last two if the last is a generic name."""
    return f"{folder.parent.name}/{folder.name}" if folder.name.lower() in GENERIC else folder.name


def _gguf(path: Path) -> ModelFiles:
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise FormatError(f"it begins with {magic!r}, not with b'GGUF'.", path=path, hint="fetch it again.")
    folder = path.parent
    _check_settings(folder, [])
    others = [file for pattern in _NEXT_TO_GGUF for file in folder.glob(pattern) if file.is_file()]
    sha256 = _combined(folder, [path, *others, *folder.glob(f"{_TEMPLATES}/*.jinja")])
    return ModelFiles(name=path.name, folder=str(folder), gguf=path.name, sha256=sha256)


def module_folders(folder: Path) -> list[str]:
    """Subfolders of the modules of a sentence encoder in their order, ``""`` for the folder itself.

    Those between which a router chooses come last.
    """
    listing, router = folder / MODULES, folder / _ROUTER
    if not listing.is_file():
        return []
    try:
        paths = [step["path"] for step in json.loads(listing.read_bytes())]
        paths += json.loads(router.read_bytes())["types"] if router.is_file() else ()
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "fetch the model again."
        raise FormatError("it is not a list of modules.", path=listing, hint=hint) from error
    for path in paths:
        parts = path.split("/") if isinstance(path, str) else [".."]
        if ".." in parts or re.search(r"^/|[\\:]|//", str(path)):
            raise FormatError(f"it names the folder {in_short(path)}, outside the model.", path=listing)
    return paths


def _all_weights(folder: Path) -> list[Path]:
    """The safetensors files of a model and of its modules; if it has modules, these may be the only ones."""
    weighty = (*_PICKLES, *_OTHERS, "*.safetensors")
    inside = [folder / name for name in module_folders(folder) if name]
    found = [path for one in inside if any(map(any, map(one.glob, weighty))) for path in _weights(one)]
    own = (folder / "config.json").is_file() or any(map(any, map(folder.glob, weighty)))
    return [*(_weights(folder) if own else ()), *found]


def _weights(folder: Path) -> list[Path]:
    """The safetensors files of a folder: one, or the shards that an index names."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file():
        return [single]
    if index.is_file():
        try:
            names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
            raise FormatError("the index of the weights cannot be read.", path=index) from error
        for name in names:
            if not isinstance(name, str) or Path(name).name != name or "\\" in name:
                what = f"{in_short(name)}, which is not a file of the same folder"
                hint = "put all weights into one folder, and their plain names into the index."
                raise UnsafeFileError(f"the index names the weights {what}.", path=index, hint=hint)
        missing = [name for name in names if not (folder / name).is_file()]
        if missing or not names:
            what = f"weights are missing: {join_words(missing, most=3) or 'the index is empty'}."
            raise FormatError(what, path=index, hint="fetch the model again.")
        return [folder / name for name in names]
    if pickled := sorted(file.name for pattern in _PICKLES for file in folder.glob(pattern)):
        what = f"its weights are pickles ({join_words(pickled, most=3)}), which can run any program."
        raise UnsafeFileError(what, path=folder, hint=_CONVERT)
    others = sorted(file.name for pattern in _OTHERS for file in folder.glob(pattern))
    what = f"the only weights are {join_words(others, most=3)}." if others else "there are no weights."
    raise FormatError(what, path=folder, hint="expected model.safetensors.")


def fetch(name: str, patterns: Iterable[str], *, hint: str, **options: Any) -> Path:
    """The folder of the files of a model on the hub that match patterns; ``hint`` is for one not found."""
    hub = require("huggingface_hub", extra="models", purpose="fetching models from the hub")
    errors = require("huggingface_hub.errors", extra="models", purpose="fetching models from the hub")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(patterns), **options))
    except errors.GatedRepoError as error:
        message = f"the model {name!r} is on the hub, but access to it is restricted."
        raise InputError(message, hint="accept its licence on its page and log in: hf auth login.") from error
    except (OSError, errors.HFValidationError) as error:
        revision = options.get("revision")
        said = f"and no such model{f' at revision {revision!r}' if revision else ''} on the hub"
        known = (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.HFValidationError)
        if not isinstance(error, known):
            said = "it is not in the cache of the hub, and the hub cannot be reached"
        raise InputError(f"there is no file or folder {name!r} here, {said}.", hint=hint) from error


def _from_hub(name: str, revision: str | None) -> ModelFiles:
    patterns = [*_TEXTS, "model*.safetensors"]
    hint = "give the folder of a model on this machine, or a name such as bert-base-cased."
    folder = fetch(name, patterns, hint=hint, revision=revision, ignore_patterns=["*/*"])
    if inside := [f"{one}/{pattern}" for one in module_folders(folder) if one for pattern in patterns]:
        fetch(name, inside, hint=hint, revision=folder.name)
    if not any((folder / file).is_file() for file in ("config.json", MODULES)):
        raise FormatError(f"{name} on the hub is not a model: it has no config.json.")
    try:
        weights = _checked(folder)
    except UnsafeFileError:
        raise
    except FormatError as error:
        message = f"{name} on the hub has no safetensors; other kinds of weights are not fetched."
        raise UnsafeFileError(message, hint=_CONVERT) from error
    return ModelFiles(name=name, folder=str(folder), revision=folder.name, sha256=_checksum(folder, weights))


def _checked(folder: Path) -> list[Path]:
    """The weights of a model, none of whose settings asks for other files or for code."""
    inside = [folder / name for name in module_folders(folder)]
    _check_settings(folder, inside)
    return _all_weights(folder)


def _check_settings(folder: Path, inside: Iterable[Path]) -> None:
    """Refuse settings of a model and its modules by which other files than those here would be loaded."""
    for place in dict.fromkeys((folder, *inside)):
        if (place / _ADAPTER).is_file():
            message = "this is an adapter, which changes the weights of another model."
            hint = "merge both (merge_and_unload of peft), save the whole model, and give its folder."
            raise UnsafeFileError(message, path=place / _ADAPTER, hint=hint)
        for file in (*place.glob("*config*.json"), place / MODULES):
            try:
                settings = json.loads(file.read_bytes())
            except (OSError, ValueError, RecursionError):
                continue  # nothing can be loaded by it
            _check_values(settings, file)


def _check_values(settings: Any, file: Path) -> None:
    pending: list[tuple[str, Any]] = [("", settings)]
    while pending:
        above, value = pending.pop()
        if isinstance(value, str) and "/" in value and "_implementation" in above:
            message = f"it asks for code from the hub ({above}: {in_short(value)})."
            hint = "only code of transformers itself is run; remove the line."
            raise UnsafeFileError(message, path=file, hint=hint)
        if isinstance(value, list):
            pending += [(above, one) for one in value]
        if not isinstance(value, dict):
            continue
        for key, one in value.items():
            arguments = _ARGUMENTS.fullmatch(above) and _NAMES_FILES.fullmatch(key)
            if one not in (None, False) and (key in _ELSEWHERE or arguments):
                message = f"it asks to load other files than those of the model ({key}: {in_short(one)})."
                hint = "put the weights into model.safetensors, the tokenizer next to it; remove the line."
                raise UnsafeFileError(message, path=file, hint=hint)
            pending.append((above if "_implementation" in above else key, one))


def _checksum(folder: Path, weights: Iterable[Path]) -> str:
    """One checksum over every file that loading may read: texts and weights, also those of modules."""
    texts = [file for pattern in _TEXTS for file in folder.glob(pattern)]
    for name in (*filter(None, module_folders(folder)), _TEMPLATES):
        texts += [file for end in (*_TEXTS, "*.safetensors") for file in (folder / name).rglob(end)]
    return _combined(folder, {*weights, *filter(Path.is_file, texts)})


def _combined(folder: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in files):
        digest.update(f"{name}\0{checksum(path)}\n".encode())
    return digest.hexdigest()
