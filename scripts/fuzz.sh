#!/usr/bin/env bash
# Runs each fuzz target for FUZZ_SECONDS (60): all of them, or those that are named. What it finds is in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

if ! cargo +nightly fuzz --version >/dev/null 2>&1; then
    echo "SKIPPED fuzzing: it needs 'rustup toolchain install nightly && cargo install cargo-fuzz'; 'make test' replays the corpora without" >&2
    exit 0
fi

if [ $# -eq 0 ]; then
    set -- $(basename -s .rs fuzz_targets/*.rs)
fi
mkdir -p artifacts
if ! cargo +nightly fuzz build --fuzz-dir . --features fuzzing >artifacts/build.log 2>&1; then
    cat artifacts/build.log
    exit 1
fi
found=0
for target in "$@"; do
    # New inputs go to a directory of their own; a seed that is worth it is named and moved to corpus/ by hand.
    mkdir -p "found/$target" "artifacts/$target"
    log="artifacts/$target.log"
    if cargo +nightly fuzz run --fuzz-dir . --features fuzzing "$target" "found/$target" "corpus/$target" -- \
        -max_total_time="${FUZZ_SECONDS:-60}" -timeout=1 -rss_limit_mb=512 -max_len=4096 >"$log" 2>&1; then
        echo "$target: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) .*/\1 runs in \2 s, nothing found/p' "$log")"
    else
        tail -n 30 "$log"
        echo "$target: FOUND SOMETHING, see fuzz/$log"
        found=1
    fi
done
exit $found
