"""Plain data across a wall: encodes what a probe takes and returns, and decodes it without ever running anything.

A frame is `header length, blob length, header, blob`: the header is msgpack and holds everything but the numbers of
tensors and arrays, which lie in the blob. Nothing is pickled, no class is looked up by name, every size is checked
before memory is taken for it. Both rooms of the grader use this module, and so does the student's own machine, so the
same data is refused everywhere with the same words.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import msgpack
import numpy as np
import torch

from course_utils import shown

__all__ = ["HEADER_LIMIT", "PREFIX", "TOTAL_LIMIT", "WireError", "copy", "decode", "encode", "frame_sizes"]

#: Bytes of numbers, strings and structure (not tensors) that one message may hold.
HEADER_LIMIT = 1 << 20
#: Bytes of tensors and arrays that one message may hold.
TOTAL_LIMIT = 64 << 20
DEPTH_LIMIT = 32
DIMENSION_LIMIT = 16

PREFIX = struct.Struct("<II")
PLAIN = "tensors, arrays, numbers, strings, lists, tuples, dicts and None"

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
        torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
    )
}  # fmt: skip
ARRAY_DTYPES = {name for name in DTYPES if name != "bfloat16"} | {"uint16", "uint32", "uint64"}


class WireError(TypeError):
    """A value that cannot cross: not plain data, too large, too deep, or (when decoding) not a valid message."""

    def _render_traceback_(self) -> list[str]:
        return shown.failure(str(self))


def encode(value: Any) -> bytes:
    """One frame with a copy of `value`.

    Raises:
        WireError: `value` is not plain data (the message names the type) or is larger than a message may be.
    """
    blob: list[bytes] = []
    header = msgpack.packb(_pack(value, blob, 0), use_bin_type=True)
    size = sum(map(len, blob))
    if len(header) > HEADER_LIMIT:
        raise WireError(f"{len(header):,} bytes of lists and numbers are too many; put the numbers into a tensor")
    if size > TOTAL_LIMIT:
        raise WireError(f"{size / 2**20:.0f} MiB of tensors are too many (limit {TOTAL_LIMIT >> 20} MiB)")
    return b"".join([PREFIX.pack(len(header), size), header, *blob])


def frame_sizes(prefix: bytes) -> tuple[int, int]:
    """The lengths (header, blob) that a frame announces in its first `PREFIX.size` bytes.

    Raises:
        WireError: more than a message may hold; nothing of it needs to be read.
    """
    header, blob = PREFIX.unpack(prefix)
    if header > HEADER_LIMIT or blob > TOTAL_LIMIT:
        raise WireError("the answer is larger than a message may be")
    return header, blob


def decode(frame: bytes) -> Any:
    """The value in a frame. Safe on any bytes whatever.

    Raises:
        WireError: the bytes are not a frame that `encode` could have made.
    """
    try:
        header, size = frame_sizes(frame[: PREFIX.size])
        if len(frame) != PREFIX.size + header + size:
            raise WireError("the message is cut off")
        packed = msgpack.unpackb(
            frame[PREFIX.size : PREFIX.size + header], raw=False, strict_map_key=True, ext_hook=_no_extension
        )
        return _unpack(packed, memoryview(frame)[PREFIX.size + header :], 0)
    except WireError:
        raise
    except Exception as error:  # whatever a hostile frame provokes in msgpack, numpy or torch means the same
        raise WireError(f"the message is not plain data ({type(error).__name__})") from None


def copy(value: Any) -> Any:
    """`value` as the other side would receive it: a deep copy, detached, plain."""
    return decode(encode(value))


def _no_extension(code: int, data: bytes) -> Any:
    raise WireError("the message holds an extension type")


def _pack(value: Any, blob: list[bytes], depth: int) -> Any:
    if depth > DEPTH_LIMIT:
        raise WireError(f"nested more than {DEPTH_LIMIT} deep (does it contain itself?)")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int):
        number = int(value)
        return number if -(2**63) <= number < 2**63 else {"int": hex(number)}
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, torch.Tensor):
        return {"tensor": _pack_tensor(value, blob)}
    if isinstance(value, np.ndarray):
        return {"array": _pack_array(value, blob)}
    if isinstance(value, list | tuple):
        items = [_pack(item, blob, depth + 1) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {"dict": [[_pack(k, blob, depth + 1), _pack(v, blob, depth + 1)] for k, v in value.items()]}
    kind = value if isinstance(value, type) else type(value)
    if issubclass(kind, BaseException):
        raise WireError(f"an error was returned, not raised: write `raise {kind.__name__}(...)`, not `return`")
    raise WireError(f"a probe takes and returns plain data ({PLAIN}), not {type(value).__name__}")


def _pack_tensor(value: torch.Tensor, blob: list[bytes]) -> list[Any]:
    name = str(value.dtype).removeprefix("torch.")
    if value.layout is not torch.strided or name not in DTYPES:
        raise WireError(f"a probe takes and returns dense tensors of ordinary numbers, not {name} {value.layout}")
    tensor = value.detach().as_subclass(torch.Tensor)
    if tensor.is_meta:
        return [name, list(tensor.shape), None]
    if tensor.numel() * tensor.element_size() > TOTAL_LIMIT:
        raise WireError(f"a tensor of shape {tuple(tensor.shape)} is larger than a message may be")
    # A clone: of a view of one number torch calls any stride contiguous, and then refuses to see it as bytes.
    flat = tensor.cpu().resolve_conj().resolve_neg().reshape(-1).clone(memory_format=torch.contiguous_format)
    data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
    blob.append(data)
    return [name, list(tensor.shape), len(data)]


def _pack_array(value: np.ndarray, blob: list[bytes]) -> list[Any]:
    if value.dtype.name not in ARRAY_DTYPES:
        raise WireError(f"a probe takes and returns arrays of ordinary numbers, not of {value.dtype.name}")
    if value.nbytes > TOTAL_LIMIT:
        raise WireError(f"an array of shape {value.shape} is larger than a message may be")
    data = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
    blob.append(data)
    return [value.dtype.name, list(value.shape), len(data)]


class _Blob:
    """Hands out the blob piece by piece; every byte belongs to exactly one tensor or array."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.at = data, 0

    def take(self, length: int) -> bytearray:
        if self.at + length > len(self.data):
            raise WireError("a tensor has fewer bytes than its shape needs")
        piece = bytearray(self.data[self.at : self.at + length])
        self.at += length
        return piece


