#!/usr/bin/env python3
"""`ordo_tests record`: every operation is there, and every line says what bench/peers/compare.py reads.

usage: record_test.py ORDO_TESTS FILE
"""
import json
import subprocess
import sys


def tensors(arguments):
    for a in arguments:
        if isinstance(a, dict):
            yield a
        elif isinstance(a, list):
            yield from tensors(a)


def main():
    program, path = sys.argv[1:]
    subprocess.run([program, "record", path], check=True)
    recorded, with_gradients = set(), set()
    with open(path) as file:
        for line in file:
            call = json.loads(line)
            recorded.add(call["op"])
            found = list(tensors(call["arguments"]))
            assert len(call["gradients"]) == len(found), line[:200]
            assert len(call["weights"]) == len(call["outputs"]), line[:200]
            for argument, gradient in zip(found, call["gradients"]):
                if gradient is not None:
                    with_gradients.add(call["op"])
                    assert gradient["sizes"] == argument["sizes"], line[:200]
    assert {"add", "index_add", "conv2d", "split"} <= recorded, sorted(recorded)
    assert {"add", "index_add", "conv2d", "split"} <= with_gradients, sorted(with_gradients)

    subprocess.run([program, "record", path, "relu"], check=True)
    with open(path) as file:
        assert {json.loads(line)["op"] for line in file} == {"relu"}
    for wrong in (["record"], ["record", path, "rleu"], ["record", "/nowhere/calls.jsonl"]):
        assert subprocess.run([program, *wrong], stderr=subprocess.DEVNULL).returncode == 2, wrong
    print(f"{len(recorded)} operations, {len(with_gradients)} of them with gradients")


main()
