#!/usr/bin/env bash
# java-endless.sh [SAMPLES]: writes and takes ten million samples in 64 MB under a collector that never collects. It needs
# what scripts/languages.sh has put into target/languages.
set -euo pipefail
cd "$(dirname "$0")/../.."
samples=${1:-10000000}
share=$(realpath "${CARGO_TARGET_DIR:-target}/languages/share/java")
home=$(scripts/java-home.sh)
tests/interop/netns.sh "$home/bin/java" -XX:+UnlockExperimentalVMOptions -XX:+UseEpsilonGC -Xms64m -Xmx64m -XX:+AlwaysPreTouch \
    --enable-native-access=ALL-UNNAMED -cp "$share/dunlin.jar:$share/test/classes" Endless "$samples"
