"""What the scripts that show results share: tables in Markdown, and geometric means."""
import math
import statistics


def print_table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")


def mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def span(values):
    """The geometric mean, the least and the greatest; nothing for none."""
    return f"{mean(values):.2f} ({min(values):.2f}, {max(values):.2f})" if values else ""
