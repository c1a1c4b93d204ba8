#!/usr/bin/env bash
# csharp.sh INTO: compiles Dunlin.dll into INTO/share/csharp with warnings as errors, its tests, and the examples in C#, runs
# all of them, and compares what subscribers print.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")

commands=$(scripts/languages/csharp-sdk.sh) || exit $?
compiler=$(sed -n 1p <<<"$commands")
run=$(sed -n 2p <<<"$commands")
product=$into/share/csharp
work=$into/tests/csharp
mkdir -p "$product" "$work"

# In the order of their names on each machine: so the same sources give the same assembly.
sources() {
    find "$@" -name '*.cs' | LC_ALL=C sort
}

mapfile -t library < <(sources bindings/csharp/src)
"$compiler" library -target:library -optimize -unsafe -pathmap:"$PWD=/dunlin" -debug:portable -out:"$product/Dunlin.dll" \
    -doc:"$product/Dunlin.xml" "${library[@]}"
echo "csharp: $product/Dunlin.dll"

[ "${LANGUAGES_TRY:-}" != no ] || exit 0

# in_netns COMMAND...: exit 69 says that no network namespace is possible here.
in_netns() {
    DUNLIN_CHECK_PAYLOADS=${checks:-1} DUNLIN_CHECK_LOANS=1 DUNLIN_LIBRARY=$into/lib tests/interop/netns.sh timeout 80 "$@"
}

for example in examples/*/csharp; do
    name=$(basename "$(dirname "$example")")
    made=$into/examples/$name/csharp
    mkdir -p "$made"
    "$into/bin/dunlin" idl gen -l csharp -o "$made" "examples/$name"/*.idl
    cp "$product/Dunlin.dll" "$made/"
    compilers=()
    for side in publisher subscriber; do
        "$compiler" program -target:exe -optimize -r:"$product/Dunlin.dll" -out:"$made/$side.dll" "$made"/*.cs "$example/$side.cs" &
        compilers+=($!)
    done
    # By their numbers: `wait -n` forgets one that ends at the same moment as another.
    for one in "${compilers[@]}"; do wait "$one"; done
    DUNLIN_LIBRARY=$into/lib scripts/languages/run-example.sh csharp "$name" "$run '$made/subscriber.dll'" "$run '$made/publisher.dll'"
done

"$into/bin/dunlin" idl gen -l csharp -o "$work" bindings/csharp/tests/*.idl
mapfile -t tests < <(sources bindings/csharp/tests)
cp "$product/Dunlin.dll" "$work/"
"$compiler" program -target:exe -optimize -unsafe -r:"$product/Dunlin.dll" -out:"$work/Dunlin.Tests.dll" "$work"/*.cs \
    "${tests[@]}"
code=0
in_netns "$run" "$work/Dunlin.Tests.dll" || code=$?
if [ "$code" = 69 ]; then
    echo "csharp: the tests are compiled, and not run: no network namespace is possible here"
elif [ "$code" != 0 ]; then
    exit "$code"
else
    # Those that write payloads which are none.
    checks=0 in_netns "$run" "$work/Dunlin.Tests.dll" Malformed
fi
