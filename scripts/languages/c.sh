#!/usr/bin/env bash
# c.sh INTO: compiles the examples in C with what is in INTO, runs each, and compares what its subscriber prints.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$1
compiler=${CC:-gcc}

if ! command -v "$compiler" >/dev/null; then
    echo "c: skipped, needs a compiler of C: install gcc, or set CC"
    exit 77
fi
echo "c: $into/include/dunlin/dunlin.h, $into/lib/libdunlin.so, $into/lib/libdunlin.a"
[ "${LANGUAGES_TRY:-}" != no ] || exit 0
for example in examples/*/c; do
    name=$(basename "$(dirname "$example")")
    work=$into/examples/$name/c
    mkdir -p "$work"
    "$into/bin/dunlin" idl gen -l c -o "$work" "examples/$name"/*.idl
    flags=(-std=c99 -pedantic -Wall -Wextra -Werror -O2 -I "$into/include" -I "$work")
    for side in publisher subscriber; do
        "$compiler" "${flags[@]}" "$example/$side.c" "$work"/*.c \
            -L "$into/lib" -ldunlin -pthread -Wl,-rpath,"$into/lib" -o "$work/$side"
    done
    # Other compilers warn of other things.
    if command -v clang >/dev/null; then
        clang "${flags[@]}" -fsyntax-only "$example"/*.c "$work"/*.c
    fi
    scripts/languages/run-example.sh c "$name" "'$work/subscriber'" "'$work/publisher'"
done

# The adapter of the OMG suite's program is no product. It is compiled here, so that it keeps up with made code.
work=$into/omg-adapter
mkdir -p "$work"
"$into/bin/dunlin" idl gen -l c -o "$work" tests/languages/omg/c/shape.idl
echo '#include "dds/dds.h"' | "$compiler" -std=gnu11 -fsyntax-only -Wall -Werror -Wno-unused-function -x c \
    -I tests/languages/omg/c -I "$work" -I "$into/include" -
echo "c: the adapter of the OMG suite's program compiles"
