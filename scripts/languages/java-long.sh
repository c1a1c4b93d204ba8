#!/usr/bin/env bash
# java-long.sh: what takes too long for java.sh, with what scripts/languages.sh has put into target/languages: ten million
# samples without a collector, and the tests with all methods compiled before they run.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! home=$(scripts/java-home.sh 2>&1); then
    echo "java-long: skipped, $home"
    exit 0
fi
share=$(realpath "${CARGO_TARGET_DIR:-target}/languages/share/java")
scripts/languages/java-endless.sh
DUNLIN_CHECK_PAYLOADS=1 DUNLIN_CHECK_LOANS=1 tests/interop/netns.sh timeout 900 "$home/bin/java" -Xcomp -Xcheck:jni -esa -ea \
    -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "$share/dunlin.jar:$share/test/classes" Tests
echo "java-long: ten million samples without a collector, and the tests with -Xcomp"
