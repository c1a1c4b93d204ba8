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

[ "${LANGUAGES_TRY:-}" != no ] || exit 0

language=csharp
. scripts/languages/perftest-try.sh
csharp=$into/bin/release/perftest_cs
try "$csharp" "$csharp" ""
try_in_place "$csharp"
echo "perftest-csharp: it runs with itself and with the ones in Rust and C++98"
