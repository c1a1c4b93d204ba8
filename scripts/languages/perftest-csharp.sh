#!/usr/bin/env bash
# perftest-csharp.sh INTO: perftest in C#, INTO/bin/release/perftest_cs, with what csharp.sh and perftest.sh have put into
# INTO; tried with itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")

commands=$(scripts/languages/csharp-sdk.sh) || exit $?
compiler=$(sed -n 1p <<<"$commands")
run=$(sed -n 2p <<<"$commands")
for needed in share/csharp/Dunlin.dll lib/libdunlin_perftest.so; do
    if [ ! -e "$into/$needed" ]; then
        echo "perftest-csharp: skipped, $into/$needed is missing: make languages"
        exit 77
    fi
done
own=tools/perftest/languages
home=$into/share/perftest/csharp
mkdir -p "$home" "$into/bin/release"
"$into/bin/dunlin" idl gen -l csharp -o "$home" "$own/TestData.idl"
cp "$into/share/csharp/Dunlin.dll" "$home/"
"$compiler" program -target:exe -optimize -unsafe -r:"$home/Dunlin.dll" -out:"$home/perftest_cs.dll" "$home/TestData.cs" \
    "$own"/csharp/*.cs
cat >"$into/bin/release/perftest_cs" <<EOF
#!/usr/bin/env bash
# All is compiled at once and in full, and memory is collected on the thread that allocates.
into=\$(dirname "\$(dirname "\$(dirname "\$(realpath "\$0")")")")
export DUNLIN_LIBRARY=\$into/lib LD_LIBRARY_PATH=\$into/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export DOTNET_TieredCompilation=0 DOTNET_gcConcurrent=0 DOTNET_gcServer=0
exec "$run" "\$into/share/perftest/csharp/perftest_cs.dll" "\$@"
EOF
chmod +x "$into/bin/release/perftest_cs"
echo "perftest: $into/bin/release/perftest_cs"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0
tests/interop/netns.sh timeout 60 sh -c '"$0" -sub -noPrint -noOutputHeaders >"$1/s.csv" 2>"$1/s.err" & sub=$!
    "$0" -pub -latencyTest -numIter 200 -scan 32:63000 -noPrint -noOutputHeaders >"$1/p.csv" 2>"$1/p.err" && wait $sub' \
    "$into/bin/release/perftest_cs" "$work" || code=$?
if [ "$code" = 69 ]; then
    echo "perftest-csharp: not run, no network namespace is possible here"
elif [ "$code" != 0 ] || [ "$(cat "$work/p.csv" "$work/s.csv" | grep -c ,)" != 4 ]; then
    cat "$work/p.err" "$work/s.err" >&2
    exit 1
else
    code=0
    tests/interop/netns.sh timeout 60 "$into/bin/release/perftest_cs" -pub -zeroCopy -noPrint 2>"$work/flat" || code=$?
    if [ "$code" != 1 ] || ! grep -q "^Error: -zeroCopy reads samples where the publisher has them" "$work/flat"; then
        cat "$work/flat" >&2
        echo "perftest-csharp: -zeroCopy is not refused: status $code" >&2
        exit 1
    fi
    echo "perftest-csharp: it runs with itself"
fi
