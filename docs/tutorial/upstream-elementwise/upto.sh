#!/bin/sh
# upto.sh SCHEDULE [TEXT] < MODULE: prints what the schedule makes of the module,
# by its last sequence's steps up to the first line that has TEXT.
set -e
name=$(sed -n 's/.*named_sequence @\([a-z_]*\)(.*/\1/p' "$1" | tail -n 1)
steps=$(mktemp)
trap 'rm -f "$steps"' EXIT
if [ -n "$2" ]; then
  sed "/named_sequence @$name(/,\$ { /$2/,\$d }" "$1" > "$steps"
  if cmp -s "$1" "$steps"; then
    echo "no line of @$name has $2" >&2
    exit 1
  fi
  echo "transform.yield } }" >> "$steps"
else
  cp "$1" "$steps"
fi
# The schedule's attributes lh.* say which numbers are parameters; stock tools
# don't know them.
mlir-opt --allow-unregistered-dialect \
    --transform-preload-library=transform-library-paths="$steps" \
    --transform-interpreter=entry-point="$name"
