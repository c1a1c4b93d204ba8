#!/usr/bin/env bash
# c.sh INTO: compiles the examples in C with what is in INTO, runs each, and compares what its subscriber prints.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")

if ! command -v "${CC:-gcc}" >/dev/null; then
    echo "c: skipped, needs a compiler of C: install gcc, or set CC"
    exit 0
fi
for example in examples/*/c; do
    name=$(basename "$(dirname "$example")")
    work=$into/examples/$name/c
    mkdir -p "$work"
    "$into/bin/dunlin" idl gen -l c -o "$work" "examples/$name"/*.idl
    for side in publisher subscriber; do
        "${CC:-gcc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I "$into/include" -I "$work" \
            "$example/$side.c" "$work"/*.c -L "$into/lib" -ldunlin -pthread -Wl,-rpath,"$into/lib" -o "$work/$side"
    done
    code=0
    tests/interop/netns.sh timeout 60 sh -c '"$0/subscriber" >"$0/printed" & "$0/publisher" && wait $!' "$work" || code=$?
    if [ "$code" = 69 ]; then
        echo "c: $name is compiled, and not run: no network namespace is possible here"
    else
        [ "$code" = 0 ] && diff "examples/$name/expected" "$work/printed"
        echo "c: $name prints what is expected"
    fi
done
