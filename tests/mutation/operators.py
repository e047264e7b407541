"""Small faults: where operators apply in the library's sources, and what they make of a line there."""
import re

FOLDERS = ["engine", "kernels", "autograd", "nn", "simulators"]
SUFFIXES = (".cpp", ".h", ".cu", ".cuh")

# Tests of a file, by the beginning of its path; where nothing fits, those that have its family's or its own name.
TESTS = {
    "cmake/": "*Registry*",
    "kernels/accumulate/exact": "*Exact*:*Fuzz.programs/sums",
    "kernels/ordering/": "*Rule1*:*OrderedSum*:*Accumulate*",
    "kernels/accumulate/": "*Rule1*:*/index_add:*/scatter_add:*/bincount:*/embedding*:*Accumulate*:*IndexPlan*",
    "kernels/reduce/": "*/sum:*/mean:*/amax:*/argmin:*/var:*/max:*/norm:*/batch_norm:*Reduc*",
    "kernels/matmul/": "*/matmul:*/bmm:*/linear:*Matmul*:Threads*",
    "kernels/copy/": "*/contiguous:*/clone:*/copy_:*/permute:*/transpose:*Copy*",
    "kernels/pooling/": "*pool*:*Pool*",
    "kernels/convolution/": "*conv*:*Conv*",
    "kernels/random/": "*/rand:*/randn:*/uniform_:*/dropout:*Random*",
    "kernels/loss/": "*loss*:*cross_entropy*:*Loss*",
    "kernels/elementwise/": "Ops/*:*Math*:*Promotion*:Derivatives*",
    "engine/memory/memory": "Memory*:*Cuda*",
    "engine/tensor/create": "UninitializedMemory*:Determinism*:Tensor*",
    "engine/run/determinism": "Determinism*:UninitializedMemory*",
    "engine/run/generator": "Generator*:Random*:DataLoader*",
    "engine/calls/index_check": "IndexCheck*:Ops/RegistryRefusals*",
    "engine/tensor/dtype": "DType*:Promotion*",
    "engine/run/parallel": "Parallel*:Threads*",
    "engine/run/files": "SpecialFiles*:TraceFile*",
    "engine/tensor/half": "Half*:BFloat16*",
    "engine/tensor/print": "Tensor*",
    "simulators/emulator/": "*Simt*:*Streams*:*Emulator*:*WrongKernels*",
    "engine/cuda/": "*Cuda*:*Simt*:*Streams*:*IndexCheck*:*Tensor*",
    "autograd/": "Tape*:*Gradient*:ViewHistory*:InPlace*:AutogradThreads*:Hooks*:Node*",
    "nn/optim/": "SGD*:Adam*:RMSprop*:Adagrad*:Optimizers*:Schedule*:Plateau*:ClipGrad*:EMA*",
    "nn/train/": "Trainer*:Metrics*:Kill*:*Resume*",
    "nn/state/": "Checkpoint*:Safetensors*:Npy*:Npz*:*TrainerResume*:*TrainerForgets*:SpecialFiles*",
    "nn/data/": "DataLoader*:Workers*:Sampl*:Transforms*:Subset*:Csv*:Text*:Image*:Cifar10*:Mnist*:Synthetic*:Normalize*",
    "nn/audit/": "*Trace*:*Recorder*:*Diff*:*Dump*:ModulePath*:Reproducible*",
    "nn/": "Layers*:Module*:Training*:Multihead*:Transformer*:Autocast*:GradScaler*:Init*:Sha256*",
}


def tests_of(path):
    parts = path.split("/")
    stem = re.sub(r"_(cpu|cuda)$", "", parts[-1].split(".")[0])
    if path.startswith("autograd/ops/"):
        return f"*/{stem}:*{camel(stem)}*:Derivatives*"
    for beginning, tests in TESTS.items():
        if path.startswith(beginning):
            return tests
    words = {stem} | ({parts[-2]} if parts[0] == "kernels" else set())
    return ":".join(f"*{word}*" for word in sorted(words | {camel(word) for word in words}))


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def either(pairs):
    """A replacement for each of two words by the other."""
    other = dict(pairs) | {b: a for a, b in pairs}
    return lambda match: other[match.group(0)]


