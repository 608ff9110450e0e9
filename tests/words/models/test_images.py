"""Images as stimuli: sets in folders, labels, and files that are not what they seem."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import FormatError, InputError
from crossroads.words.models.clip import (
    image_labels,
    image_sets,
    images_sha256,
    labelled_images,
    read_image,
)

Image = pytest.importorskip("PIL.Image", reason="extra 'vision'")


def picture(path: Path, colour: tuple[int, ...] = (200, 30, 30), mode: str = "RGB", **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, (6, 4), colour).save(path, **options)
    return path


def claim(path: Path, width: int, height: int) -> Path:
    """A PNG of a few bytes that says it is that large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)
    return path


class TestFolders:
    def test_every_subfolder_is_a_set(self, tmp_path: Path) -> None:
        for name in ("insects/2.png", "insects/1.JPG", "flowers/a.webp", ".hidden/x.png", "flowers/.y.png"):
            picture(tmp_path / name)
        (tmp_path / "flowers" / "readme.txt").write_text("no image")
        sets = image_sets(tmp_path)
        assert {name: [file.name for file in files] for name, files in sets.items()} == {
            "flowers": ["a.webp"],
            "insects": ["1.JPG", "2.png"],
        }
        assert image_labels(sets)["insects"] == ["insects/1.JPG", "insects/2.png"]
        assert list(labelled_images(sets)) == ["flowers/a.webp", "insects/1.JPG", "insects/2.png"]

    def test_what_is_no_folder_of_sets_is_told_plainly(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="there is no folder"):
            image_sets(tmp_path / "nowhere")
        with pytest.raises(InputError, match="no subfolders"):
            image_sets(tmp_path)
        (tmp_path / "flowers").mkdir()
        with pytest.raises(InputError, match=r"no image in .*flowers(.|\n)*\.webp"):
            image_sets(tmp_path)
        picture(tmp_path / "flowers" / "1.png")
        (tmp_path / "flowers" / "2.HEIC").write_bytes(b"\0\0\0\x18ftypheic")
        with pytest.raises(InputError, match=r"2\.HEIC in .*flowers' cannot be read(.|\n)*PNG or JPEG"):
            image_sets(tmp_path)


class TestLabels:
    def test_files_are_labelled_by_their_names(self, tmp_path: Path) -> None:
        assert labelled_images([tmp_path / "a.png"]) == {"a.png": tmp_path / "a.png"}
        assert labelled_images({"rose": tmp_path / "a.png"}) == {"rose": tmp_path / "a.png"}
        with pytest.raises(InputError, match=r"two images are called '1.png'(.|\n)*name of its own"):
            labelled_images([tmp_path / "a" / "1.png", tmp_path / "b" / "1.png"])
        with pytest.raises(InputError, match="half of a character"):
            labelled_images([Path("caf\udce9.png")])  # a name of bytes that are no UTF-8
        with pytest.raises(InputError, match="one path"):
            labelled_images(tmp_path / "a.png")  # type: ignore[arg-type]

    def test_the_checksum_knows_labels_and_content(self, tmp_path: Path) -> None:
        red, blue = picture(tmp_path / "r.png"), picture(tmp_path / "b.png", (0, 0, 255))
        sums = {images_sha256({"a": red}), images_sha256({"b": red}), images_sha256({"a": blue})}
        assert len(sums) == 3
        with pytest.raises(FormatError, match=r"gone.png: there is no such file"):
            images_sha256({"a": tmp_path / "gone.png"})


class TestReading:
    @pytest.mark.parametrize("suffix", ["png", "bmp", "gif", "tiff", "webp", "jpg"])
    def test_common_formats_are_read(self, tmp_path: Path, suffix: str) -> None:
        image = read_image(picture(tmp_path / f"red.{suffix}"))
        assert (image.mode, image.size) == ("RGB", (6, 4))
        assert np.abs(np.asarray(image, int) - [200, 30, 30]).max() < 12  # JPEG and WebP lose a little

    def test_photographs_are_turned_upright_and_all_colours_are_converted(self, tmp_path: Path) -> None:
        Image.new("L", (6, 4), 99).save(tmp_path / "a.tiff")
        assert read_image(tmp_path / "a.tiff").mode == "RGB"
        palette = Image.new("P", (6, 4), 1)
        palette.putpalette([0, 0, 0, 200, 30, 30])
        palette.save(tmp_path / "a.png", transparency=b"\x00\xff")
        assert np.asarray(read_image(tmp_path / "a.png"))[0, 0].tolist() == [200, 30, 30]
        exif = Image.Exif()
        exif[0x0112] = 6  # taken with the camera on its side
        picture(tmp_path / "a.jpg", exif=exif)
        assert read_image(tmp_path / "a.jpg").size == (4, 6)
        frames = [Image.new("RGB", (6, 4), colour) for colour in ((255, 0, 0), (0, 0, 255))]
        frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
        assert np.asarray(read_image(tmp_path / "a.gif"))[0, 0].tolist() == [255, 0, 0], "the first picture"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, r"a\.png: there is no such file"),
        (Path.mkdir, "cannot be read"),
        # a model of 336 × 336 would make 336 × 168,000,000 pixels of it before it cuts out the middle
        (lambda path: Image.new("RGB", (1, 500_000)).save(path), r"it is a strip of 1 × 500,000 pixels"),
        # a format that is not listed is not tried
        (lambda path: picture(path.with_suffix(".ppm")).rename(path), "it is not an image that can be read"),
        (lambda path: Image.fromarray(np.full((4, 6), 40_000, np.uint16)).save(path), "more than 8 bits"),
        (lambda path: claim(path, 10_000, 8_500), "too large: it has 10,000 × 8,500 pixels"),
        (lambda path: claim(path, 60_000, 60_000), r"a\.png: the image is too large"),
        (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n"), "it is not an image|the image is damaged"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
    make(tmp_path / "a.png")
    with pytest.raises(FormatError, match=said):
        read_image(tmp_path / "a.png")
