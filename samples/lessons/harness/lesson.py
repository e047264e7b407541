"""./run lesson: lists the lessons, checks yours, gives hints. See samples/lessons/README.md."""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build  # noqa: E402

LESSONS = build.HARNESS.parent
LOOKED = 11  # status of a program that ran one schedule without an error (main.cpp)
# What sets a seed; where.cpp has the functions that the program calls in their place.
SEEDS = ("_ZN4ordo9GeneratorC1Emm", "_ZN4ordo9Generator11manual_seedEm", "_ZN4ordo11manual_seedEm")


class Lesson:
    def __init__(self, folder):
        self.folder = folder
        self.number = int(folder.name.split("-")[0])
        self.text = (folder / "README.md").read_text()
        self.title = self.text.splitlines()[0].lstrip("# ")
        # "> **Question?** Planned for N minutes. Goal."
        head = re.search(r"^> \*\*(.+?)\*\* Planned for (\d+) minutes\. (.+)$", self.text, flags=re.M)
        self.question, self.minutes, self.goal = head[1], int(head[2]), head[3]
        says = re.search(r"`\./run lesson \d+` says `([A-Z ]+)`|or the unsolved file it says `([A-Z ]+)`", self.text)
        self.says = says[1] or says[2]  # of the unsolved file
        # Programs that use the whole library are .cpp; kernels, which need the emulator only, are .cu.
        self.needs_library = (folder / "unsolved.cpp").exists()
        suffix = ".cpp" if self.needs_library else ".cu"
        self.unsolved, self.yours, self.solution = (folder / f"{name}{suffix}" for name in ("unsolved", "yours", "solution"))

    def begin(self):
        """Makes yours, a copy of the unsolved file, where it is not there."""
        if not self.yours.exists():
            self.yours.write_bytes(self.unsolved.read_bytes())

    def must_not(self, source):
        """The verdict for a text that has a word which must_not_have.txt lists, with a reason; else None."""
        list_of_words = self.folder / "must_not_have.txt"
        for line in list_of_words.read_text().splitlines() if list_of_words.exists() else []:
            word, why = line.split(maxsplit=1)
            for number, text in enumerate(without_comments(source.read_text(errors="replace")).splitlines(), 1):
                if re.search(rf"\b{word}\b", text):
                    return 1, quoted(f"NOT ALLOWED: {source.name}:{number} uses {word}. {why}", source)

    def lacks(self, calls, source, program):
        """The verdict for a program without what must_have.txt asks for: a line of an event, how often it must happen at least, and why.
        It names the lines that would call it and were not reached, else the one that did so last."""
        for line in (self.folder / "must_have.txt").read_text().splitlines():
            event, least, why = line.split(maxsplit=2)
            places = [lines_of(program, addresses, source.name) for what, addresses in calls if what.split()[0] == event]
            if len(places) < int(least):
                reached = [line[0] for line in places if line]
                never = [f"{source.name}:{number}" for number, text in enumerate(source.read_text(errors="replace").splitlines(), 1)
                         if re.search(rf"\b{event}\(", text.partition("//")[0]) and f"{source.name}:{number}" not in reached]
                where = f"; never at {' and '.join(never)}" if never else f"; the last time at {reached[-1]}" if reached else ""
                return 1, quoted(f"LEFT OUT: {source.name} calls {event} {len(places)} times, and not {least}{where}. {why}", source)

    def hints(self):
        """The rungs of the ladder: the paragraphs of hints.md, which are apart by lines of ---."""
        return [rung.strip() for rung in re.split(r"^---$", (self.folder / "hints.md").read_text(), flags=re.M)]


def lessons():
    return [Lesson(folder) for folder in sorted(LESSONS.glob("[0-9][0-9]-*"))]