def by_one(step):
    return lambda match: str(int(match.group(0)) + step)


STATEMENT = r"^ +(?!return\b|delete\b|throw\b|case\b|using\b|ORDO_)[\w:.>-]+(?:<[\w, ]+>)?\([^;{}]*\);$"

# Name, where it applies, and what it writes there.
OPERATORS = [
    ("< is <=", r" (?:<|<=|>|>=) ", either([(" < ", " <= "), (" > ", " >= ")])),
    ("== is !=", r" (?:==|!=) ", either([(" == ", " != ")])),
    ("+ is -", r" [+-] ", either([(" + ", " - ")])),
    ("* is +", r" \* ", lambda match: " + "),
    ("&& is ||", r" (?:&&|\|\|) ", either([(" && ", " || ")])),
    ("a number one greater", r"(?<![\w.<])\d{1,4}(?![\w.>])", by_one(1)),
    ("a number one less", r"(?<![\w.<])[1-9]\d{0,3}(?![\w.>])", by_one(-1)),
    ("a condition negated", r"\bif \((?=.*\) )(?!constexpr)", None),  # see mutated()
    ("a statement left out", STATEMENT, lambda match: ""),
    ("a barrier left out", r"__sync(?:threads|warp)\([^;]*\);|\b\w*barrier\w*\([^;]*\);", lambda match: ";"),
    ("no conversion", r"static_cast<(?:double|float|int64_t|Acc|accumulate_t<T>)>(?=\()", lambda match: ""),
    ("first is last", r"\b(?:front|back|begin|end)\(\)", either([("front()", "back()"), ("begin()", "end()")])),
    ("an index one on", r"\[0\]|\[1\]", either([("[0]", "[1]")])),
    ("min is max", r"\bstd::(?:min|max)\b", either([("std::min", "std::max")])),
    ("true is false", r"\b(?:true|false)\b", either([("true", "false")])),
    ("arguments exchanged", r"(?<=\w\()(\w+), (\w+)(?=\))", lambda match: f"{match.group(2)}, {match.group(1)}"),
    ("break is continue", r"\b(?:break|continue);", either([("break;", "continue;")])),
]

# What no operator makes: where it is, its text, what becomes of it, and why it is here.
LITERAL = [
    ("cmake/OrdoLibrary.cmake", "-fmad=false", "-fmad=true", "an option of nvcc"),
    ("cmake/OrdoLibrary.cmake", "-fmad=false", "--use_fast_math", "an option of nvcc"),
    ("kernels/matmul/gemm_ordered.cu", "{ return fmaf(a, b, c); }", "{ return a * b + c; }", "another rounding"),
]


def code_of(line):
    """The line with blanks for what is no code: comments, texts, and lines of the preprocessor or of declarations."""
    if re.match(r"\s*(#|//|template|using|static_assert|namespace|ORDO_REGISTER_OP|\.name|\.family)", line):
        return " " * len(line)
    blank = lambda match: match.group(0)[0] + " " * (len(match.group(0)) - 1)
    return re.sub(r"//.*$", blank, re.sub(r'"(?:[^"\\]|\\.)*"', blank, line))


def negated(line, start):
    """`if (x)` at `start` becomes `if (!(x))`."""
    depth = 0
    for at in range(start + 3, len(line)):
        depth += (line[at] == "(") - (line[at] == ")")
        if depth == 0:
            return f"{line[:start]}if (!{line[start + 3:at + 1]}){line[at + 1:]}"
    return line  # the condition goes on in the next line


def mutated(line, operator, match):
    name, _, write = operator
    if write is None:
        return negated(line, match.start())
    return line[:match.start()] + write(match) + line[match.end():]


def sites(source, path):
    """(operator's name, number of the line, the line, what becomes of it) wherever an operator applies in a file."""
    for number, line in enumerate((source / path).read_text().split("\n"), 1):
        code = code_of(line)
        for operator in OPERATORS:
            for match in re.finditer(operator[1], code):
                after = mutated(line, operator, match)
                if after != line:
                    yield operator[0], number, line, after
