"""Vision-language models: words and images as vectors of one space.

CLIP, SigLIP and their relatives project a text and an image into a space in which they can be compared. The
vectors are those projections, as in ML-EAT: after the projection, before any normalisation, which cosines do
not need.

Images are one folder per set, decoded by Pillow. Only common formats are tried, and the size of an image is
checked before it is decoded, so that a small file that claims to be enormous does no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, InputError, in_short, join_words, require
from crossroads.core.evidence import Embeddings
from crossroads.core.models.files import ModelFiles, find_model
from crossroads.core.models.kinds import CLIP_TYPES
from crossroads.core.models.transformers import (
    Device,
    check_tokens,
    load_tokenizer,
    load_whole_model,
    plain_errors,
    resolve_device,
    versions,
)
from crossroads.core.stimuli.sets import word_fault
from crossroads.words.models.prompts import PromptedWord, Words, prompted_words, said_prompts
from crossroads.words.models.settings import (
    Progress,
    batches,
    check_counts,
    check_finite,
    ignore,
    is_clip,
    provenance_of,
)

CLIP_PROMPT = "a picture that brings to mind {word}"
"""The prompt of ML-EAT for words; images need none."""
_Part = tuple[list[str], NDArray[np.float32]]
_FIXED_LENGTH = ("siglip", "siglip2")
"""Model types that were trained on texts padded to one length, and read its last position."""
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
"""Formats that are decoded; of an animation the first frame is taken."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
"""Endings of files that count as images in a folder."""
UNREAD = (".heic", ".heif", ".avif", ".jxl", ".jp2", ".svg", ".psd", ".raw", ".dng")
"""Endings of images that are not decoded; they are an error, because leaving them out would change a set."""
MOST_PIXELS = 80_000_000
"""Images with more pixels are refused before they are decoded."""
_TOO_LARGE = "the image is too large"
_SMALLER = f"make it smaller than {MOST_PIXELS // 1_000_000} million pixels."
LONGEST_STRIP = 200
"""Largest ratio of height to width or the reverse: models enlarge the shorter side first."""

Images = Mapping[str, Path] | Mapping[str, Sequence[Path]] | Iterable[Path]
"""Images by label, sets of images by name, or just files."""


def clip_embeddings(
    model: str | Path,
    words: Words = (),
    images: Images | None = None,
    *,
    prompt: str = CLIP_PROMPT,
    revision: str | None = None,
    batch_size: int = 32,
    device: Device = "auto",
    progress: Progress | None = None,
) -> Embeddings:
    """Words and images as vectors of one space, so that a design may have images as targets.

    Parameters
    ----------
    model
        A folder in the layout of Hugging Face, or a name on its hub: CLIP, SigLIP and relatives.
    words
        Words, or a mapping of word to its own prompt.
    images
        Labels with one file each; sets with their files, as ``crossroads.sources.image_sets`` gives them,
        labelled ``set/file``; or files, labelled by their names.
    prompt
        Template with ``{word}``; ``"{word}"`` for the bare word.
    revision, device
        As in :func:`~crossroads.sources.prompted_embeddings`.
    batch_size
        Most texts or images at once.
    progress
        Called with the number of words and images done and their total.

    References
    ----------
    Wolfe, Hiniker and Howe (2024), doi:10.48550/arXiv.2408.01966: prompt and projected features.

    Examples
    --------
    ``folder`` holds a CLIP model:

    >>> import crossroads as cr
    >>> emb = cr.sources.clip_embeddings(folder, ["nurse", "banker"], prompt="a picture of a {word}")
    >>> emb.labels
    ('nurse', 'banker')
    """
    check_counts(batch_size=batch_size)
    words = words if isinstance(words, Mapping | str | bytes) else list(words)
    # checked before a model is loaded
    texts, pictures = prompted_words(words, prompt) if words or images is None else (), dict[str, Path]()
    if images is not None:
        require("PIL.Image", extra="vision", purpose="reading images")
        pictures = labelled_images(images)
        if not pictures:
            raise InputError("there are no images.", hint="give at least one.")
        both = [text.word for text in texts if text.word in pictures]
        if both:
            raise InputError(
                f"{join_words(map(in_short, both), most=3)} label a word and an image.",
                hint="give the images other names: {name: file, ...}.",
            )
    checksum = images_sha256(pictures)
    files = find_model(model, revision=revision)
    if not is_clip(files.folder):
        raise InputError(
            f"{files.name} is not a known vision-language model.",
            hint=f"its config.json has to name one of {join_words(CLIP_TYPES, last='or')} as model_type.",
        )
    place = resolve_device(device)
    clip = _Clip(files, load_whole_model(files, device=place), place)
    labels, report = [*(text.word for text in texts), *pictures], progress or ignore
    vectors: dict[str, NDArray[np.float32]] = {}
    for part in (_text_features(clip, texts, batch_size), _image_features(clip, pictures, batch_size)):
        for some, rows in part:
            vectors.update(zip(some, rows, strict=True))
            report(len(vectors), len(labels))
    details: dict[str, Any] = {
        "class": type(clip.model).__name__,
        "kind": "vision-language",
        "features": "projected",
        "batch size": batch_size,
        "device": place,
        **versions(),
    }
    if texts:
        own = said_prompts(words.values() if isinstance(words, Mapping) else [prompt])
        details |= {"prompt": own, "words": len(texts)}
    if pictures:
        details |= {"images": len(pictures), "images sha256": checksum}
    stacked = np.stack([vectors[label] for label in labels])
    return Embeddings(labels, stacked, provenance=provenance_of(files, details))