class Record:
    """What is done, and how many hints were given: build/lessons/record.json. A lesson is done as long as yours has the text
    whose check passed."""

    def __init__(self, folder):
        self.path = Path(folder) / "record.json"
        try:
            self.entries = json.loads(self.path.read_text())
        except (OSError, ValueError):
            self.entries = {}

    def entry(self, lesson):
        return self.entries.setdefault(lesson.folder.name, {"done": "", "hints": 0})

    def is_done(self, lesson):
        return lesson.yours.exists() and self.entry(lesson)["done"] == build.digest(lesson.yours.read_bytes())

    def save(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.entries, indent=1) + "\n")


def without_comments(text):
    """C++ without comments and strings, line for line."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda found: "\n" * found[0].count("\n"), text, flags=re.S)


def lines_of(program, addresses, name):
    """Where calls of a program came from: its lines of file `name`, innermost first."""
    if not addresses:
        return []
    answer = subprocess.run(["addr2line", "-i", "-e", program, *addresses], capture_output=True, text=True).stdout
    return [f"{name}:{line}" for line in re.findall(rf"/{re.escape(name)}:(\d+)", answer)]


def run_watched(program, calls, trace):
    """Runs a program with a trace and where.cpp: (exit status, output, its lines [(what, addresses)])."""
    for file in (calls, trace):
        file.unlink(missing_ok=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, "ORDO_TRACE": str(trace), "LESSON_CALLS": str(calls)})
    for seconds in (12, 3):
        try:
            output, _ = process.communicate(timeout=seconds)
            break
        except subprocess.TimeoutExpired:  # it waits, and uses no processor time
            process.send_signal(signal.SIGPROF)
    else:
        process.kill()
        output, _ = process.communicate()
    lines = calls.read_text().splitlines() if calls.exists() else []
    return process.returncode, output, [(what, addresses.split()) for what, _, addresses in (line.partition("|") for line in lines)]


def verdict_of_runs(lesson, source, folder, library):
    """Runs a program twice, with a trace each, and compares these."""
    folder = Path(folder) / "runs" / source.stem
    folder.mkdir(parents=True, exist_ok=True)
    program, name = folder / "program", source.name
    compiler = [os.environ.get("CXX") or "g++", "-std=c++20", "-g1", f"-I{library}/include"]
    objects = [folder / "program.o", folder / "where.o"]
    try:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda code, made: build.run([*compiler, "-c", str(code), "-o", str(made)]), (source, build.HARNESS / "where.cpp"), objects))
        build.run([compiler[0], *map(str, objects), "-o", str(program), f"-L{library}", "-lordo", f"-Wl,-rpath,{library}",
                   *(f"-Wl,--wrap={function}" for function in SEEDS)])
    except build.DoesNotCompile as error:
        return 1, quoted(compiler_verdict(str(error), lesson, source), source)
    traces, runs = [folder / "1.trace", folder / "2.trace"], []
    for trace in traces:
        second = int(time.time())
        while trace == traces[1] and int(time.time()) == second:  # a seed from time() is another one in the second run
            time.sleep(0.02)
        status, output, lines = run_watched(program, folder / "calls", trace)
        ends = [(int(what[1:]), lines_of(program, addresses, name)) for what, addresses in lines if what.startswith("!")]
        at = next((f" at {line[0]}" for _, line in ends if line), "")
        if any(number == signal.SIGPROF for number, _ in ends) or status == -signal.SIGKILL:
            return 1, quoted(f"ENDLESS LOOP: {name} does not come to its end; it still runs{at}", source)
        if status != 0 or not trace.exists() or (ends and ends[0][0] == 0 and at):
            how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
            return 1, quoted(f"CRASH: {name} {how}{at}\n{output}".rstrip(), source)
        runs.append([line for line in lines if not line[0].startswith("!")])
    answer = subprocess.run([f"{library}/bin/ordo", "diff", *map(str, traces)], capture_output=True, text=True)
    text = (answer.stdout + answer.stderr).strip()
    if answer.returncode == 0:
        return lesson.lacks(runs[0], source, program) or (0, f"ordo diff: {text}\nDONE")
    shorter, longer = sorted(runs, key=len)
    what, addresses = next((b for a, b in zip(shorter, longer) if a[0] != b[0]), (longer[len(shorter):] or [("", [])])[0])
    where = lines_of(program, addresses, name)
    what = "the seed" if what.startswith("seed ") else "the random numbers" if what.startswith("random numbers") else f"the result of {what.split()[0]}" if what else ""
    part = f"part at {where[0]}, where {what} differed" if where else "differ"
    return 1, quoted(f"FORK: two runs of {name} {part}. ordo diff says:\n{text}", source)


def verdict(lesson, source, folder, gpu=False, library=None, seed=None, recording=None):
    """Compiles and checks: (exit status, what to print). The last lines are the verdict."""
    name = source.name
    if lesson.needs_library:
        return verdict_of_runs(lesson, source, folder, library)
    if refused := lesson.must_not(source):
        return refused
    try:
        program = build.Builder(folder, gpu).program(lesson.folder, source)
    except build.DoesNotCompile as error:
        return 1, quoted(compiler_verdict(str(error), lesson, source, gpu), source)
    try:
        result = subprocess.run([program, name], capture_output=True, text=True, timeout=40, errors="replace",
                                env={**os.environ, **({"LESSON_SEED": str(seed)} if seed else {}),
                                     **({"ORDO_EMULATOR_RECORD": str(recording)} if recording else {})})
    except subprocess.TimeoutExpired:
        return 1, f"ENDLESS LOOP: {name} still runs after 40 seconds"
    return result.returncode, quoted("\n".join(filter(None, (result.stdout.strip(), result.stderr[:2000].strip()))), source)


def quoted(text, source):
    """`text`, and the lines of the learner's file that it names."""
    lines = source.read_text(errors="replace").splitlines()
    numbers = sorted({int(number) for number in re.findall(rf"\b{re.escape(source.name)}:(\d+)", text)})
    return "\n".join([text, *(f"  {number:4} | {lines[number - 1]}" for number in numbers if number <= len(lines))])


