from __future__ import annotations

import contextlib
import io
import os
import pickle
import struct
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.errors import FormatError, UnsafeFileError
from crossroads.core.storage.pickles import Record, as_array, load_pickle


def read(data: bytes) -> Any:
    return load_pickle(io.BytesIO(data))


class Calls:
    """Pickles as a call of anything with any arguments."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4) | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@given(plain, st.integers(0, 5))
def test_plain_data_comes_back_from_every_protocol(value: Any, protocol: int) -> None:
    assert read(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3)),
        np.arange(4, dtype=">i4"),
        np.array(["rose", "café"]),
        np.array(["rose", "café"], dtype=object),
        np.array([True, False]),
        np.array([1, 2], np.float16),
    ],
    ids=["float32", "fortran", "big-endian", "text", "objects", "booleans", "float16"],
)
def test_arrays_come_back_from_every_protocol(array: Any, protocol: int) -> None:
    found = as_array(read(pickle.dumps(array, protocol)))
    assert found is not None
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("protocol", range(6))
def test_scalars_sets_and_ordered_dictionaries_come_back(protocol: int) -> None:
    value = [np.float32(0.5), np.int64(7), {1, 2}, frozenset({3}), OrderedDict(a=1), bytearray(b"\xff")]
    assert read(pickle.dumps(value, protocol)) == [0.5, 7, {1, 2}, frozenset({3}), {"a": 1}, b"\xff"]


def test_arrays_of_python_2_come_back() -> None:
    # cPickle.dumps(np.array([[1, 2], [3, 4]], "f4"), 2) of Python 2 and numpy 1.11, written out by hand.
    raw = np.array([[1, 2], [3, 4]], "<f4").tobytes()
    data = (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01K\x02K\x02\x86"
        b"cnumpy\ndtype\nU\x02f4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U\x10"
        + raw
        + b"tb."
    )
    np.testing.assert_array_equal(as_array(read(data)), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02]q\x00(U\x04roseq\x01U\x05caf\xc3\xa9q\x02X\x05\x00\x00\x00caf\xc3\xa9q\x03U\x04caf\xe9e.",
        b"(lp0\nS'rose'\np1\naS'caf\\xc3\\xa9'\np2\naVcaf\\u00e9\np3\naS'caf\\xe9'\na.",
    ],
    ids=["protocol 2", "protocol 0"],
)
def test_strings_of_python_2_are_utf8_or_else_latin1(data: bytes) -> None:
    assert read(data) == ["rose", "café", "café", "café"]


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda marker: Calls(os.system, f"touch {marker}"), f"{os.system.__module__}.system"),
        (lambda marker: Calls(eval, f"open({str(marker)!r}, 'w')"), "builtins.eval"),
        (lambda marker: Calls(open, str(marker), "w"), "io.open"),
        (lambda marker: Calls(getattr, Calls(__import__, "os"), "system"), "builtins.getattr"),
        (lambda marker: Calls(np.load, str(marker)), "numpy.load"),
        (lambda marker: {"words": [Calls(Path.touch, marker)]}, None),
    ],
    ids=["os.system", "eval", "open", "chain", "numpy.load", "inside a dictionary"],
)
def test_nothing_is_run_and_it_is_named(tmp_path: Path, protocol: int, call: Any, name: str | None) -> None:
    marker = tmp_path / "marker"
    with pytest.raises(UnsafeFileError, match="which is not data") as caught:
        read(pickle.dumps(call(marker), protocol))
    assert not marker.exists()
    if name is not None and protocol >= 3:
        assert caught.value.key == name


@pytest.mark.parametrize(
    ("data", "what"),
    [
        *((f"c{module}\nsystem\n(S'true'\ntR.".encode(), f"{module}.system")
          for module in ("os", "subprocess", "builtins", "__builtin__", "gensim")),
        (b"\x80\x04\x8c\x05numpy\x8c\x0endarray.tofile\x93.", r"numpy\.ndarray\.tofile"),
        (b"c_codecs\nencode\n}S'__code__'\nNsb.", "a change to function"),
        (b"cnumpy\nndarray\n}S'accept'\nNsb.", "a change to type"),
        (b"\x80\x02\x82\x01.", "the extension 1"),
        (b"Pwhatever\n.", "the outside object"),
    ],
)  # fmt: skip
def test_other_names_and_what_pickles_can_do_beside_calling_are_refused(data: bytes, what: str) -> None:
    with pytest.raises(UnsafeFileError, match=what):
        read(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x04\x8e" + struct.pack("<Q", 1 << 40) + b"x.",  # bytes
        b"\x80\x04\x8d" + struct.pack("<Q", 1 << 40) + b"x.",  # text
        b"\x80\x05\x96" + struct.pack("<Q", 1 << 40) + b"x.",  # bytearray
        b"\x80\x04\x95" + struct.pack("<Q", 1 << 40) + b"N.",  # frame
        b"\x80\x02\x8b" + struct.pack("<i", (1 << 31) - 1) + b"x.",  # integer
        b"\x80\x02B" + struct.pack("<I", (1 << 32) - 1) + b"x.",  # short bytes
    ],
)
def test_more_bytes_than_there_are_reserve_no_memory(data: bytes) -> None:
    with pytest.raises(FormatError, match="bytes are announced"):
        read(data)
    assert read(b"\x80\x02]r\xff\xff\xff\xff.") == []  # a large place in the memo


class Built:
    """Pickles as an array that is given such a state."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def __reduce__(self) -> Any:
        made: Any = np.zeros(1).__reduce__()
        return (*made[:2], self.state)