class _Clip(NamedTuple):
    """A loaded vision-language model."""

    files: ModelFiles
    model: Any
    device: str


def _text_features(clip: _Clip, texts: Sequence[PromptedWord], batch_size: int) -> Iterator[_Part]:
    """Yield projected texts in batches of equal numbers of tokens, so that nothing is padded."""
    if not texts:
        return
    tokenizer = load_tokenizer(clip.files, fast=False)
    longest = min(clip.model.config.get_text_config().max_position_embeddings, tokenizer.model_max_length)
    fixed = clip.model.config.model_type in _FIXED_LENGTH
    fill: dict[str, Any] = {"padding": "max_length", "max_length": longest} if fixed else {"padding": False}
    ids = tokenizer([text.text for text in texts], truncation=False, verbose=False, **fill)["input_ids"]
    check_tokens(clip.files, clip.model.config, ids)
    for text, tokens in zip(texts, ids, strict=True):
        if len(tokens) > longest:
            raise InputError(
                f"the prompt of {text.word!r} has {len(tokens)} tokens, and {clip.files.name} takes "
                f"{longest}.",
                hint="shorten the prompt or the word.",
            )
    torch = require("torch", extra="models", purpose="running transformer models")
    for rows in batches([len(tokens) for tokens in ids], batch_size):
        inputs = {"input_ids": torch.tensor([ids[row] for row in rows], device=clip.device)}
        if not fixed:
            inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        yield [texts[row].word for row in rows], _features(clip, "get_text_features", inputs)


def _image_features(clip: _Clip, pictures: Mapping[str, Path], batch_size: int) -> Iterator[_Part]:
    if not pictures:
        return
    transformers = require("transformers", extra="models", purpose="loading transformer models")
    # the image processors that need only Pillow
    newer = int(transformers.__version__.partition(".")[0]) >= 5
    pillow_only: dict[str, Any] = {"backend": "pil"} if newer else {"use_fast": False}
    with plain_errors(clip.files, "image processor"):
        processor = transformers.AutoImageProcessor.from_pretrained(**clip.files.options(), **pillow_only)
    labels = list(pictures)
    for first in range(0, len(labels), batch_size):
        batch = labels[first : first + batch_size]
        images = [read_image(pictures[label]) for label in batch]
        inputs = processor(images=images, return_tensors="pt").to(clip.device)
        yield batch, _features(clip, "get_image_features", inputs)


def _features(clip: _Clip, method: str, inputs: Mapping[str, Any]) -> NDArray[np.float32]:
    """The projection; newer versions of transformers return it inside an output."""
    torch = require("torch", extra="models", purpose="running transformer models")
    with torch.inference_mode():
        output = getattr(clip.model, method)(**inputs)
    return check_finite(clip.files, getattr(output, "pooler_output", output).float().cpu().numpy())


