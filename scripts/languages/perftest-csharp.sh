#!/usr/bin/env bash
# perftest-csharp.sh INTO: perftest in C#, INTO/bin/release/perftest_cs, with what csharp.sh and perftest.sh have put into
# INTO; tried with itself, and both ways with perftest in Rust, which PERFTEST names, else the one that was built last, and in
# C++98.
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

profile=${LANGUAGES_PROFILE:-release}
rust=${PERFTEST:-${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")/perftest}
if [ ! -x "$rust" ]; then
    echo "perftest-csharp: $rust is missing, which it is tried with: cargo build --profile $profile -p dunlin-perftest, or set PERFTEST" >&2
    exit 1
fi
rust=$(realpath "$rust")
csharp=$into/bin/release/perftest_cs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try PUBLISHER SUBSCRIBER OPTIONS: both run to their ends, and leave two rows each.
try() {
    local code=0
    tests/interop/netns.sh timeout 60 sh -c '"$0" -sub -noPrint -noOutputHeaders $3 >"$2/s.csv" 2>"$2/s.err" & sub=$!
        "$1" -pub -latencyTest -numIter 200 -scan 32:63000 -noPrint -noOutputHeaders $3 >"$2/p.csv" 2>"$2/p.err" && wait $sub' \
        "$2" "$1" "$work" "$3" || code=$?
    if [ "$code" = 69 ]; then
        echo "perftest-csharp: not run, no network namespace is possible here"
        exit 0
    fi
    if [ "$code" != 0 ] || [ "$(cat "$work/p.csv" "$work/s.csv" | grep -c ,)" != 4 ]; then
        cat "$work/p.csv" "$work/p.err" "$work/s.csv" "$work/s.err" >&2
        echo "perftest-csharp: $1 with $2, $3: failed with $code" >&2
        exit 1
    fi
}
try "$csharp" "$csharp" ""
cpp=$into/bin/$(uname -m)/release/perftest_cpp
for other in "$rust" "$cpp"; do
    [ -x "$other" ] || continue
    try "$csharp" "$other" "-transport SHMEM -zeroCopy"
    try "$other" "$csharp" "-transport SHMEM -zeroCopy -checkConsistency -keyed -instances 100"
done
echo "perftest-csharp: it runs with itself and with the ones in Rust and C++98"