def compiler_verdict(message, lesson, source, gpu=False):
    """The first error, with the line of the learner's file from which the compiler came to it."""
    lines = message.splitlines()
    for number, line in enumerate(without_comments(source.read_text(errors="replace")).splitlines(), 1):
        if "<<<" in line and not gpu:
            return (f"DOES NOT COMPILE: {source.name}:{number} launches a kernel by <<<blocks, threads>>>, which needs nvcc.\n"
                    "  Write launch(kernel, blocks, threads, arguments...); it is the same.")
    own = [line for line in lines if re.search(rf"{re.escape(source.name)}:\d+", line) and "warning:" not in line and not re.match(r"(In file included)? *from ", line)]
    errors = [line for line in lines if "error:" in line or "undefined reference" in line] or lines[:1]
    first = next((line for line in errors if source.name + ":" in line), errors[0])
    text = [f"DOES NOT COMPILE: {first.replace(str(source), source.name)}"]
    if own and first not in own:
        text.append("  reached from " + own[0].replace(str(source), source.name).strip())
    if "undefined reference" in first:
        text.append(f"  The check calls this function: {source.name} must have it, with these arguments.")
        function = re.search(r"undefined reference to `(?:[\w:]*::)?(\w+)\(", first)
        exercise = lesson.folder / "exercise.h"
        for number, line in enumerate(exercise.read_text().splitlines() if function and exercise.exists() else [], 1):
            if re.search(rf"\b{function[1]}\(", line) and not line.startswith("//"):
                text.append(f"  exercise.h:{number} | {line}")
    return "\n".join(text)


