"""Plain data across the wall: copies come out equal, everything else is refused, no bytes whatever do harm."""

from __future__ import annotations

import struct
from typing import Any

import msgpack
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import wire

SHAPES = st.lists(st.integers(0, 4), max_size=4)
TENSORS = st.builds(
    lambda shape, dtype: (torch.randn(shape) * 3).to(dtype),
    SHAPES,
    st.sampled_from(
        [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64]
    ),
)
ARRAYS = st.builds(
    lambda shape, dtype: np.ones(shape).astype(dtype), SHAPES, st.sampled_from(["float32", "int8", "uint16", "bool"])
)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), TENSORS, ARRAYS)
KEYS = st.one_of(st.integers(), st.text(max_size=5), st.booleans())
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple), st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


def same(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor):
        return (
            left.dtype == right.dtype
            and left.shape == right.shape
            and torch.equal(left.nan_to_num(), right.nan_to_num())
        )
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    if isinstance(left, list | tuple):
        return type(left) is type(right) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and (left == right or left != left)


@given(VALUES)
@settings(deadline=None)
def test_a_copy_is_equal(value: Any) -> None:
    assert same(value, wire.copy(value))


@given(st.data(), st.sampled_from([torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64]))
@settings(deadline=None)
def test_a_view_is_copied_whatever_its_strides(data: st.DataObject, dtype: torch.dtype) -> None:
    """One number out of many is a view whose stride is not 1."""
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    base = torch.arange(4.0 ** len(sizes)).reshape([4] * len(sizes)).to(dtype)
    steps = [slice(data.draw(st.integers(0, 1)), None, data.draw(st.integers(1, 3))) for _ in sizes]
    view = base[tuple(steps)][tuple(slice(0, size) for size in sizes)]
    if data.draw(st.booleans()):
        view = view[..., :1].expand(*view.shape[:-1], 1)
    view = view.permute(*reversed(range(view.dim())))
    assert same(view.clone(), wire.copy(view))


@pytest.mark.parametrize(
    "view", [torch.randn(1, 2)[:, 0], torch.randn(3, 2)[1:2, 0], torch.randn(5).expand(1, 5)[:, 2], torch.randn(2, 1).T]
)
def test_a_view_of_one_number_arrives(view: torch.Tensor) -> None:
    assert same(view.clone(), wire.copy(view))


@pytest.mark.parametrize("value", [ValueError("no"), ValueError, KeyboardInterrupt()])
def test_an_error_that_was_returned_should_have_been_raised(value: Any) -> None:
    name = value.__name__ if isinstance(value, type) else type(value).__name__
    with pytest.raises(wire.WireError, match=rf"write `raise {name}\(...\)`, not `return`"):
        wire.copy([value])


def test_a_copy_is_a_copy() -> None:
    original = torch.zeros(3)
    wire.copy([original])[0].add_(1)
    assert original.sum() == 0


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (torch.nn.Parameter(torch.ones(2)), torch.ones(2)),
        (torch.ones(2, 3).T, torch.ones(3, 2)),
        (np.float64(2.5), 2.5),
        (np.int8(3), 3),
        (torch.Size([1, 2]), (1, 2)),
        (2**200, 2**200),
        (1j, 1j),
    ],
)
def test_relatives_of_plain_data_arrive_plain(value: Any, arrives: Any) -> None:
    assert same(arrives, wire.copy(value))


def test_a_meta_tensor_keeps_its_shape_and_has_no_numbers() -> None:
    copied = wire.copy(torch.empty(5, 7, device="meta"))
    assert copied.is_meta
    assert copied.shape == (5, 7)


class Kind(torch.Tensor):
    def __eq__(self, other: object) -> Any:
        return True

    __hash__ = None  # type: ignore[assignment]


def test_a_tensor_subclass_loses_its_tricks() -> None:
    copied = wire.copy(torch.zeros(2).as_subclass(Kind))
    assert type(copied) is torch.Tensor
    assert copied.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, lambda: 1, torch.ones(2).to_sparse(), np.array(["a"]), torch.nn.Linear(1, 1), b"x"[0:1]]
)
def test_anything_else_is_refused_by_name(value: Any) -> None:
    with pytest.raises(wire.WireError, match=r"a probe takes and returns"):
        wire.encode(value)


def test_what_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(wire.WireError, match="contain itself"):
        wire.encode(loop)


def test_what_is_too_large_is_refused_before_it_is_copied() -> None:
    with pytest.raises(wire.WireError, match="larger than a message"):
        wire.encode(torch.zeros(1).expand(1 << 40))
    with pytest.raises(wire.WireError, match="into a tensor"):
        wire.encode([1.5] * (1 << 18))


def frame(packed: Any, blob: bytes = b"") -> bytes:
    header = msgpack.packb(packed)
    return struct.pack("<II", len(header), len(blob)) + header + blob


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        struct.pack("<II", 2**32 - 1, 2**32 - 1),
        frame({"tensor": ["float32", [1 << 39, 1 << 39], 4]}, b"1234"),
        frame({"tensor": ["float32", [-1], 4]}, b"1234"),
        frame({"tensor": ["float32", [2], 8]}, b"1234"),
        frame({"tensor": ["float32", [1], 4]}, b"12345"),
        frame({"tensor": ["float32", [True], 4]}, b"1234"),
        frame({"tensor": ["os", [1], 4]}, b"1234"),
        frame({"tensor": ["bool", [1], 1]}, b"\x07"),
        frame({"tensor": ["float32", [1] * 40, 4]}, b"1234"),
        frame({"array": ["object", [1], 8]}, b"12345678"),
        frame({"int": "f" * 5000}),
        frame({"dict": [[[1], 2]]}),
        frame({"dict": [1]}),
        frame({"unknown": 1}),
        frame({"tuple": {"a": 1}}),
        frame(msgpack.ExtType(5, b"x")),
        frame(msgpack.Timestamp(1)),
        struct.pack("<II", 2000, 0) + b"\x91" * 2000,
        struct.pack("<II", 5, 0) + b"\xdd\xff\xff\xff\xff",
    ],
)
def test_forged_frames_are_refused(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(data)


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_random_bytes_are_refused_or_plain(data: bytes) -> None:
    for candidate in (data, struct.pack("<II", len(data), 0) + data):
        try:
            value = wire.decode(candidate)
        except wire.WireError:
            continue
        assert same(value, wire.copy(value))


@given(VALUES, st.data())
@settings(deadline=None)
def test_damaged_frames_are_refused_or_plain(value: Any, data: st.DataObject) -> None:
    good = bytearray(wire.encode(value))
    place = data.draw(st.integers(0, len(good) - 1))
    good[place] = data.draw(st.integers(0, 255))
    try:
        wire.decode(bytes(good))
    except wire.WireError:
        return
