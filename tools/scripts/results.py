"""Result files of `ordo bench --json`, read."""
import json

from page import fail


def read_results(name, command):
    """The file; the program ends in the name of `command` where it is none."""
    try:
        with open(name, encoding="utf-8") as file:
            data = json.load(file)
    except (ValueError, RecursionError):
        fail(f"{name} is not JSON", command)

    def numbers(result, key, names):
        return isinstance(result.get(key), dict) and all(isinstance(result[key].get(n), (int, float)) for n in names)

    def counted(ms):
        """Older files do not have how many repeats there were, and the least and the most of them."""
        return ("repeats" not in ms or (isinstance(ms["repeats"], int) and ms["repeats"] > 0)) and all(isinstance(ms.get(key, 0), (int, float)) for key in ("least", "most"))

    def good(result):
        return isinstance(result, dict) and all(isinstance(result.get(key), str) for key in ("name", "path")) and (
            "error" in result or (numbers(result, "ms", ("low", "median", "high")) and counted(result["ms"]) and numbers(result, "patterns", ("distinct",))))
    if not isinstance(data, dict) or data.get("format") != "ordo bench" or data.get("version") != 1:
        fail(f"{name} was not written by `ordo bench --json`, or by another version of it", command)
    if not isinstance(data.get("results"), list) or not all(map(good, data["results"])):
        fail(f"{name} was not written by `ordo bench --json`: a result has no name, path, times or patterns", command)
    return data
