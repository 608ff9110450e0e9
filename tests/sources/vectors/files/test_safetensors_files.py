from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError
from crossroads.sources.load import load

Vectors = dict[str, NDArray[np.float32]]


def tensors(
    arrays: dict[str, NDArray[Any]],
    metadata: dict[str, str] | None = None,
    kinds: dict[str, str] | None = None,
) -> bytes:
    """Bytes as the format describes them: a length, a JSON header, the data."""
    names = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "uint16": "BF16"}
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    data = b""
    for name, array in arrays.items():
        kind = (kinds or {}).get(name, names[str(array.dtype)])
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + array.nbytes],
        }
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write(folder: Path, data: bytes) -> Path:
    path = folder / "x.safetensors"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("form", [lambda w: json.dumps(w), lambda w: "\n".join(w)], ids=["JSON", "lines"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_words_in_the_metadata_come_back(tmp_path: Path, tiny: Vectors, form: Any, dtype: str) -> None:
    matrix = np.stack(list(tiny.values())).astype(dtype)
    path = write(tmp_path, tensors({"vectors": matrix}, {"labels": form(list(tiny))}))
    emb = load(path)
    assert emb.provenance.format == "safetensors"
    assert emb.labels == tuple(tiny)
    assert emb.vectors.dtype == dtype
    np.testing.assert_array_equal(emb.vectors, matrix)
    assert load(path, words=["wasp"]).labels == ("wasp",)


def test_lines_may_begin_with_a_bracket(tmp_path: Path) -> None:
    path = write(tmp_path, tensors({"vectors": np.eye(2)}, {"vocab": "[PAD]\n[UNK]"}))
    assert load(path).labels == ("[PAD]", "[UNK]")


def test_words_may_be_beside_it_and_the_tensor_the_only_matrix(tmp_path: Path, tiny: Vectors) -> None:
    matrix = np.stack(list(tiny.values()))
    (tmp_path / "x.txt").write_text("\n".join(tiny), encoding="utf-8")
    emb = load(write(tmp_path, tensors({"odd_name": matrix, "bias": np.ones(3)})))
    assert emb.labels == tuple(tiny)
    assert emb.provenance.details["tensor"] == "odd_name"


def test_brain_floats_are_widened(tmp_path: Path) -> None:
    # The upper half of a float32: 1.0 is 0x3f80, -2.5 is 0xc020, 0.15625 is 0x3e20.
    matrix = np.array([[0x3F80, 0xC020], [0x3E20, 0x3F80]], np.uint16)
    path = write(tmp_path, tensors({"vectors": matrix}, {"labels": "a\nb"}))
    np.testing.assert_array_equal(load(path).vectors, [[1, -2.5], [0.15625, 1]])
    np.testing.assert_array_equal(load(path, words=["b"]).vectors, [[0.15625, 1]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x09", "the header should take"),
        (struct.pack("<Q", 1 << 60) + b"{}", "the header should take"),
        (struct.pack("<Q", 2) + b"{!", "not JSON"),
        (struct.pack("<Q", 2) + b"[]", "not a JSON object"),
        (tensors({"a": np.eye(2), "b": np.eye(2)}), "2 two-dimensional tensors"),
        (tensors({"vectors": np.eye(2, dtype=np.int64)}), "its type is I64"),
        (tensors({"vectors": np.eye(2)})[:-4], "takes 32 bytes"),
        (tensors({"vectors": np.eye(2)}, kinds={"vectors": "F32"}), "takes 16 bytes"),
        (tensors({"vectors": np.eye(2)}), "no words for them"),
        (tensors({"vectors": np.eye(2)}, {"labels": "a"}), "1 labels for 2 vectors"),
        (struct.pack("<Q", 14) + b'{"vectors": 3}', "its type is"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path, data), format="safetensors")


def test_what_the_reference_package_writes_is_read(tmp_path: Path, tiny: Vectors) -> None:
    package: Any = pytest.importorskip(
        "safetensors.numpy", reason="safetensors is not installed (extra [safetensors])"
    )
    path = tmp_path / "x.safetensors"
    matrix = np.stack(list(tiny.values()))
    package.save_file({"vectors": matrix}, path, metadata={"labels": json.dumps(list(tiny))})
    emb = load(path)
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, matrix)
