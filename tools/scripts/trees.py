"""The order of a sum, in words and in UTF-8 (`ordo show OP`).

A tree has the nodes 0 to count - 1, its values, and then its additions: additions[i] lists the nodes that addition count + i takes.
Additions stand in order of their number of values, then of their first value, and the children of each in order of their first values.
"""
DRAWN = 40  # values that fit side by side in a terminal
LINES = 24  # of a description


class Tree:
    def __init__(self, count, additions, names):
        self.count, self.names, self.root = count, names, count + len(additions) - 1
        self.children = [()] * count + [tuple(c) for c in additions]
        self.first, self.values, self.heights, self.is_run = list(range(count)), [1] * count, [0] * count, [True] * count
        for c in additions:
            self.first.append(min(self.first[k] for k in c))
            self.values.append(sum(self.values[k] for k in c))
            self.heights.append(1 + max(self.heights[k] for k in c))
            # Nothing but values, one after the other: (a + b) + c.
            self.is_run.append(len(c) == 2 and all(self.is_run[k] for k in c) and min(self.values[k] for k in c) == 1)

    def leaf(self, node):
        return node < self.count

    def order(self):
        """The values from left to right, so that no two lines of a drawing cross."""
        order, todo = [], [self.root]
        while todo:
            node = todo.pop()
            if self.leaf(node):
                order.append(node)
            todo += reversed(self.children[node])
        return order

    def run(self, node):
        """The values of a run, in the order in which they are added."""
        values = []
        while not self.leaf(node):
            a, b = self.children[node]
            values.append(b if self.leaf(b) else a)
            node = a if self.leaf(b) else b
        values = [node, *reversed(values)]
        # The first two are added to each other: they go the way of the third.
        if len(values) > 2 and (values[0] < values[1]) != (values[1] < values[2]):
            values[:2] = values[1::-1]
        return values


def distance(values):
    """The difference of neighbours where it is one number, else 0."""
    steps = {b - a for a, b in zip(values, values[1:])}
    return steps.pop() if len(steps) == 1 else 0


def listed(values, names):
    shown = [names[v] for v in values]
    if len(values) < 4:
        return f"[{', '.join(shown)}]"
    if abs(distance(values)) == 1:
        return f"[{shown[0]} .. {shown[-1]}]"
    # The last may be of another kind, such as what was there before.
    if distance(values) == 0 and distance(values[:-1]) == 1:
        return f"[{shown[0]} .. {shown[-2]}, {shown[-1]}]"
    return f"[{shown[0]}, {shown[1]} .. {shown[-1]}]"


class Description:
    """What the tree is made of, a line for each part, parts of parts further to the right: runs that are added left to right, balanced trees
    of as many parts, and rows of parts that are added left to right."""

    def __init__(self, tree):
        self.tree, self.lines = tree, []
        # Runs are of one shape, whatever their length; a node of any other has the shapes of its children.
        shapes, self.shape = {}, [0] * len(tree.children)
        self.balanced = [1] * len(tree.children)  # how many parts of one shape are halves of halves of a node
        for i, c in enumerate(tree.children):
            if tree.is_run[i]:
                continue
            self.shape[i] = shapes.setdefault(tuple(self.shape[k] for k in c), len(shapes) + 1)
            if len(c) == 2 and self.shape[c[0]] == self.shape[c[1]] and self.balanced[c[0]] == self.balanced[c[1]]:
                self.balanced[i] = 2 * self.balanced[c[0]]
        self.part(tree.root, 0, "")

    def add(self, depth, text):
        self.lines.append("  " * depth + text)

    def part(self, i, depth, before):
        if len(self.lines) > LINES:
            return
        children = self.tree.children[i]
        if self.tree.is_run[i]:
            self.run(self.tree.run(i), depth, before)
        elif self.balanced[i] >= 4:
            self.halves(i, depth, before)
        elif len(children) > 2:
            self.add(depth, f"{before}one addition of {len(children)} parts")
            self.groups(children, depth + 1)
        else:  # left to right: what was added first has the first value
            parts = []
            while not self.tree.is_run[i] and len(self.tree.children[i]) == 2 and self.balanced[i] < 4:
                i, last = self.tree.children[i]
                parts.append(last)
            parts = [i, *reversed(parts)]
            self.add(depth, f"{before}left to right over {len(parts)} parts")
            self.groups(parts, depth + 1)

    def run(self, values, depth, before):
        if len(values) == 1:
            self.add(depth, f"{before}value {self.tree.names[values[0]]}")
        else:
            way = "right to left" if distance(values) < 0 else "left to right"
            self.add(depth, f"{before}{way} over {len(values)} values {listed(values, self.tree.names)}")

    def halves(self, i, depth, before):
        """Halves of halves, down to runs or other parts."""
        parts = [i]
        while len(parts) < self.balanced[i]:
            parts = [c for node in parts for c in self.tree.children[node]]
        parts.sort(key=lambda node: self.tree.first[node])
        sizes = [self.tree.values[node] for node in parts]
        if max(sizes) <= 2 and sizes[0] == sizes[-1] and self.tree.is_run[parts[0]]:
            first = [self.tree.names[v] for v in self.tree.run(parts[0])]
            pair = f", which adds {first[0]} and {first[1]} first" if len(first) == 2 else ""
            self.add(depth, f"{before}a balanced tree over {self.tree.values[i]} values{pair}")
        else:
            self.add(depth, f"{before}a balanced tree over {len(parts)} parts")
            self.groups(parts, depth + 1)

    def groups(self, parts, depth):
        """Neighbours of one shape take one line and the description of the first."""
        start = 0
        while start < len(parts):
            kind, end = (self.shape[parts[start]], self.tree.values[parts[start]]), start
            while end < len(parts) and (self.shape[parts[end]], self.tree.values[parts[end]]) == kind:
                end += 1
            n = end - start
            self.part(parts[start], depth, "" if n == 1 else "2 times: " if n == 2 else f"{n} times, the first ")
            start = end


