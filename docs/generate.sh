#!/usr/bin/env bash
# Writes docs/ops.md, the pictures of README.md, the generated parts of README.md and docs/, and the declarations that tables
# make; ./run docs calls it.
#   generate.sh PROGRAMS             writes what depends on sources and result files only
#   generate.sh PROGRAMS --measure   also runs the commands whose output depends on the machine
#   generate.sh PROGRAMS --check     writes nothing; fails when something is stale
# A generated part stands between "<!-- output of: COMMAND -->" and "<!-- end of output -->". cat shows a source file, python3
# prints Markdown from a result file, and ./run packages a list; all other commands measure.
set -euo pipefail
programs=${1:?usage: generate.sh PROGRAMS [--check|--measure]}
mode=${2:-}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/docs" "$new/bench/results"

# generate PAGE: writes it to $new with its parts as they should be.
generate() {
  local part= text keep= line  # part: the command of the part that is being skipped
  while IFS= read -r line; do
    if [ -z "$part" ]; then
      printf '%s\n' "$line"
      [[ $line =~ ^'<!-- output of: '(.*)' -->'$ ]] || continue
      part=${BASH_REMATCH[1]}
      if [[ $part == 'cat '* ]]; then
        text=$($part)  # assigned first, so that a failure ends the script
        if [[ $part == *.txt ]]; then printf '```cmake\n%s\n```\n' "$text"; else printf '```cpp\n%s\n```\n' "$text"; fi
        keep=
      elif [[ $part == 'python3 '* ]]; then
        text=$($part)
        printf '\n%s\n\n' "$text"
        keep=
      elif [ "$part" = './run packages' ]; then
        text=$($part)
        printf '```text\n%s\n```\n' "$text"
        keep=
      elif [ "$mode" = --measure ]; then
        echo "running $part" >&2
        text=$($part 2> /dev/null)
        printf '```text\n$ %s\n%s\n```\n' "$part" "$text"
        keep=
      else
        keep=yes
      fi
    elif [ "$line" = '<!-- end of output -->' ]; then
      printf '%s\n' "$line"
      part=
    elif [ -n "$keep" ]; then
      printf '%s\n' "$line"
    fi
  done < "$1" > "$new/$1"
  [ -z "$part" ] || { echo "$1: the output of '$part' has no end" >&2; exit 1; }
}

if [ "$mode" = --measure ]; then "$programs/ordo" show fork --json docs/fork.json >&2; fi
"$programs/ordo" ops --markdown > "$new/docs/ops.md"
"$programs/ordo" ops --json > "$new/ops.json"
python3 docs/refused_table.py "$new/ops.json" bench/results/cpu-amd.json >> "$new/docs/ops.md"
for colours in light dark; do python3 -B tools/scripts/fork.py docs/fork.json $colours > "$new/docs/fork-$colours.svg"; done
pages=$(grep -l "^<!-- output of: " README.md docs/*.md bench/results/*.md)
for page in $pages; do generate "$page"; done

stale=0
if [ "$mode" = --check ]; then python3 -B docs/table_declarations.py --check >&2 || stale=1; else python3 -B docs/table_declarations.py; fi
for file in docs/ops.md docs/fork-light.svg docs/fork-dark.svg $pages; do
  if ! cmp -s "$new/$file" "$file"; then
    if [ "$mode" = --check ]; then
      echo "$file is stale: call ./run docs" >&2
      diff -u "$file" "$new/$file" | head -n 40 >&2 || true
      stale=1
    else
      cp "$new/$file" "$file"
      echo "wrote $file"
    fi
  fi
done
exit "$stale"
