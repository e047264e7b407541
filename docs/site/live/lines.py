"""Lines of a program for the emulator's checker in a web page, where code has no addresses: before each call that reports an access, the
number of the line that it comes from is stored in `ordo_line` (volatile: to an optimiser memset reads no other variable). Works on LLVM's intermediate code, as text."""
import re

# Functions of the checker that want the place of their caller (ORDO_CALLER); C++ names are found in their mangled ones.
REPORTS = re.compile(r"(?:call|invoke) [^@]*@(__tsan_(?:unaligned_|volatile_|unaligned_volatile_)?(?:read|write)|_Z\w*read_change_write|_Z\w*count_float_atomic|lesson_mem)")


def with_lines(code, name):
    """`code` with such stores, for lines of the file `name`."""
    code = re.sub(r"@(memcpy|memmove|memset)\b", r"@lesson_\1", code)
    nodes = dict(re.findall(r"^(![0-9]+) = (?:distinct )?(!DI\w+\(.*\))$", code, flags=re.M))

    def field(node, key):
        found = re.search(rf"\b{key}: (![0-9]+|[0-9]+)", nodes.get(node, ""))
        return found[1] if found else None

    def file_of(node):
        while node and "!DIFile(" not in nodes.get(node, ""):
            node = field(node, "file") or field(node, "scope")
        found = re.search(r'filename: "([^"]*)"', nodes.get(node or "", ""))
        return found[1] if found else ""

    known = {}

    def line_of(location):
        """The innermost of the places that were inlined into each other that is in the file."""
        if location not in known:
            at = location
            while at and not file_of(field(at, "scope")).endswith(name):
                at = field(at, "inlinedAt")
            known[location] = field(at, "line") if at else None
        return known[location]

    text = []
    for line in code.splitlines():
        if REPORTS.search(line):
            location = re.search(r"!dbg (![0-9]+)", line)
            number = line_of(location[1]) if location else None
            text.append(f"  store volatile i32 {number or 0}, i32* @ordo_line")
        text.append(line)
    return "\n".join(text) + ("\n" if "@ordo_line =" in code else "\n@ordo_line = external global i32\n")