FLOATS, DATA = np.dtype("<f4"), np.arange(4, dtype="<f4").tobytes()


@pytest.mark.parametrize(
    "state",
    [
        (1, (2, 2)),
        (1, (2, -2), FLOATS, False, DATA),
        (1, (2, True), FLOATS, False, DATA),
        (1, (1,) * 9, FLOATS, False, DATA),
        (1, (1 << 60,), FLOATS, False, DATA),
        (1, (2, 2), "f4", False, DATA),
        (1, (2, 2), FLOATS, False, 16),
        (1, (2, 2), np.dtype("M8[s]"), False, DATA * 2),
        (1, (2, 2), np.dtype("O"), False, DATA),
        (1, (2, 2), np.dtype("O"), False, [1, 2, 3]),
    ],
)
def test_arrays_of_parts_that_do_not_fit_are_refused(state: Any) -> None:
    with pytest.raises(FormatError, match=r"pickle|type"):
        read(pickle.dumps(Built(state)))
    fitting = read(pickle.dumps(Built((1, (2, 2), FLOATS, True, DATA))))
    np.testing.assert_array_equal(as_array(fitting), [[0, 2], [1, 3]])


@pytest.mark.parametrize("data", [b"", b"\x80\x04]", b"S'no end", b"garbage", b"\x80\xff."])
def test_what_is_no_pickle_is_a_format_error(data: bytes) -> None:
    with pytest.raises(FormatError, match="pickle"):
        read(data)


@given(st.binary(max_size=60))
def test_any_bytes_give_data_or_a_format_error(data: bytes) -> None:
    with contextlib.suppress(FormatError):
        read(b"\x80\x04" + data)


def test_objects_of_gensim_become_records_of_their_attributes() -> None:
    record = read(b"\x80\x02cgensim.models.keyedvectors\nKeyedVectors\n)\x81}U\x0bvector_sizeK\x03sb.")
    assert isinstance(record, Record)
    assert record.kind == "gensim.models.keyedvectors.KeyedVectors"
    assert record.attributes == {"vector_size": 3}
    made = b"ccopy_reg\n_reconstructor\n(cgensim.models.keyedvectors\nVocab\nc__builtin__\nobject\nNtR"
    assert read(made + b"(dS'index'\nI4\nsb.").attributes == {"index": 4}
    with pytest.raises(FormatError, match="unknown class"):
        read(b"ccopy_reg\n_reconstructor\n(c__builtin__\nset\nc__builtin__\nobject\nNtR.")


LONG_LIST = b"\x80\x04]\x94(" + b"N" * 20_000 + b"e0"
LONG_DICT = b"\x80\x04}\x94(" + b"".join(b"M" + struct.pack("<H", i) + b"N" for i in range(10_000)) + b"u0"
LONG_TEXT = b"\x80\x04X" + struct.pack("<I", 200_000) + b"a" * 200_000 + b"\x940"


