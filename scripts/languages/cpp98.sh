#!/usr/bin/env bash
# cpp98.sh INTO: puts the headers for C++98 into INTO, compiles the examples with what is there, runs each, and compares
# what its subscriber prints.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")

mkdir -p "$into/include/dunlin/dds98"
cp bindings/cpp98/include/dunlin/*.hpp "$into/include/dunlin/"
cp bindings/cpp98/include/dunlin/dds98/*.hpp "$into/include/dunlin/dds98/"
echo "cpp98: $into/include/dunlin/dds98.hpp"
if ! command -v "${CXX:-g++}" >/dev/null; then
    echo "cpp98: examples are skipped, they need a compiler of C++: install g++, or set CXX"
    exit 0
fi
for example in examples/*/cpp98; do
    name=$(basename "$(dirname "$example")")
    work=$into/examples/$name/cpp98
    mkdir -p "$work"
    "$into/bin/dunlin" idl gen -l cpp98 -o "$work" "examples/$name"/*.idl
    for side in publisher subscriber; do
        "${CXX:-g++}" -std=c++98 -pedantic -Wall -Wextra -Werror -fno-exceptions -fno-rtti -O2 \
            -I "$into/include" -I "$work" "$example/$side.cpp" \
            -L "$into/lib" -ldunlin -Wl,-rpath,"$into/lib" -o "$work/$side"
    done
    code=0
    tests/interop/netns.sh timeout 60 sh -c '"$0/subscriber" >"$0/printed" & "$0/publisher" && wait $!' "$work" || code=$?
    if [ "$code" = 69 ]; then
        echo "cpp98: $name is compiled, and not run: no network namespace is possible here"
    else
        [ "$code" = 0 ] && diff "examples/$name/expected" "$work/printed"
        echo "cpp98: $name prints what is expected"
    fi
done
