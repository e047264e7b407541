#!/usr/bin/env python3
"""The words and pictures of trees that `ordo show` prints (tools/scripts/trees.py, show.py): trees_test.py SOURCE"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(sys.argv.pop(1), "tools", "scripts"))
import show
from trees import Tree, brackets, depths, describe, draw


def tree(count, additions):
    return Tree(count, additions, [str(i) for i in range(count)])


def chain(count):
    return tree(count, [[count + i - 2 if i > 1 else 0, i] for i in range(1, count)])


def pairwise(count):
    return tree(count, [[2 * i, 2 * i + 1] for i in range(count - 1)])


class Trees(unittest.TestCase):
    def test_are_described(self):
        self.assertEqual(describe(tree(1, [])), ["value 0"])
        self.assertEqual(describe(tree(4, [[0, 1, 2, 3]]))[0], "one addition of 4 parts")
        self.assertEqual(describe(chain(5)), ["left to right over 5 values [0 .. 4]"])
        self.assertEqual(describe(pairwise(8)), ["a balanced tree over 8 values, which adds 0 and 1 first"])
        self.assertEqual(describe(tree(4, [[2, 3], [1, 4], [0, 5]])), ["right to left over 4 values [3 .. 0]"])
        lanes = tree(12, [[0, 4], [1, 5], [2, 6], [3, 7], [12, 8], [13, 9], [14, 10], [15, 11], [16, 18], [17, 19], [20, 21]])
        self.assertEqual(describe(lanes), ["a balanced tree over 4 parts", "  4 times, the first left to right over 3 values [0, 4, 8]"])
        groups = tree(7, [[0, 1], [3, 4], [7, 2], [8, 5], [9, 10], [11, 6]])
        self.assertEqual(describe(groups), ["left to right over 3 parts", "  2 times: left to right over 3 values [0, 1, 2]", "  value 6"])

    def test_are_written_in_brackets_up_to_a_length(self):
        self.assertEqual(brackets(pairwise(4), 100), "((0 + 1) + (2 + 3))")
        self.assertEqual(brackets(chain(3), 100), "[0, 1, 2]")
        self.assertEqual(brackets(chain(9), 100), "[0 .. 8]")
        self.assertEqual(brackets(pairwise(16), 12), "((((0 + 1) + ...")

    def test_say_how_many_additions_values_pass(self):
        self.assertEqual(depths(chain(5)), "1 at each of 1 to 3, 2 at 4")
        self.assertEqual(depths(pairwise(16)), "16 at 4")

    def test_are_drawn_without_crossings(self):
        self.assertEqual(draw(tree(4, [[0, 2], [1, 3], [4, 5]])), " 0  2  1  3\n └┬─┘  └┬─┘\n  └──┬──┘\n")
        self.assertEqual(draw(tree(3, [[0, 1, 2]])), " 0  1  2\n └──┼──┘\n")

    def test_are_a_picture(self):
        found = {"heading": "one", "why": "", "count": 3, "additions": [[0, 1], [3, 2]], "trees": 1, "seeds": 1, "results": ["a & b"]}
        svg = show.sums({"title": "sums of <T>", "names": ["0", "1", "2"], "found": [found, {**found, "count": 0, "additions": [], "why": "no order"}]})
        for text, times in (("<rect x=", 3), ("<circle ", 2), (">2</text>", 1), ("sums of &lt;T&gt;", 3), ("a &amp; b", 2), ("no order", 1),
                            ("prefers-color-scheme: dark", 1)):
            self.assertEqual(svg.count(text), times, text)


unittest.main()
