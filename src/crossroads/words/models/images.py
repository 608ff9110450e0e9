"""Images as stimuli: one folder per set, decoded by Pillow.

Only common formats are tried, and the size of an image is checked before it is decoded, so that a small file
that claims to be enormous does no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossroads.core.errors import FormatError, InputError, join_words, require
from crossroads.core.stimuli.sets import word_fault

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
"""Formats that are decoded; of an animation the first frame is taken."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
"""Endings of files that count as images in a folder."""
UNREAD = (".heic", ".heif", ".avif", ".jxl", ".jp2", ".svg", ".psd", ".raw", ".dng")
"""Endings of images that are not decoded; they are an error, because leaving them out would change a set."""
MOST_PIXELS = 80_000_000
"""Images with more pixels are refused before they are decoded."""
LONGEST_STRIP = 200
"""Largest ratio of height to width or the reverse: models enlarge the shorter side first."""

Images = Mapping[str, Path] | Mapping[str, Sequence[Path]] | Iterable[Path]
"""Images by label, sets of images by name, or just files."""


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
        for name, given in images.items():
            if isinstance(given, str | Path):
                pairs.append((name, Path(given)))
            else:
                pairs += zip(image_labels({name: given})[name], map(Path, given), strict=True)
    else:
        pairs = [(Path(file).name, Path(file)) for file in images]
    found: dict[str, Path] = {}
    for label, path in pairs:
        fault = word_fault(label)
        if fault is not None:
            raise InputError(f"the label {label!r} of an image {fault}.", hint="give the image another name.")
        if label in found:
            raise InputError(
                f"two images are called {label!r}: {found[label]} and {path}.",
                hint="give each a name of its own: {name: file, ...}.",
            )
        found[label] = path
    return found


def read_image(path: Path) -> Any:
    """Read an image, upright and in RGB, as an object of Pillow."""
    pillow = require("PIL.Image", extra="vision", purpose="reading images")
    ops = require("PIL.ImageOps", extra="vision", purpose="reading images")
    with _plain_errors(path, pillow), pillow.open(path, formats=FORMATS) as image:
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise _too_large(path, f"it has {width:,} × {height:,} pixels")
        if max(width, height) > LONGEST_STRIP * min(width, height):
            raise FormatError(
                f"it is a strip of {width:,} × {height:,} pixels.",
                path=path,
                hint="cut out the part that shows the stimulus.",
            )
        if image.mode in ("I", "F") or image.mode.startswith("I;16"):
            raise FormatError(
                f"it has more than 8 bits per colour (mode {image.mode}).",
                path=path,
                hint="save it as an ordinary PNG or JPEG.",
            )
        image.load()
        upright = ops.exif_transpose(image)
        if "transparency" in upright.info:  # a palette with transparent colours is converted by way of RGBA
            upright = upright.convert("RGBA")
        return upright.convert("RGB")


def images_sha256(images: Mapping[str, Path]) -> str:
    """Checksum over labels and files, in their order."""
    digest = hashlib.sha256()
    for label, path in images.items():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise _unreadable(path, error) from error
        digest.update(f"{label}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


@contextlib.contextmanager
def _plain_errors(path: Path, pillow: Any) -> Iterator[None]:
    """Turn the exceptions of decoders into an error that names the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            yield
    except (FormatError, MemoryError):
        raise
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError) as error:
        raise _too_large(path, "it claims to be enormous") from error
    except pillow.UnidentifiedImageError as error:
        raise FormatError(
            "it is not an image that can be read.", path=path, hint=f"known: {', '.join(FORMATS)}."
        ) from error
    except OSError as error:
        if error.errno is not None:
            raise _unreadable(path, error) from error
        raise _damaged(path, error) from error
    except Exception as error:  # decoders raise nearly anything on damaged files
        raise _damaged(path, error) from error


def _unreadable(path: Path, error: OSError) -> FormatError:
    missing = isinstance(error, FileNotFoundError)
    said = "there is no such file." if missing else f"it cannot be read: {error.strerror or error}."
    return FormatError(said, path=path, hint="check the path.")


def _damaged(path: Path, error: Exception) -> FormatError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
    return FormatError(f"the image is damaged: {said}.", path=path, hint="fetch or save it again.")


def _too_large(path: Path, said: str) -> FormatError:
    return FormatError(
        f"the image is too large: {said}.",
        path=path,
        hint=f"make it smaller than {MOST_PIXELS // 1_000_000} million pixels.",
    )