def image_sets(folder: str | Path) -> dict[str, list[Path]]:
    """The images of a folder that has one subfolder per stimulus set, by set, in the order of names.

    Hidden files and files without the ending of an image are ignored; images of a format that is not read are
    an error.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {str(folder)!r}.", hint="give a folder with one subfolder per set of images."
        )
    sets: dict[str, list[Path]] = {}
    for inner in sorted(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")):
        named = [file for file in sorted(inner.iterdir()) if not file.name.startswith(".")]
        unread = [file.name for file in named if file.suffix.lower() in UNREAD]
        if unread:
            raise InputError(
                f"{join_words(unread, most=3)} in {str(inner)!r} cannot be read.",
                hint="save the images as PNG or JPEG, or take them out of the folder.",
            )
        files = [file for file in named if file.suffix.lower() in SUFFIXES and not file.is_dir()]
        if not files:
            raise InputError(
                f"there is no image in {str(inner)!r}.",
                hint=f"images are recognised by their endings: {join_words(SUFFIXES, last='or')}.",
            )
        sets[inner.name] = files
    if not sets:
        raise InputError(
            f"the folder {str(folder)!r} has no subfolders.",
            hint="put the images of each set into a subfolder.",
        )
    return sets


def image_labels(sets: Mapping[str, Sequence[Path]]) -> dict[str, list[str]]:
    """The labels of the images of sets: the set and the name of the file.

    Examples
    --------
    >>> image_labels({"flowers": [Path("images/flowers/1.jpg")]})
    {'flowers': ['flowers/1.jpg']}
    """
    return {name: [f"{name}/{Path(file).name}" for file in files] for name, files in sets.items()}


def labelled_images(images: Images) -> dict[str, Path]:
    """Map a unique label to every image."""
    if isinstance(images, str | bytes | Path):
        raise InputError(f"the images are one path, {str(images)!r}.", hint="give a list of files.")
    pairs: list[tuple[str, Path]] = []
    if isinstance(images, Mapping):
        for name, held in images.items():
            if isinstance(held, str | Path):
                pairs.append((name, Path(held)))
            else:
                pairs += zip(image_labels({name: held})[name], map(Path, held), strict=True)
    else:
        pairs = [(Path(file).name, Path(file)) for file in images]
    labelled: dict[str, Path] = {}
    for label, path in pairs:
        fault = word_fault(label)
        if fault is not None:
            raise InputError(f"the label {label!r} of an image {fault}.", hint="give the image another name.")
        if label in labelled:
            raise InputError(
                f"two images are called {label!r}: {labelled[label]} and {path}.",
                hint="give each a name of its own: {name: file, ...}.",
            )
        labelled[label] = path
    return labelled


def read_image(path: Path) -> Any:
    """Read an image, upright and in RGB, as an object of Pillow."""
    pillow = require("PIL.Image", extra="vision", purpose="reading images")
    ops = require("PIL.ImageOps", extra="vision", purpose="reading images")
    with _plain_errors(path), pillow.open(path, formats=FORMATS) as image:
        width, height = image.size
        if width * height > MOST_PIXELS:
            said = f"{_TOO_LARGE}: it has {width:,} × {height:,} pixels."
            raise FormatError(said, path=path, hint=_SMALLER)
        if max(width, height) > LONGEST_STRIP * min(width, height):
            said = f"it is a strip of {width:,} × {height:,} pixels."
            raise FormatError(said, path=path, hint="cut out the part that shows the stimulus.")
        if image.mode in ("I", "F") or image.mode.startswith("I;16"):
            said = f"it has more than 8 bits per colour (mode {image.mode})."
            raise FormatError(said, path=path, hint="save it as an ordinary PNG or JPEG.")
        image.load()
        upright = ops.exif_transpose(image)
        if "transparency" in upright.info:  # a palette with transparent colours is converted by way of RGBA
            upright = upright.convert("RGBA")
        return upright.convert("RGB")


def images_sha256(images: Mapping[str, Path]) -> str:
    """Checksum over labels and files, in their order."""
    digest = hashlib.sha256()
    for label, path in images.items():
        with _plain_errors(path):
            content = path.read_bytes()
        digest.update(f"{label}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


@contextlib.contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    """Turn the exceptions of decoders into an error that names the file."""
    pillow = require("PIL.Image", extra="vision", purpose="reading images")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            yield
    except (FormatError, MemoryError):
        raise
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError) as error:
        raise FormatError(f"{_TOO_LARGE}: it claims to be enormous.", path=path, hint=_SMALLER) from error
    except pillow.UnidentifiedImageError as error:
        raise FormatError(
            "it is not an image that can be read.", path=path, hint=f"known: {', '.join(FORMATS)}."
        ) from error
    except FileNotFoundError as error:
        raise FormatError("there is no such file.", path=path, hint="check the path.") from error
    except Exception as error:  # decoders raise nearly anything on damaged files
        if isinstance(error, OSError) and error.errno is not None:
            said = f"it cannot be read: {error.strerror or error}."
            raise FormatError(said, path=path, hint="check the path.") from error
        said = (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
        hint = "fetch or save it again."
        raise FormatError(f"the image is damaged: {said}.", path=path, hint=hint) from error