def many(name: bytes, call: bytes, long: bytes = LONG_LIST, *, before: bytes = b"") -> bytes:
    """A long value, and 500 calls with it; the name is number 1 of what is remembered, the value number 0."""
    return long + b"c" + name + b"\n\x940" + before + b"(" + call * 500 + b"t."


DTYPE = b"cnumpy\ndtype\nU\x02%s\x85R\x940"
ARRAY = b"h\x01(h\x00h\x02J%s\x85U\x01CtR"


@pytest.mark.parametrize(
    "data",
    [
        many(b"builtins\nlist", b"h\x01h\x00\x85R"),
        many(b"builtins\ntuple", b"h\x01h\x00\x85R"),
        many(b"builtins\nlist", b"(h\x01h\x00o"),
        LONG_LIST + b"(" + b"(h\x00ibuiltins\nlist\n" * 500 + b"t.",
        many(b"builtins\ndict", b"h\x01h\x00\x85R", LONG_DICT),
        many(b"builtins\nset", b"h\x01h\x00\x85R", LONG_DICT),
        many(b"builtins\nfrozenset", b"h\x01h\x00\x85R", LONG_DICT),
        many(b"collections\nOrderedDict", b"h\x01h\x00\x85R", LONG_DICT),
        many(b"gensim.models.keyedvectors\nVocab", b"h\x01)\x81h\x00b", LONG_DICT),
        many(b"_codecs\nencode", b"h\x01h\x00\x85R", LONG_TEXT),
        many(b"builtins\nbytes", b"h\x01h\x00\x85R", LONG_TEXT),
        many(
            b"numpy.core.numeric\n_frombuffer",
            ARRAY % struct.pack("<i", 200_000),
            LONG_TEXT,
            before=DTYPE % b"u1",
        ),
        many(b"numpy.core.numeric\n_frombuffer", ARRAY % struct.pack("<i", 20_000), before=DTYPE % b"O8"),
        b"\x80\x04(" + b"\x8f" * 200_000 + b"t.",
    ],
    ids=["list", "tuple", "list as an object", "list as an instance", "dict", "set", "frozenset", "ordered",
         "record", "encode", "bytes", "array", "array of objects", "empty sets"],
)  # fmt: skip
def test_copies_of_one_value_are_bounded_by_the_length_of_the_pickle(data: bytes) -> None:
    # each call takes a few bytes, and makes another copy of the value
    with pytest.raises(UnsafeFileError, match="the pickle copies"):
        read(data)


def test_a_copy_cannot_be_made_without_a_call() -> None:
    with pytest.raises(FormatError, match="pickle cannot be read"):
        read(LONG_LIST + b"cbuiltins\ntuple\nh\x00\x85\x81.")


@pytest.mark.parametrize(
    "key",
    [
        b"K\x01K\x02\x86",
        b"(\x91",
        b"G" + struct.pack(">d", 0.5),
        b"\x8b" + struct.pack("<i", 9) + b"\x7f" * 9,
        b"X" + struct.pack("<I", 20_000) + b"a" * 20_000,
    ],
    ids=["tuple", "frozenset", "fraction", "long number", "long text"],
)
@pytest.mark.parametrize(
    "used",
    [
        b"}%sNs.",
        b"}(%sNu.",
        b"(%sNd.",
        b"\x8f(%s\x90.",
        b"(%s\x91.",
        b"cbuiltins\nset\n]%sa\x85R.",
        b"cbuiltins\ndict\n]%sN\x86a\x85R.",
    ],
    ids=["item", "items", "dict", "set", "frozenset", "set called", "dict called"],
)
def test_keys_are_words_or_whole_numbers(key: bytes, used: bytes) -> None:
    with pytest.raises(FormatError, match="a key of type"):
        read(b"\x80\x04" + used % key)


@pytest.mark.parametrize("protocol", [0, 5])
@pytest.mark.parametrize(
    "value",
    [
        set(range(100_000)),
        OrderedDict((str(i), i) for i in range(20_000)),
        dict.fromkeys(range(-20_000, 20_000), True),
        {b"rose": 1, "wasp": 2, True: 3, 1 << 40: 4},
        bytes(range(256)) * 1000,
    ],
    ids=["set", "ordered", "numbers", "keys", "bytes"],
)
def test_large_values_of_honest_files_come_back(value: Any, protocol: int) -> None:
    assert read(pickle.dumps(value, protocol)) == value
