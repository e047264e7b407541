"""NumPy's sums, for `ordo show --peer numpy`: numpy_sums.py OP DTYPE MASS RUNS FILE

Prints NumPy's version, the sum of the values in FILE, RUNS times, and for each pair i < j the sum of ones of which value i is MASS and
value j -MASS, one a line. Exit status 9 without NumPy.
"""
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(9)
op, dtype, mass, runs, file = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
with open(file) as lines:
    values = np.array([float(line) for line in lines]).astype(dtype)
n = len(values)
ones, first = np.ones((n, 1), dtype), np.zeros(n - 1, np.int64)


def add(x):
    if op == "sum":
        return x.sum()
    if op == "cumsum":
        return np.cumsum(x)[-1]
    if op == "matmul":
        return (x.reshape(1, n) @ ones)[0, 0]
    place = x[-1:].copy()
    np.add.at(place, first, x[:-1])
    return place[0]


print(np.__version__)
for _ in range(runs):
    print(repr(float(add(values))))
x = np.ones(n, dtype)
for i in range(n):
    for j in range(i + 1, n):
        x[i], x[j] = mass, -mass
        print(repr(float(add(x))))
        x[i] = x[j] = 1