def list_lessons(record):
    for lesson in lessons():
        print(f"  {lesson.number:2}  {'done' if record.is_done(lesson) else '    '}  {lesson.title:60} "
              f"{lesson.folder.relative_to(build.ROOT)}")
    print(f"\n{progress(record)}\nRead a lesson's README.md, then:\n"
          "  ./run lesson N             make yours.cu, a copy of unsolved.cu, build it and check it on the emulator\n"
          "  ./run lesson N --watch     check it again whenever you save it\n"
          "  ./run lesson N --seed S    run one schedule only; kernels may print (--play PAGE: a page that plays it)\n"
          "  ./run lesson N --hint      the next hint\n"
          "  ./run lesson N --solution  check the solution instead\n"
          "  ./run lesson N --reset     make yours.cu a copy of unsolved.cu again\n"
          "  ./run lesson --all         check all, and say what is done (--json FILE: with times and goals, for a teacher)\n"
          "  ./run lesson N --gpu       check on a GPU, compiled by nvcc (no run of this is recorded yet)")


def give_hint(lesson, record):
    rungs = lesson.hints()
    entry = record.entry(lesson)
    rung = min(entry["hints"], len(rungs) - 1)
    print(f"Hint {rung + 1} of {len(rungs)}:\n\n{rungs[rung]}\n")
    if rung + 1 == len(rungs):
        print("This is the last hint." + (f" The next step is {lesson.solution.name}." if lesson.solution.exists() else ""))
    entry["hints"] = (rung + 1) % len(rungs)
    record.save()


def progress(record):
    """How many are done, and which is next."""
    every = lessons()
    left = [lesson for lesson in every if not record.is_done(lesson)]
    return f"{len(every) - len(left)} of {len(every)} lessons are done." + (f" Next: ./run lesson {left[0].number}, {left[0].title}." if left else "")


def reset(lesson, record, yes):
    name, text = lesson.yours.relative_to(build.ROOT), lesson.unsolved.read_bytes()
    if lesson.yours.exists() and lesson.yours.read_bytes() != text and not yes and input(f"Replace {name} by {lesson.unsolved.name}? [y/N] ").strip().lower() not in ("y", "yes"):
        sys.exit("run: nothing was changed")
    lesson.yours.write_bytes(text)
    record.entry(lesson)["hints"] = 0
    record.save()
    print(f"{name} is a copy of {lesson.unsolved.name} again.")


def check(lesson, record, arguments):
    if not arguments.solution:
        lesson.begin()
    elif not lesson.solution.exists():
        print(f"This copy of the lessons has no {lesson.solution.relative_to(build.ROOT)}.", file=sys.stderr)
        return 2
    source = lesson.solution if arguments.solution else lesson.yours
    print(f"Lesson {lesson.number}: {lesson.title}", flush=True)
    started = time.monotonic()
    if not lesson.needs_library:
        build.Builder(arguments.build, arguments.gpu).library()
    if time.monotonic() - started > 1:
        print(f"(built the {'harness' if arguments.gpu else 'emulator'}, once, in {time.monotonic() - started:.0f} s)")
    started = time.monotonic()
    recording = Path(arguments.build) / "recording.jsonl" if arguments.play else None
    if recording:
        recording.unlink(missing_ok=True)
    checked = build.digest(source.read_bytes())  # the file may be saved again before the verdict is there
    status, text = verdict(lesson, source, arguments.build, arguments.gpu, arguments.library, arguments.seed, recording)
    print(f"\n{text}\n\n{source.relative_to(build.ROOT)}, {time.monotonic() - started:.1f} s")
    if recording and recording.exists():
        if subprocess.run([sys.executable, "-B", str(build.ROOT / "tools/scripts/show.py"), "playback", str(recording), arguments.play]).returncode == 0:
            print(f"wrote {arguments.play}, which plays the schedule of seed {arguments.seed}")
    readme = (lesson.folder / "README.md").relative_to(build.ROOT)
    if status == 0 and not arguments.solution and not arguments.gpu:
        record.entry(lesson)["done"] = checked
        record.save()
        print(f"{progress(record)}\nOne more task on this subject: {readme}, \"More\".")
    elif status != 0 and not arguments.seed:
        print(f"The lesson: {readme}   A hint: ./run lesson {lesson.number} --hint")
    return 0 if status == 0 or (arguments.seed and status == LOOKED) else 1


