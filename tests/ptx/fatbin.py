"""Device code inside a library: the PTX texts and the names of the kernels that were compiled to machine code."""
import ctypes
import struct
import sys

FATBIN_MAGIC = 0xBA55ED50
PTX, CUBIN = 1, 2
ZSTD, OTHER_COMPRESSION = 0x8000, 0x1000 | 0x2000 | 0x4000


class Unreadable(Exception):
    pass


def elf_headers(image):
    """(name, kind, offset, size) of every section of a 64-bit little-endian ELF file."""
    if image[:6] != b"\x7fELF\x02\x01":
        raise Unreadable("not a 64-bit ELF file")
    table, = struct.unpack_from("<Q", image, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", image, 0x3A)
    headers = []
    for i in range(count):
        name, kind, _, _, offset, size = struct.unpack_from("<IIQQQQ", image, table + i * entry_size)
        headers.append((name, kind, offset, size))
    names = headers[names_index][2]
    for name, kind, offset, size in headers:
        end = image.index(b"\0", names + name)
        yield image[names + name:end].decode(), kind, offset, size


def elf_sections(image):
    """(name, content) of every section."""
    for name, kind, offset, size in elf_headers(image):
        yield name, b"" if kind == 8 else image[offset:offset + size]  # 8: takes no place in the file


def decompressed(content, size):
    """What nvcc 12.8 and later compress unless told otherwise. Python learns zstd in 3.14; the library is Debian's own."""
    try:
        zstd = ctypes.CDLL("libzstd.so.1")
    except OSError as error:
        raise Unreadable(f"compressed, and there is no libzstd to read it with ({error})") from error
    zstd.ZSTD_findFrameCompressedSize.restype = zstd.ZSTD_decompress.restype = ctypes.c_size_t
    stored = zstd.ZSTD_findFrameCompressedSize(content, ctypes.c_size_t(len(content)))  # padding follows
    text = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(text, ctypes.c_size_t(size), content, ctypes.c_size_t(stored)) != size:
        raise Unreadable("compressed PTX does not decompress")
    return text.raw


def entries(section):
    """(kind, architecture, content) of every piece of device code in .nv_fatbin."""
    at = 0
    while at + 16 <= len(section):
        magic, _, header, size = struct.unpack_from("<IHHQ", section, at)
        if magic != FATBIN_MAGIC:  # padding between two files' code
            at += 8
            continue
        inside, end = at + header, at + header + size
        while inside + 64 <= end:
            kind, _, entry_header, stored = struct.unpack_from("<HHIQ", section, inside)
            architecture, = struct.unpack_from("<I", section, inside + 28)
            flags, _, size = struct.unpack_from("<QQQ", section, inside + 40)
            content = section[inside + entry_header:inside + entry_header + stored]
            if flags & OTHER_COMPRESSION:
                raise Unreadable("device code is compressed in an unknown way; compile it with nvcc --no-compress")
            yield kind, architecture, decompressed(content, size) if flags & ZSTD else content
            inside += entry_header + stored
        at = end


def pieces(path):
    """(kind, architecture, content) of every piece of device code in a library."""
    with open(path, "rb") as file:
        image = file.read()
    for name, section in elf_sections(image):
        if name == ".nv_fatbin":
            yield from entries(section)


def read(path):
    """({architecture: [PTX text]}, {architecture: {kernel}}) of a library."""
    texts, kernels = {}, {}
    for kind, architecture, content in pieces(path):
        if kind == PTX:
            text = content.split(b"\0")[0].decode()
            if ".target" not in text:
                raise Unreadable("a piece of PTX is no text")
            texts.setdefault(architecture, []).append(text)
        elif kind == CUBIN:
            # Every kernel has a bank of constants for its parameters.
            prefix = ".nv.constant0."
            kernels.setdefault(architecture, set()).update(
                section_name[len(prefix):] for section_name, _ in elf_sections(content)
                if section_name.startswith(prefix))
        else:
            raise Unreadable(f"device code of unknown kind {kind}")
    return texts, kernels


def run_check(usage, check_library, self_test):
    """The command of a check: `LIBRARY`, or `--self-test [NVCC]`. Returns its exit status."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--self-test"] and len(arguments) <= 2:
        return self_test(arguments[1] if len(arguments) == 2 else None)
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(usage, file=sys.stderr)
        return 2
    try:
        return check_library(arguments[0])
    except Unreadable as error:
        print(f"{arguments[0]}: {error}")
        return 1
