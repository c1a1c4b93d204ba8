#!/usr/bin/env bash
# perftest.sh INTO: perftest in C and in C++98, put into INTO/bin/<machine>/release, where scripts that are made for the
# original look, and in C# and Java, put into INTO/bin/release. Each is tried with another one.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")
profile=${LANGUAGES_PROFILE:-release}
target=${CARGO_TARGET_DIR:-target}
built=$target/$([ "$profile" = dev ] && echo debug || echo "$profile")
bin=$into/bin/$(uname -m)/release
own=tools/perftest/languages

for compiler in "${CC:-gcc}" "${CXX:-g++}"; do
    if ! command -v "$compiler" >/dev/null; then
        echo "perftest: skipped, needs compilers of C and C++ ($compiler is missing): install gcc and g++, or set CC and CXX"
        exit 77
    fi
done
"${CARGO:-cargo}" build --profile "$profile" -p dunlin-perftest-abi -p dunlin-perftest
work=$into/share/perftest
mkdir -p "$bin" "$work" "$into/lib" "$into/include/dunlin/dds98"
cp --remove-destination "$built/libdunlin_perftest_abi.so" "$into/lib/libdunlin_perftest.so.0"
ln -sf libdunlin_perftest.so.0 "$into/lib/libdunlin_perftest.so"
cp tools/perftest-abi/include/dunlin/perftest.h "$into/include/dunlin/"
cp bindings/cpp98/include/dunlin/*.hpp "$into/include/dunlin/"
cp bindings/cpp98/include/dunlin/dds98/*.hpp "$into/include/dunlin/dds98/"
for language in c cpp98; do
    "$into/bin/dunlin" idl gen -l "$language" -o "$work" "$own/TestData.idl"
done
strict="-pedantic -Wall -Wextra -Werror -O2 -I $into/include -I $work"
libraries="-L $into/lib -ldunlin -ldunlin_perftest -pthread -Wl,-rpath,\$ORIGIN/../../../lib"
"${CC:-gcc}" -std=c99 $strict "$own"/c/*.c "$work/TestData.c" $libraries -o "$bin/perftest_c"
"${CC:-gcc}" -std=c99 $strict -I "$own/c" -c "$own/c/allocations.c" -o "$work/allocations.o"
"${CXX:-g++}" -std=c++98 -fno-exceptions -fno-rtti $strict "$own/cpp98/driver.cpp" "$work/allocations.o" $libraries \
    -o "$bin/perftest_cpp"
echo "perftest: $bin/perftest_c, $bin/perftest_cpp"

tries=${LANGUAGES_TRY:-}
# try PUBLISHER SUBSCRIBER: both run to their ends, and leave a row each.
try() {
    local code=0
    [ "$tries" != no ] || return 0
    tests/interop/netns.sh timeout 60 sh -c '"$0" -sub -noPrint -noOutputHeaders >"$2/s.csv" 2>"$2/s.err" & sub=$!
        "$1" -pub -latencyTest -numIter 200 -noPrint -noOutputHeaders >"$2/p.csv" 2>"$2/p.err" && wait $sub' \
        "$2" "$1" "$work" || code=$?
    if [ "$code" = 69 ]; then
        echo "perftest: not run, no network namespace is possible here"
        tries=no
        return 0
    fi
    if [ "$code" != 0 ] || [ "$(cat "$work/p.csv" "$work/s.csv" | grep -c ,)" != 2 ]; then
        cat "$work/p.err" "$work/s.err" >&2
        echo "perftest: $1 with $2 failed" >&2
        exit 1
    fi
}
try "$bin/perftest_c" "$bin/perftest_cpp"
try "$bin/perftest_cpp" "$bin/perftest_c"
[ "$tries" = no ] || echo "perftest: each runs with the other one"

# Where these languages are. Their scripts say what is missing.
for language in csharp java; do
    code=0
    scripts/languages/perftest-$language.sh "$into" || code=$?
    case $code in 0 | 77) ;; *) exit "$code" ;; esac
done