def _unpack(packed: Any, data: memoryview, depth: int) -> Any:
    blob = _Blob(data)
    value = _restore(packed, blob, depth)
    if blob.at != len(data):
        raise WireError("the message holds bytes that belong to nothing")
    return value


def _restore(packed: Any, blob: _Blob, depth: int) -> Any:
    if depth > DEPTH_LIMIT:
        raise WireError("the message is nested too deep")
    if packed is None or isinstance(packed, bool | int | float | str):
        return packed
    if isinstance(packed, list):
        return [_restore(item, blob, depth + 1) for item in packed]
    if not isinstance(packed, dict) or len(packed) != 1:
        raise WireError("the message is not plain data")
    ((tag, body),) = packed.items()
    if tag == "int" and isinstance(body, str) and len(body) < 1000:
        return int(body, 16)
    if tag == "complex" and isinstance(body, list) and len(body) == 2:
        return complex(float(body[0]), float(body[1]))
    if tag == "tuple" and isinstance(body, list):
        return tuple(_restore(item, blob, depth + 1) for item in body)
    if tag == "dict" and isinstance(body, list):
        return {_restore(key, blob, depth + 1): _restore(item, blob, depth + 1) for key, item in body}
    if tag in ("tensor", "array") and isinstance(body, list) and len(body) == 3:
        name, shape, length = body
        restore = _restore_tensor if tag == "tensor" else _restore_array
        return restore(name, shape, length, blob)
    raise WireError("the message is not plain data")


def _checked_shape(shape: Any) -> list[int]:
    if not isinstance(shape, list) or len(shape) > DIMENSION_LIMIT:
        raise WireError("a tensor has an impossible shape")
    if not all(type(size) is int and 0 <= size < 2**40 for size in shape) or math.prod(shape) >= 2**40:
        raise WireError("a tensor has an impossible shape")
    return shape


def _restore_tensor(name: Any, shape: Any, length: Any, blob: _Blob) -> torch.Tensor:
    dtype, shape = DTYPES[name], _checked_shape(shape)
    if length is None:
        return torch.empty(shape, dtype=dtype, device="meta")
    if length != math.prod(shape) * dtype.itemsize:
        raise WireError("a tensor has other bytes than its shape needs")
    data = blob.take(length)
    if dtype is torch.bool and data.translate(None, b"\x00\x01"):
        raise WireError("a tensor of bool holds something else")
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if length else torch.empty(shape, dtype=dtype)


def _restore_array(name: Any, shape: Any, length: Any, blob: _Blob) -> np.ndarray:
    if name not in ARRAY_DTYPES:
        raise WireError("an array has an impossible type")
    dtype, shape = np.dtype(name).newbyteorder("<"), _checked_shape(shape)
    if length != math.prod(shape) * dtype.itemsize:
        raise WireError("an array has other bytes than its shape needs")
    return np.frombuffer(blob.take(length), dtype=dtype).reshape(shape)
