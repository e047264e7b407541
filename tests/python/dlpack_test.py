#!/usr/bin/env python3
"""Memory shared with NumPy, and with PyTorch where it is installed: dlpack_test.py LIBRARY"""
import ctypes
import gc
import weakref

from library import expect, finish, numpy, ordo

try:
    import torch
except ImportError:
    torch = None

ordo.ordo_give.restype = ctypes.c_void_p
ordo.ordo_give.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64]
ordo.ordo_take.argtypes = [ctypes.c_void_p]
ordo.ordo_take.restype = ctypes.c_bool
ordo.ordo_fill.argtypes = [ctypes.c_double]
ordo.ordo_sum.restype = ctypes.c_double
ordo.ordo_address.restype = ctypes.c_uint64
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = ctypes.c_char_p(b"used_dltensor")  # must outlive the capsules


class Given:
    """A tensor of Ordo's, as the protocol has it."""

    def __init__(self, dtype, rows, columns):
        self.pointer = ordo.ordo_give(dtype.encode(), rows, columns)
        assert self.pointer, ordo.ordo_error()

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.pointer, b"dltensor", None)


def take(array):
    """Hands an array to Ordo; it is Ordo's afterwards."""
    capsule = array.__dlpack__()
    taken = ordo.ordo_take(python.PyCapsule_GetPointer(capsule, b"dltensor"))
    if taken:
        python.PyCapsule_SetName(capsule, USED)
    return taken


# Ordo's memory, seen by NumPy and by PyTorch.
for dtype in ("uint8", "int32", "int64", "float16", "float32", "float64"):
    array = numpy.from_dlpack(Given(dtype, 3, 4))
    expect(array.shape == (4, 3) and array.dtype == numpy.dtype(dtype), f"{dtype}: {array.shape} of {array.dtype}")
    expect((array == numpy.arange(12).reshape(3, 4).T).all(), f"{dtype}: other values")
    expect(array.ctypes.data == ordo.ordo_address(), f"{dtype}: NumPy has a copy")
    ordo.ordo_fill(7)
    expect((array == 7).all(), f"{dtype}: NumPy does not see a change")
    ordo.ordo_drop()
    expect((array == 7).all(), f"{dtype}: the memory is gone while NumPy has it")
    del array
    if torch:
        tensor = torch.from_dlpack(Given(dtype, 3, 4))
        expect(tensor.shape == (4, 3) and str(tensor.dtype) == "torch." + dtype, f"{dtype}: {tensor.dtype}")
        tensor.fill_(2)
        expect(ordo.ordo_sum() == 24, f"{dtype}: Ordo does not see PyTorch's change")
        expect(tensor.data_ptr() == ordo.ordo_address(), f"{dtype}: PyTorch has a copy")

# Theirs, seen by Ordo.
for dtype in ("uint8", "int32", "int64", "float16", "float32", "float64"):
    array = numpy.arange(24).reshape(2, 3, 4).astype(dtype)[:, :, ::2]
    expect(take(array), f"{dtype}: {ordo.ordo_error()}")
    expect(ordo.ordo_address() == array.ctypes.data, f"{dtype}: Ordo has a copy")
    expect(ordo.ordo_sum() == array.sum(dtype="float64"), f"{dtype}: another sum")
    array[...] = 3
    expect(ordo.ordo_sum() == 36, f"{dtype}: Ordo does not see a change")


class Array(numpy.ndarray):
    """Can be referred to weakly."""


array = numpy.zeros(5, "float32").view(Array)
alive = weakref.ref(array)
expect(take(array), "an array of a subclass")
del array
gc.collect()
expect(alive() is not None and ordo.ordo_sum() == 0, "NumPy's memory is gone while Ordo has it")
ordo.ordo_drop()
gc.collect()
expect(alive() is None, "NumPy's memory stays after Ordo has let go")

backwards = numpy.arange(4)[::-1]
expect(not take(backwards) and b"negative" in ordo.ordo_error(), f"strides that are negative: {ordo.ordo_error()}")
expect(not take(numpy.zeros(2, "complex64")) and b"element type" in ordo.ordo_error(), "complex numbers")
if torch:
    tensor = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    expect(take(tensor) and ordo.ordo_sum() == 15 and ordo.ordo_address() == tensor.data_ptr(), "PyTorch's bfloat16")

finish("PyTorch " + torch.__version__ if torch else "")
