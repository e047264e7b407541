#!/usr/bin/env python3
"""Two result files: which benchmarks changed by more than their repeats vary.

usage: compare.py OLD NEW PER_CENT [--biased]         (`ordo bench --compare` calls it)

A time changed when the middle halves of the repeats do not overlap. Exit status 1 where one became slower by more than PER_CENT, or a
deterministic result no longer is; 2 where the files cannot be compared. Times of another machine, or with another number of threads, are told and
are no regression.
"""
import sys

from page import fail, printable
from results import read_results


def change(old, new, most):
    """The kind of change, and whether it is a regression."""
    ours = not new["path"].startswith("pytorch")  # what a peer does is no regression of Ordo
    if old["patterns"]["distinct"] == 1 < new["patterns"]["distinct"]:
        # Where additions come in the order of arrival, more patterns are luck; elsewhere a promise is broken.
        return "more than one result", ours and new["path"] not in ("atomic", "not_guaranteed")
    if new["ms"]["low"] > old["ms"]["high"]:
        return "slower", ours and new["ms"]["median"] > old["ms"]["median"] * (1 + most / 100)
    return ("faster" if new["ms"]["high"] < old["ms"]["low"] else "same"), False


def tell_control(name, data, biased):
    """The rows that run the same code with the switch off and on say how biased the file is (control_of in bench/results.h)."""
    control = data.get("control", {})
    text = control.get("text") or f"deterministic / fast is {control.get('ratio', 1):.3f} over {control.get('rows', 0)} rows that run the same code"
    if control.get("biased") and not biased:
        fail(f"{name} is not to be compared (--biased does all the same): {text}", "bench")
    if control.get("rows"):
        print(f"Control of {printable(name)}: {printable(text)}.")


def main():
    names, most, biased = sys.argv[1:3], float(sys.argv[3]), "--biased" in sys.argv[4:]
    before, after = (read_results(name, "bench") for name in names)
    earlier = {result["name"]: result for result in before["results"] if "ms" in result}
    pairs = [(earlier[r["name"]], r) for r in after["results"] if "ms" in r and r["name"] in earlier]
    if not pairs:
        fail("the two files have no benchmark in common", "bench")
    for name, data in zip(names, (before, after)):
        tell_control(name, data, biased)
    elsewhere = any(before.get(key) != after.get(key) for key in ("machine", "threads"))
    if elsewhere:
        print("The files are of different machines or thread counts: a slower time is no regression.")
    kinds, regressions = [], 0
    for old, new in pairs:
        kind, regression = change(old, new, most)
        regression = regression and not (elsewhere and kind == "slower")
        kinds.append(kind)
        regressions += regression
        if kind != "same":
            a, b = old["ms"]["median"], new["ms"]["median"]
            print(f"{printable(new['name']):<70} {a:>10.4f} ms {b:>10.4f} ms  {(b / a - 1) * 100:>+7.1f} %  {kind}{': REGRESSION' if regression else ''}")
    print(f"{len(kinds)} benchmarks compared: {kinds.count('same')} within the noise (the middle halves of the repeats overlap), "
          f"{kinds.count('faster')} faster, {kinds.count('slower')} slower, {kinds.count('more than one result')} with more than one result "
          "where there was one", flush=True)
    if regressions:
        sys.exit(f"ordo: {regressions} regression{'' if regressions == 1 else 's'}: slower by more than {most:g} %, or no longer deterministic")


main()