def watch(lesson, record, arguments):
    """Checks whenever the file is saved, until the user ends it."""
    lesson.begin()
    before, status = None, 1
    try:
        while True:
            now = lesson.yours.stat().st_mtime_ns if lesson.yours.exists() else before
            if now != before:
                before = now
                status = check(lesson, record, arguments)
                print(f"\n(waits for changes of {lesson.yours.name}; Ctrl-C ends it)", flush=True)
            time.sleep(0.2)
    except KeyboardInterrupt:
        return status


def check_all(record, arguments):
    """Checks every lesson's file, or solution; prints a line each, and writes all of it as JSON."""
    table = []
    build.Builder(arguments.build, arguments.gpu).library()
    for lesson in lessons():
        source = lesson.solution if arguments.solution else lesson.yours
        started = time.monotonic()
        if not source.exists():
            status, words = 1, "not begun"
        else:
            status, text = verdict(lesson, source, arguments.build, arguments.gpu, arguments.library)
            if status == 0 and not arguments.solution and not arguments.gpu:
                record.entry(lesson)["done"] = build.digest(source.read_bytes())
            words = "DONE" if status == 0 else next((line for line in text.splitlines() if re.match(r"[A-Z][A-Z ]+: ", line)), text)
        table.append({"lesson": lesson.number, "title": lesson.title, "question": lesson.question, "goal": lesson.goal, "planned_minutes": lesson.minutes,
                      "file": str(source.relative_to(build.ROOT)), "done": status == 0, "verdict": words, "seconds": round(time.monotonic() - started, 1)})
        print(f"  {lesson.number:2}  {lesson.title:60} {words.partition(':')[0]}", flush=True)
    record.save()
    print(f"{sum(row['done'] for row in table)} of {len(table)} done")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(table, indent=1) + "\n")
        print(f"wrote {arguments.json}")
    return 0 if all(row["done"] for row in table) else 1


def main():
    parser = argparse.ArgumentParser(prog="./run lesson", description="Lessons in samples/lessons. Without a number: list them.")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--library", help=argparse.SUPPRESS)  # a folder in which Ordo was built
    parser.add_argument("number", nargs="?", type=int, metavar="N")
    parser.add_argument("--hint", action="store_true", help="the next hint")
    parser.add_argument("--seed", type=int, metavar="S", help="run the schedule of one seed only, and print what kernels print and what it gave")
    parser.add_argument("--play", metavar="PAGE", help="with --seed: write a page that plays what the threads did")
    parser.add_argument("--watch", action="store_true", help="check again whenever the file is saved")
    parser.add_argument("--solution", action="store_true", help="check the solution in place of yours")
    parser.add_argument("--reset", action="store_true", help="make yours.cu a copy of unsolved.cu again")
    parser.add_argument("--yes", action="store_true", help="with --reset: do not ask")
    parser.add_argument("--all", action="store_true", help="check every lesson")
    parser.add_argument("--json", metavar="FILE", help="with --all: write verdicts, times and learning goals")
    parser.add_argument("--gpu", action="store_true", help="compile with nvcc and run on a GPU: results, and bits of 20 runs (no run of this is recorded yet)")
    arguments = parser.parse_args()
    if arguments.seed is not None and arguments.seed < 1:
        parser.error("--seed is 1 or more")
    if arguments.play and not arguments.seed:
        parser.error("--play needs --seed: it plays one schedule")
    record = Record(arguments.build)
    if arguments.all:
        return check_all(record, arguments)
    if arguments.number is None:
        list_lessons(record)
        return 0
    chosen = [lesson for lesson in lessons() if lesson.number == arguments.number]
    if not chosen:
        parser.error(f"there is no lesson {arguments.number}; ./run lesson lists them")
    if arguments.seed and chosen[0].needs_library:
        parser.error(f"lesson {arguments.number} has no schedules: its program runs twice")
    if arguments.hint:
        return give_hint(chosen[0], record)
    if arguments.reset:
        return reset(chosen[0], record, arguments.yes)
    return (watch if arguments.watch else check)(chosen[0], record, arguments)


if __name__ == "__main__":
    sys.exit(main())
