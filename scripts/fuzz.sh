#!/usr/bin/env bash
# Runs each fuzz target for FUZZ_SECONDS (60), one per processor at a time: all of them, or those that are named. What it finds
# is in fuzz/artifacts. FUZZ_RUNS: so many inputs at most, which are always the same ones with a FUZZ_SEED; FUZZ_TIMEOUT: the seconds
# (5) after which an input hangs. Without nightly Rust there is no fuzzer, and nothing to do; cargo-fuzz is installed if it is
# missing.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=${FUZZ_SECONDS:-60}
# -1: as many as there is time for.
runs=${FUZZ_RUNS:--1}
timeout=${FUZZ_TIMEOUT:-5}
# 0: another course each time.
seed=${FUZZ_SEED:-0}
# What would choose other inputs each time: how long one took, where things lie in memory, what came to the directory meanwhile.
same="" fixed=""
if [ "$seed" != 0 ]; then
    same="-entropic=0 -reload=0"
    if setarch -R true 2>/dev/null; then
        fixed="setarch -R"
    fi
fi
if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "SKIPPED fuzzing: it needs nightly Rust ('rustup toolchain install nightly'); 'make test' replays the corpora without" >&2
    exit 0
fi
if ! cargo +nightly fuzz --version >/dev/null 2>&1 && ! cargo install --quiet --locked cargo-fuzz; then
    echo "SKIPPED fuzzing: it needs 'cargo install cargo-fuzz'; 'make test' replays the corpora without" >&2
    exit 0
fi

# What was freed is kept to catch who uses it still: the sanitizer's 256 MB are half of what a target may take.
export ASAN_OPTIONS=quarantine_size_mb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}

if [ $# -eq 0 ]; then
    set -- $(basename -s .rs fuzz_targets/*.rs)
fi
mkdir -p artifacts
if ! cargo +nightly fuzz build --fuzz-dir . --features fuzzing >artifacts/build.log 2>&1; then
    cat artifacts/build.log
    exit 1
fi

# fuzz TARGET: runs one; new inputs go to a directory of their own, and a seed that is worth it is named and moved to corpus/ by hand.
fuzz() {
    local target=$1 log="artifacts/$1.log"
    mkdir -p "found/$target" "artifacts/$target"
    if $fixed cargo +nightly fuzz run --fuzz-dir . --features fuzzing "$target" "found/$target" "corpus/$target" -- $same \
        -seed="$seed" -runs="$runs" -max_total_time="$seconds" -timeout="$timeout" -rss_limit_mb=512 -max_len=4096 >"$log" 2>&1; then
        echo "$target: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) .*/\1 runs in \2 s, nothing found/p' "$log")"
    else
        tail -n 30 "$log"
        echo "$target: FOUND SOMETHING, see fuzz/$log"
        return 1
    fi
}
export -f fuzz
export seconds runs timeout seed same fixed
printf '%s\n' "$@" | xargs -P "$(nproc)" -I TARGET bash -c 'fuzz TARGET'
