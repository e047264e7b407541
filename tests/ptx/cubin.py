"""What ptxas gave each kernel of a cubin: registers, threads, shared memory and stack."""
import struct
from dataclasses import dataclass

import fatbin

REGISTERS, STACK, MOST_THREADS, EXACT_THREADS = 0x2F, 0x12, 0x05, 0x10  # attributes of .nv.info
SIZED = 0x04  # the format of attributes that are followed by as many bytes as they say


@dataclass
class Resources:
    registers: int = 0  # of a thread
    threads: int = 0    # of a block: the kernel's launch bound, 0 where it has none
    shared: int = 0     # bytes of a block, without those that a launch adds
    stack: int = 0      # bytes of a thread: spilled registers, and arrays that did not fit in registers


def attributes(info):
    """(attribute, its 32-bit words) of a .nv.info section, of those that have any."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == SIZED:
            yield attribute, struct.unpack_from(f"<{size // 4}I", info, at)
            at += size


def resources(image):
    """{kernel: Resources} of a cubin."""
    sections = dict(fatbin.elf_sections(image))
    symbols, names = sections[".symtab"], sections[".strtab"]

    def symbol(index):
        start, = struct.unpack_from("<I", symbols, 24 * index)
        return names[start:names.index(b"\0", start)].decode()

    prefix = ".nv.constant0."  # every kernel has a bank of constants for its parameters
    found = {name[len(prefix):]: Resources() for name in sections if name.startswith(prefix)}
    for attribute, words in attributes(sections[".nv.info"]):
        if attribute in (REGISTERS, STACK):
            kernel = found.get(symbol(words[0]))
            if kernel and attribute == REGISTERS:
                kernel.registers = words[1]
            elif kernel:
                kernel.stack = words[1]
    for name, _, _, size in fatbin.elf_headers(image):
        if name.startswith(".nv.shared.") and name[len(".nv.shared."):] in found:
            found[name[len(".nv.shared."):]].shared = size
        elif name.startswith(".nv.info.") and name[len(".nv.info."):] in found:
            for attribute, words in attributes(sections[name]):
                if attribute in (MOST_THREADS, EXACT_THREADS):
                    found[name[len(".nv.info."):]].threads = words[0] * words[1] * words[2]
    return found
