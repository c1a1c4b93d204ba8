#!/usr/bin/env bash
# perftest-java.sh INTO: perftest in Java, INTO/bin/release/perftest_java.sh, with what java.sh and perftest.sh have put into
# INTO; tried with itself, and both ways with perftest in Rust, which PERFTEST names, else the one that was built last, and
# in C++98.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")

if ! home=$(scripts/java-home.sh 2>&1); then
    echo "perftest-java: skipped, $home"
    exit 77
fi
for needed in share/java/dunlin.jar lib/libdunlin.so lib/libdunlin_perftest.so; do
    if [ ! -e "$into/$needed" ]; then
        echo "perftest-java: skipped, $into/$needed is missing: make languages"
        exit 77
    fi
done
own=tools/perftest/languages
share=$into/share/perftest/java
rm -rf "$share"
mkdir -p "$share/made" "$share/classes" "$into/bin/release"
"$into/bin/dunlin" idl gen -l java -o "$share/made" "$own/TestData.idl"
for type in TestDataKeyed_t TestDataLarge_t TestDataKeyedLarge_t; do
    sed "s/TestData_t/$type/g" "$own/java/OfTestData_t.java" >"$share/made/Of$type.java"
done
"$home/bin/javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC --release 22 -Xlint:all,-options -Werror -d "$share/classes" \
    -cp "$into/share/java/dunlin.jar" "$share"/made/*.java "$own"/java/*.java
"$home/bin/jar" --create --file "$share/perftest.jar" -C "$share/classes" .
cat >"$into/bin/release/perftest_java.sh" <<EOF
#!/usr/bin/env bash
# No thread collects but the one that allocates, and all of the heap is there from the start. Signals are left to perftest.
into=\$(dirname "\$(dirname "\$(dirname "\$(realpath "\$0")")")")
export DUNLIN_LIBRARY=\${DUNLIN_LIBRARY:-\$into/lib/libdunlin.so}
# What a run like this one noted when perftest was built: by it the runtime compiles before anything is measured.
side=sub
for word in "\$@"; do case \$word in -pu*) side=pub ;; esac; done
notes=\$into/share/perftest/java/\$side.aot
[ -f "\$notes" ] && notes=-XX:AOTCache=\$notes || notes=
exec "$home/bin/java" -Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC -Xrs --enable-native-access=ALL-UNNAMED \\
    \$notes \${DUNLIN_JAVA_OPTIONS:-} -Ddunlin.perftest="\$into/lib/libdunlin_perftest.so" \\
    -cp "\$into/share/java/dunlin.jar:\$into/share/perftest/java/perftest.jar" Program "\$@"
EOF
chmod +x "$into/bin/release/perftest_java.sh"
echo "perftest: $into/bin/release/perftest_java.sh"

language=java
. scripts/languages/perftest-try.sh
java=$into/bin/release/perftest_java.sh

# note SIDE: perftest runs for some seconds, and one side notes which classes it loaded and what it called how often.
note() {
    local option=-XX:AOTCacheOutput=$share/$1.aot publisher=-Ddunlin.notes subscriber=-Ddunlin.notes
    [ "$1" = pub ] && publisher=$option || subscriber=$option
    tests/interop/netns.sh timeout 60 sh -c 'DUNLIN_JAVA_OPTIONS=$2 "$0" -sub -noPrint -transport SHMEM & sub=$!
        DUNLIN_JAVA_OPTIONS=$1 "$0" -pub -latencyTest -executionTime 3 -noPrint -transport SHMEM; wait $sub' \
        "$java" "$publisher" "$subscriber" >"$work/notes" 2>&1
}
# A runtime before JDK 25 has no notes of calls (JEP 514, JEP 515).
if "$home/bin/java" -XX:AOTCacheOutput="$work/none.aot" -XX:AOTMode=off -version >/dev/null 2>&1; then
    for side in pub sub; do
        note "$side" || { echo "perftest-java: without notes of the $side side" >&2; tail -n 3 "$work/notes" >&2; }
    done
fi
[ "${LANGUAGES_TRY:-}" != no ] || exit 0
try "$java" "$java" "-transport UDPv4 -keyed -instances 100"
try "$java" "$rust" "-transport SHMEM -keyed -instances 100"
try "$java" "$rust" "-transport UDPv4"
try "$rust" "$java" "-transport SHMEM"
try "$rust" "$java" "-transport UDPv4 -keyed -instances 100 -best"
try "$java" "$java" "-transport SHMEM -flatData"
try_in_place "$java"
for wrong in "-pub -dataLen 27" "-sub -foo" "-sub -domain 7 -discoveryTimeout 1 -noPrint"; do
    code=0
    expected=0
    tests/interop/netns.sh timeout 60 "$rust" $wrong >"$work/rust" 2>&1 || expected=$?
    tests/interop/netns.sh timeout 60 "$java" $wrong >"$work/java" 2>&1 || code=$?
    if [ "$code" != "$expected" ] || [ "$(grep '^Error' "$work/java")" != "$(grep '^Error' "$work/rust")" ]; then
        cat "$work/rust" "$work/java" >&2
        echo "perftest-java: $wrong: status $code, and $expected in Rust" >&2
        exit 1
    fi
done
echo "perftest-java: it runs with itself and with the ones in Rust and C++98"
