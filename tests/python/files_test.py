#!/usr/bin/env python3
"""Files that Python wrote, read by Ordo, and the other way round: files_test.py LIBRARY SCRATCH"""
import ctypes
import os
import sys
import zipfile

from library import expect, finish, numpy, ordo

try:
    import safetensors
    import safetensors.numpy
except ImportError:
    print("python3 has no safetensors")
    sys.exit(77)

scratch = sys.argv[2]
os.makedirs(scratch, exist_ok=True)
for copy in (ordo.ordo_copy_safetensors, ordo.ordo_copy_npy, ordo.ordo_copy_npz):
    copy.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    copy.restype = ctypes.c_bool


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def copied(copy, suffix):
    """Whether Ordo reads THEIRS and writes OURS, and why not."""
    theirs, ours = (os.path.join(scratch, name + suffix) for name in ("theirs", "ours"))
    done = copy(theirs.encode(), ours.encode())
    expect(done, f"{suffix}: {ordo.ordo_error()}")
    return theirs, ours


generator = numpy.random.default_rng(1)
arrays = {}
for dtype in ("bool", "uint8", "int32", "int64", "float16", "float32", "float64"):
    for sizes in ((), (0,), (5,), (2, 3), (2, 0, 4), (1, 2, 3, 4)):
        name = f"{dtype} {'x'.join(map(str, sizes)) or 'scalar'} ä\"\\"
        arrays[name] = numpy.asarray(generator.standard_normal(sizes) * 100).astype(dtype)
special = numpy.array([numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, -0.0, 5e-324], "float64")
arrays["special"] = special

# Nothing, one tensor, all of them; one key of metadata, because Python's library writes several in a random order.
for chosen in ({}, {"special": special}, arrays):
    for metadata in (None, {"format": "ä"}):
        path = os.path.join(scratch, "theirs.safetensors")
        safetensors.numpy.save_file(chosen, path, metadata)
        theirs, ours = copied(ordo.ordo_copy_safetensors, ".safetensors")
        expect(bytes_of(theirs) == bytes_of(ours), f"other bytes than Python's library writes for {len(chosen)} tensors")
        with safetensors.safe_open(ours, "numpy") as file:
            expect(sorted(file.keys()) == sorted(chosen), "other names")
            expect((file.metadata() or None) == metadata, f"metadata {file.metadata()}")
            for name in chosen:
                read = file.get_tensor(name)
                expect(read.dtype == chosen[name].dtype and read.shape == chosen[name].shape
                       and read.tobytes() == chosen[name].tobytes(), f"{name}: other elements")

for name, array in arrays.items():
    numpy.save(os.path.join(scratch, "theirs.npy"), array)
    theirs, ours = copied(ordo.ordo_copy_npy, ".npy")
    expect(bytes_of(theirs) == bytes_of(ours), f"{name}: other bytes than numpy.save writes")
transposed = numpy.asfortranarray(arrays["float32 1x2x3x4 ä\"\\"])
numpy.save(os.path.join(scratch, "theirs.npy"), transposed)
_, ours = copied(ordo.ordo_copy_npy, ".npy")
expect((numpy.load(ours) == transposed).all(), "an array in Fortran's order")

# Archives: as numpy.savez writes them, and compressed ones, of which other bytes with the same arrays are made.
def same_arrays(path, chosen):
    with numpy.load(path) as file:
        expect(file.files == list(chosen), f"names {file.files}")
        for name in chosen:
            expect(file[name].dtype == chosen[name].dtype and file[name].shape == chosen[name].shape
                   and file[name].tobytes() == chosen[name].tobytes(), f"{name}: other elements")


ordo.ordo_copy_npz(b"absent.npz", b"absent.npz")
if b"libzip-dev" not in ordo.ordo_error():
    for chosen in ({}, {"special": special}, arrays,
                   {f"{i}": special[:1] for i in range(70000)}):
        path = os.path.join(scratch, "theirs.npz")
        numpy.savez(path, **chosen)
        theirs, ours = copied(ordo.ordo_copy_npz, ".npz")
        # Before 3.11.4 Python wrote other headers for members that may become large.
        if sys.version_info >= (3, 11, 4) or not chosen:
            expect(bytes_of(theirs) == bytes_of(ours), f"other bytes than numpy.savez writes for {len(chosen)} arrays")
        if len(chosen) < 1000:
            same_arrays(ours, chosen)
            numpy.savez_compressed(path, **chosen)
            copied(ordo.ordo_copy_npz, ".npz")
            same_arrays(ours, chosen)
    with zipfile.ZipFile(theirs, "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("a.npy", bytes_of(os.path.join(scratch, "theirs.npy")))
    expect(not ordo.ordo_copy_npz(theirs.encode(), ours.encode()), "bzip2")
    expect(b"member 'a.npy': expected method 0 (stored) or 8 (deflate), found 12" in ordo.ordo_error(), ordo.ordo_error())

# What is refused leaves no file.
ours = os.path.join(scratch, "ours.npy")
os.remove(ours)
numpy.save(os.path.join(scratch, "theirs.npy"), numpy.zeros(2, "complex64"))
expect(not ordo.ordo_copy_npy(os.path.join(scratch, "theirs.npy").encode(), ours.encode()), "complex numbers")
expect(b"dtype" in ordo.ordo_error() and not os.path.exists(ours), ordo.ordo_error())

finish(f"safetensors {safetensors.__version__}")
