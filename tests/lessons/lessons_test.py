"""lessons_test.py BUILD ORDO, a folder in which Ordo was built: every solution passes its check, every unsolved file fails for the reason that its lesson gives, wrong attempts get
their verdicts in time, and the commands do what they say. Compiles with $CXX. ORDO_LESSON_ATTEMPTS=few: a wrong attempt for each lesson."""
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "samples/lessons/harness"), str(Path(__file__).resolve().parent)]
import build  # noqa: E402
import lesson as lessons  # noqa: E402
from attempts import RIGHT_ATTEMPTS, WRONG_ATTEMPTS  # noqa: E402

# What the check says about each unsolved file. The lesson's README.md must name it, too.
UNSOLVED = {1: "SAME", 2: "RACE", 3: "ORDER", 4: "ORDER", 5: "ORDER", 6: "WRONG RESULT", 7: "RACE", 8: "ORDER", 9: "GROUPS", 10: "FORK",
            11: "ORDER", 12: "ORDER"}
SECONDS = 20  # of processor time, its programs' together, in which every attempt has its verdict

failures = []


def expect(true, what, text=""):
    if not true:
        failures.append(what)
        print(f"FAILED: {what}\n{text}", flush=True)


def processor_seconds():
    """What the programs that this process has started and seen end have used: a busy machine changes little about it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verdict_of(lesson, name, text, folder):
    source = folder / "sources" / lesson.folder.name / f"{name}{lesson.yours.suffix}"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    before = processor_seconds()
    status, answer = lessons.verdict(lesson, source, folder, library=sys.argv[2])
    return status, answer, processor_seconds() - before


def test_solution(lesson, folder):
    status, answer, _ = verdict_of(lesson, "solution", lesson.solution.read_text(), folder)
    expect(status == 0 and "DONE" in answer.splitlines(), f"lesson {lesson.number}: the solution passes", answer)
    expect(not re.search("^[A-Z ]+: ", answer, flags=re.M), f"lesson {lesson.number}: the solution has no other verdict", answer)


def test_unsolved(lesson, folder):
    expected = UNSOLVED.get(lesson.number, "a verdict in lessons_test.py")
    status, answer, _ = verdict_of(lesson, "yours", lesson.unsolved.read_text(), folder)
    what = f"lesson {lesson.number}: the unsolved file fails with {expected} and its line"
    expect(status == 1 and re.search(f"^{expected}: ", answer, flags=re.M) and f"{lesson.yours.name}:" in answer, what, answer)
    expect(lesson.says == expected, f"lesson {lesson.number}: the README names {expected}, and not {lesson.says}")
    expect(len(lesson.hints()) >= 3, f"lesson {lesson.number} has three hints or more")


def test_wrong(lesson, attempt, folder):
    _, name, old, new, expected, line, *says = attempt
    what = f"lesson {lesson.number}, {name}"
    solution = lesson.solution.read_text()
    if solution.count(old) != 1:
        return expect(False, f"{what}: the solution has the text once", old)
    status, answer, seconds = verdict_of(lesson, name, solution.replace(old, new), folder)
    expect(status == 1 and re.search(f"^{expected}: ", answer, flags=re.M), f"{what}: {expected}", answer)
    text = solution.replace(old, new).splitlines()
    number = next((i + 1 for i, l in enumerate(text) if line in l), 0)
    expect(not line or f"{name}{lesson.yours.suffix}:{number}" in answer, f"{what}: line {number} is named", answer)
    expect(seconds < SECONDS, f"{what}: {seconds:.1f} s of processor time")
    for part in says:
        expect(part in answer, f"{what}: the answer has '{part}'", answer)
    expect("from from" not in answer and "In file included" not in answer, f"{what}: no line of an #include is named", answer)
    return f"{seconds:5.1f} s of processor time  {what}: {expected}"


def test_right(lesson, attempt, folder):
    _, name, changes = attempt
    text, what = lesson.solution.read_text(), f"lesson {lesson.number}, {name}"
    for old, new in changes:
        expect(text.count(old) == 1, f"{what}: the solution has the text once", old)
        text = text.replace(old, new)
    status, answer, seconds = verdict_of(lesson, name, text, folder)
    expect(status == 0 and "DONE" in answer.splitlines(), f"{what}: DONE", answer)
    expect(seconds < SECONDS, f"{what}: {seconds:.1f} s of processor time")
    if name == "prints":
        expect("--seed 1 shows" in answer and "thread 5" not in answer, f"{what}: the program's prints are left out", answer)
        source = folder / "sources" / lesson.folder.name / f"{name}.cu"
        status, answer = lessons.verdict(lesson, source, folder, seed=3)
        expect(status == lessons.LOOKED and answer.count("thread 5") == 1 and "The schedule of seed 3 gave" in answer, f"{what}: one schedule shows them", answer)
    return f"{seconds:5.1f} s of processor time  {what}: DONE"


def test_gpu(lesson, folder):
    """With nvcc: the solution compiles for a GPU and, where one is, passes there."""
    status, answer = lessons.verdict(lesson, lesson.solution, folder, gpu=True)
    if shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0:
        return expect(status == 0 and "DONE" in answer.splitlines(), f"lesson {lesson.number}: the solution passes on the GPU", answer)
    expect("DOES NOT COMPILE" not in answer, f"lesson {lesson.number}: the solution compiles with nvcc", answer)


def test_commands(folder):
    """The commands, in a copy without git."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    shutil.copytree(ROOT / "samples/lessons", copy / "samples/lessons", ignore=shutil.ignore_patterns("__pycache__"))
    for room in ("engine", "kernels", "autograd", "nn", "simulators", "ordo.h", "extend.h"):
        (copy / room).symlink_to(ROOT / room)
    lesson_folder = next((copy / "samples/lessons").glob("02-*"))
    yours = lesson_folder / "yours.cu"
    for left in (copy / "samples/lessons").glob("*/yours.c*"):  # whoever does lessons may still run the tests
        left.unlink()

    def command(*arguments):
        return subprocess.run([sys.executable, "-B", str(copy / "samples/lessons/harness/lesson.py"), "--build", str(copy / "build"), *arguments],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)

    original = (lesson_folder / "unsolved.cu").read_text()
    expect("0 of 12 lessons are done. Next: ./run lesson 1," in command().stdout, "nothing is done at first")
    expect(command("2").returncode == 1 and yours.read_text() == original, "the first check makes yours.cu, and fails")
    hints = [command("2", "--hint").stdout for _ in lessons.Lesson(lesson_folder).hints()]
    expect(len(set(hints)) == len(hints) and "last hint" in hints[-1], "every call of --hint gives the next one", "\n".join(hints))
    yours.write_text((lesson_folder / "solution.cu").read_text())
    answer = command("2")
    expect(answer.returncode == 0 and "DONE" in answer.stdout, "yours with the solution's text passes", answer.stdout + answer.stderr)
    expect("1 of 12 lessons are done. Next: ./run lesson 1," in answer.stdout and '"More"' in answer.stdout, "it says what comes next", answer.stdout)
    expect(re.search("^ +2  done ", command().stdout, flags=re.M), "the list says that it is done")
    table = copy / "all.json"
    answer = command("--all", "--json", str(table))
    rows = json.loads(table.read_text())
    expect(answer.returncode == 1 and [row["lesson"] for row in rows if row["done"]] == [2] and "1 of 12 done" in answer.stdout, "--all says what is done", answer.stdout)
    expect(all(row["goal"] and row["question"].endswith("?") and row["planned_minutes"] > 0 for row in rows), "--json has goals and times")
    watching = subprocess.Popen([sys.executable, "-B", str(copy / "samples/lessons/harness/lesson.py"), "--build", str(copy / "build"), "2", "--watch"],
                                stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    for text, verdict in ((yours.read_text(), "DONE"), (original, "RACE")):
        yours.write_text(text)
        said = ""
        while "waits for changes" not in said:
            line = watching.stdout.readline()
            if not line:
                break
            said += line
        expect(verdict in said, f"--watch says {verdict} after the file was saved", said)
    watching.send_signal(signal.SIGINT)
    watching.wait()
    yours.write_text((lesson_folder / "solution.cu").read_text())
    yours.write_text(yours.read_text() + "// changed\n")
    expect(not re.search("^ +2  done ", command().stdout, flags=re.M), "a changed file is not done")
    expect(command("2", "--reset").returncode != 0 and yours.read_text() != original, "--reset asks first")
    expect(command("2", "--reset", "--yes").returncode == 0 and yours.read_text() == original, "--reset brings the first text back")
    expect(command("2", "--solution").returncode == 0 and yours.read_text() == original, "--solution leaves yours alone")
    for solution in (copy / "samples/lessons").glob("*/solution.*"):
        solution.unlink()
    answer = command("2", "--solution")
    expect(answer.returncode == 2 and "has no samples/lessons/02" in answer.stderr, "a class's copy has no solutions, and says so", answer.stdout + answer.stderr)
    answer = command("2")
    expect(answer.returncode == 1 and "RACE" in answer.stdout, "a class's copy needs no solutions", answer.stdout + answer.stderr)
    expect(command("99").returncode == 2, "there is no lesson 99")
    expect(command("2", "--seed", "0").returncode == 2 and command("10", "--seed", "1").returncode == 2, "a seed that cannot be")


def run(test, *arguments):
    """What a test returned, and its failures."""
    failures.clear()
    return test(*arguments), list(failures)


def main():
    folder, lines = Path(sys.argv[1]), []
    every = {lesson.number: lesson for lesson in lessons.lessons()}
    for made in [folder / "sources", folder / "runs", *(folder / "emulated" / lesson.folder.name for lesson in every.values())]:
        shutil.rmtree(made, ignore_errors=True)  # an attempt's time includes that of its compiler
    build.Builder(folder).library()
    if not shutil.which("nvcc") and Path("/usr/local/cuda/bin/nvcc").exists():
        os.environ["PATH"] += ":/usr/local/cuda/bin"
    nvcc = shutil.which("nvcc")
    if nvcc:
        build.Builder(folder, gpu=True).library()
    else:
        lines.append("no nvcc: lessons were not compiled for a GPU")
    attempts = WRONG_ATTEMPTS
    if os.environ.get("ORDO_LESSON_ATTEMPTS") == "few":
        attempts = [attempt for i, attempt in enumerate(attempts) if i == 0 or attempt[0] != attempts[i - 1][0]]
    expect(set(every) == set(UNSOLVED), "every lesson has its verdict in this test")
    # Processes, because each knows what the programs took that it has started.
    with ProcessPoolExecutor(int(os.environ.get("ORDO_JOBS", "2")), multiprocessing.get_context("fork")) as pool:
        # The check of a lesson is compiled once, by its solution.
        for tests in ([(test_gpu, lesson, folder) for lesson in every.values() if nvcc and not lesson.needs_library],
                      [(test_solution, lesson, folder) for lesson in every.values()],
                      [(test_unsolved, lesson, folder) for lesson in every.values()],
                      [(test_commands, folder), *((test_wrong, every[attempt[0]], attempt, folder) for attempt in attempts),
                       *((test_right, every[attempt[0]], attempt, folder) for attempt in RIGHT_ATTEMPTS)]):
            for result, failed in [job.result() for job in [pool.submit(run, *test) for test in tests]]:
                failures.extend(failed)
                lines += [result] if result else []
    print("\n".join(lines))
    print(f"{len(every)} lessons, {len(attempts)} of {len(WRONG_ATTEMPTS)} wrong attempts: " + (f"{len(failures)} failures" if failures else "all as they should be"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
