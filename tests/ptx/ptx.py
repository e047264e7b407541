"""What PTX says about floating-point atomics: which functions execute one, and which kernels reach those."""
import re

FLOAT = re.compile(r"(f16|f16x2|bf16|bf16x2|tf32|f32|f64)$")
FUNCTION = re.compile(r"^\s*(?:\.(?:visible|weak|extern|common)\s+)*\.(entry|func)\b")
CONSTANT = re.compile(r"^-?(0x[0-9a-fA-F]+|\d+)U?$")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


class Function:
    def __init__(self, name, is_kernel, body):
        self.name, self.is_kernel = name, is_kernel
        self.atomics, self.calls, self.unknown_calls = [], set(), False
        statements = [s.strip() for s in re.split(r"[;{}]|^\s*[$\w]+:\s", body, flags=re.M)]
        moves = dict(m.groups() for m in (re.match(r"mov\.\w+\s+(%\w+),\s*(\S+)$", s) for s in statements) if m)
        for statement in statements:
            words = re.sub(r"^@!?%\w+\s+", "", statement).split(None, 1)
            if not words or words[0].startswith("."):
                continue
            opcode, operands = words[0], words[1] if len(words) > 1 else ""
            if is_float_atomic(opcode, operands, moves) and not knows_what_it_rounds(opcode, operands, body):
                self.atomics.append(" ".join(statement.split()))
            elif opcode.split(".")[0] == "call":
                self.add_call(operands)

    def add_call(self, operands):
        target = re.match(r"(?:\([^)]*\)\s*,\s*)?([%\w$.]+)", operands)
        if not target or target.group(1).startswith("%"):
            self.unknown_calls = True
        else:
            self.calls.add(target.group(1))


def is_float_atomic(opcode, operands, moves):
    """An atomic operation on floating-point numbers, or one that can be a part of an emulated one."""
    parts = opcode.split(".")
    if parts[0] not in ("atom", "red", "multimem") and opcode[:9] != "cp.reduce":
        return False
    if any(FLOAT.match(part) for part in parts):
        return True
    if "cas" in parts:  # a loop that adds swaps in what it has computed; a lock swaps in a constant
        if parts[-1] == "b16":
            return True
        new_value = operands.split(",")[-1].strip()
        return not CONSTANT.match(moves.get(new_value, new_value))
    return False


def knows_what_it_rounds(opcode, operands, body):
    """An addition of doubles whose old value is used: nothing need depend on its order (docs/accumulate.md)."""
    register = operands.split(",")[0].strip()
    return (re.match(r"atom(\.\w+)*\.add(\.\w+)*\.f64$", opcode) is not None and
            len(re.findall(re.escape(register) + r"\b", without_comments(body))) > 1)


def functions(text):
    """The functions that a PTX text defines."""
    lines = without_comments(text).split("\n")
    found, i = [], 0
    while i < len(lines):
        start = FUNCTION.match(lines[i])
        if not start:
            i += 1
            continue
        first, depth, begun = i, 0, False
        while i < len(lines):
            line = lines[i]
            i += 1
            depth += line.count("{") - line.count("}")
            begun = begun or "{" in line
            if (begun and depth == 0) or (not begun and ";" in line):  # its end, or a declaration
                break
        if begun:
            signature, body = "\n".join(lines[first:i]).split("{", 1)
            name = re.search(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", signature).group(1)
            found.append(Function(name, start.group(1) == "entry", body))
    return found


def check(text):
    """{kernel: [what is wrong or worth knowing]}: the atomics that a kernel executes or may reach; empty when none."""
    known = {f.name: f for f in functions(text)}
    result = {}
    for kernel in known.values():
        if not kernel.is_kernel:
            continue
        reached, open_ones = set(), [kernel.name]
        while open_ones:
            name = open_ones.pop()
            if name in known and name not in reached:
                reached.add(name)
                open_ones += known[name].calls
        result[kernel.name] = [a for name in sorted(reached) for a in known[name].atomics]
        if any(known[name].unknown_calls for name in reached):
            result[kernel.name].append("a call through a pointer, which this check cannot follow")
    return result
