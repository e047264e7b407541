#!/bin/bash
# Runs a compiler, with ccache before it or not, and notes beside the object it writes what that cost, as
# "USER-SECONDS SYSTEM-SECONDS compiled" or "... cached":  record_compile.sh [ccache] COMPILER ARGUMENTS...
object=
before=
for argument; do
  [ "$before" != -o ] || object=$argument
  before=$argument
done
[ -n "$object" ] || exec "$@"
export CCACHE_STATSLOG=$PWD/$object.ccache
rm -f "$CCACHE_STATSLOG"
TIMEFORMAT='%U %S'
{ time "$@" 2>&3; } 3>&2 2> "$object.cost"
status=$?
how=compiled
if [ -f "$CCACHE_STATSLOG" ]; then
  ! grep -q 'cache_hit' "$CCACHE_STATSLOG" || how=cached
  rm -f "$CCACHE_STATSLOG"
fi
echo "$(< "$object.cost") $how" > "$object.cost"
exit $status