def describe(tree):
    return Description(tree).lines


def brackets(tree, most):
    """((0 + 1) + (2 + 3)), with [0 .. 63] for three or more values of a run. Cut off after `most` characters."""
    text, todo = "", [tree.root]
    while todo and len(text) <= most:
        node = todo.pop()
        if isinstance(node, str):
            text += node
        elif tree.leaf(node):
            text += tree.names[node]
        elif tree.values[node] > 2 and tree.is_run[node]:
            text += listed(tree.run(node), tree.names)
        else:
            parts = ["("]
            for i, c in enumerate(tree.children[node]):
                parts += [" + ", c] if i else [c]
            todo += reversed([*parts, ")"])
    return text if len(text) <= most else text[:most] + " ..."


def depths(tree):
    """How many values pass how many additions: "1 at each of 1 to 14, 2 at 15"."""
    depth, counts = [0] * len(tree.children), {}
    for i in range(tree.root, tree.count - 1, -1):
        for c in tree.children[i]:
            depth[c] = depth[i] + 1
    for d in depth[:tree.count]:
        counts[d] = counts.get(d, 0) + 1
    spans = []  # [how many values, from, to]
    for d, n in sorted(counts.items()):
        if spans and spans[-1][0] == n and d - spans[-1][2] == 1:
            spans[-1][2] = d
        else:
            spans.append([n, d, d])
    if len(spans) > 8:
        return f"between {min(counts)} and {max(counts)}"
    return ", ".join(f"{n} at {a}" if a == b else f"{n} at each of {a} to {b}" for n, a, b in spans)


def draw(tree):
    """Values side by side, and below them what is added to what; three columns a value."""
    width = max([3, *(len(name) + 1 for name in tree.names)])
    order, column, parent = tree.order(), [0] * len(tree.children), [tree.root] * len(tree.children)
    for i, value in enumerate(order):
        column[value] = i * width + width // 2
    lines = ["".join(f"{tree.names[value]:^{width}}" for value in order)]
    for i in range(tree.count, tree.root + 1):
        c = tree.children[i]
        column[i] = (column[c[0]] + column[c[-1]]) // 2
        for child in c:
            parent[child] = i
    for height in range(1, tree.heights[tree.root] + 1):
        row = [" "] * (len(order) * width)
        for i, c in enumerate(tree.children):
            if tree.heights[i] < height < tree.heights[parent[i]]:
                row[column[i]] = "│"
            if tree.heights[i] != height:
                continue
            first, last = column[c[0]], column[c[-1]]
            row[first:last + 1] = "─" * (last + 1 - first)
            for child in c:
                row[column[child]] = "┴"
            row[first], row[last] = "└", "┘"
            row[column[i]] = "┼" if row[column[i]] == "┴" else "┬"
        lines.append("".join(row))
    return "".join(line.rstrip() + "\n" for line in lines)


def tell(data):
    """What `ordo show OP` prints."""
    text = [data["title"] + "\n"]
    if "old" in data["names"]:
        text.append('"old" is what the place holds before.\n')
    for found in data["found"]:
        text.append(f"\n{found['heading']}\n")

        def say(key, *lines):
            text.extend(f"  {'' if i else key:<9} {line}\n" for i, line in enumerate(lines))
        if not found["count"]:
            say("tree", found["why"])
            say("results", *found["results"])
            continue
        tree = Tree(found["count"], found["additions"], data["names"])
        lines = describe(tree)
        say("tree", *(lines if len(lines) <= LINES else [*lines[:LINES], "..."]))
        say("additions", f"{len(found['additions'])}, found from {found['probes']} sums")
        say("depth", f"{tree.heights[tree.root]}; values at a depth: {depths(tree)}")
        if found["fused"] is not None:
            say("products", "not rounded before they are added (fused multiply-add)" if found["fused"] else "rounded, then added")
        if found["seeds"] > 1:
            say("trees", f"the same with {found['seeds']} seeds" if found["trees"] == 1 else
                f"{found['trees']} different ones with {found['seeds']} seeds; this is the first seed's")
        if all(len(c) == 2 for c in found["additions"]):
            say("check", "adding by this tree has the bits of the first result" if found["same_bits"] else
                "adding by this tree has other bits than the first result: the sum does not round each addition to this dtype")
        say("results", *found["results"])
        if tree.count <= DRAWN:
            text.append("\n" + draw(tree))
        else:
            say("brackets", brackets(tree, 96))
    return "".join(text)
