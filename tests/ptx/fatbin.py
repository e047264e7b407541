"""Device code inside a library: the PTX texts and the names of the kernels that were compiled to machine code."""
import struct

FATBIN_MAGIC = 0xBA55ED50
PTX, CUBIN = 1, 2
COMPRESSED = 0x1000 | 0x2000 | 0x4000 | 0x8000  # any of the ways in which nvcc compresses


class Unreadable(Exception):
    pass


def elf_sections(image):
    """(name, content) of every section of a 64-bit little-endian ELF file."""
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
        content = b"" if kind == 8 else image[offset:offset + size]  # 8: takes no place in the file
        yield image[names + name:end].decode(), content


def entries(section):
    """(kind, architecture, flags, content) of every piece of device code in .nv_fatbin."""
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
            flags, = struct.unpack_from("<Q", section, inside + 40)
            yield kind, architecture, flags, section[inside + entry_header:inside + entry_header + stored]
            inside += entry_header + stored
        at = end


def read(path):
    """({architecture: [PTX text]}, {architecture: {kernel}}) of a library."""
    with open(path, "rb") as file:
        image = file.read()
    texts, kernels = {}, {}
    for name, section in elf_sections(image):
        if name != ".nv_fatbin":
            continue
        for kind, architecture, flags, content in entries(section):
            if flags & COMPRESSED:
                raise Unreadable("device code is compressed; compile it with nvcc --no-compress")
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
