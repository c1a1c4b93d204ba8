#!/usr/bin/env bash
# cpp98.sh INTO: compiles the examples in C++98 with what is in INTO, runs each, and compares what its subscriber prints.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$1
compiler=${CXX:-g++}

if ! command -v "$compiler" >/dev/null; then
    echo "cpp98: skipped, needs a compiler of C++: install g++, or set CXX"
    exit 77
fi
echo "cpp98: $into/include/dunlin/dds98.hpp"
[ "${LANGUAGES_TRY:-}" != no ] || exit 0
for example in examples/*/cpp98; do
    name=$(basename "$(dirname "$example")")
    work=$into/examples/$name/cpp98
    mkdir -p "$work"
    "$into/bin/dunlin" idl gen -l cpp98 -o "$work" "examples/$name"/*.idl
    flags=(-std=c++98 -pedantic -Wall -Wextra -Werror -fno-exceptions -fno-rtti -O2 -I "$into/include" -I "$work")
    for side in publisher subscriber; do
        "$compiler" "${flags[@]}" "$example/$side.cpp" -L "$into/lib" -ldunlin -Wl,-rpath,"$into/lib" -o "$work/$side"
    done
    # Other compilers warn of other things.
    if command -v clang++ >/dev/null; then
        clang++ "${flags[@]}" -fsyntax-only "$example"/*.cpp
    fi
    scripts/languages/run-example.sh cpp98 "$name" "'$work/subscriber'" "'$work/publisher'"
done
