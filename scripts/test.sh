#!/usr/bin/env bash
# Everything that continuous integration checks, in one run: ends with one line of counts.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
skipped=0
log=$(mktemp)
failures=$(mktemp)
trap 'rm -f "$log" "$failures"' EXIT

# counted WORD: the sum of the numbers before WORD in the result lines of `cargo test`; nothing if there is none.
counted() {
    awk -v word="$1" '/^test result: / { for (i = 2; i <= NF; i++) if ($i == word ";" || $i == word) { sum += $(i - 1); any = 1 } }
        END { if (any) print sum }' "$log"
}

# remember NAME: what the log says of failures, for the end of the run; its last lines if nothing there looks like one.
remember() {
    echo "-- $1"
    grep -aE -A 6 '^test .* FAILED$|panicked at|^error|^FAILED|^SUMMARY' "$log" | head -n 80 | grep . || tail -n 20 "$log"
}

# slowest: the ten test programs of the log that ran longest, so that growth is seen.
slowest() {
    awk '/^ +Running / { name = $NF; sub(/.*\//, "", name); sub(/-[0-9a-f]+\)$/, "", name); name = name " (" $2 ")" }
        /^ +Doc-tests / { name = "documentation of " $2 }
        /^test result: .* finished in / { time = $NF; sub(/s$/, "", time); printf "%9.1f s  %s\n", time, name }' "$log" |
        sort -rn | head -n 10
}

# step NAME COMMAND... : runs one check, adds up what `cargo test` counted, or counts the step itself.
step() {
    local name=$1
    shift
    echo "== $name"
    local start=$SECONDS
    "$@" 2>&1 | tee "$log"
    local code=${PIPESTATUS[0]}
    local ok bad ignored
    ok=$(counted passed)
    bad=$(counted failed)
    ignored=$(counted ignored)
    if [ -z "$ok" ]; then
        ok=0
        [ "$code" -eq 0 ] && ok=1
    fi
    bad=${bad:-0}
    if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    passed=$((passed + ok))
    failed=$((failed + bad))
    skipped=$((skipped + ${ignored:-0}))
    [ "$code" -eq 0 ] || remember "$name" >>"$failures"
    echo "-- $name: exit $code, $((SECONDS - start)) s"
    [ "$(grep -c '^test result: ' "$log")" -lt 11 ] || { echo "-- $name: the slowest test programs" && slowest; }
}

# Without room everything fails, and nothing says why.
needed=10
free=$(df --output=avail -BG . | tail -n 1 | tr -dc 0-9)
if [ "${free:-$needed}" -lt "$needed" ] && [ ! -d "${CARGO_TARGET_DIR:-target}/release" ]; then
    echo "The tests build about ${needed} GB below ${CARGO_TARGET_DIR:-$PWD/target}, and the disk has ${free} GB left: free some, or set CARGO_TARGET_DIR." >&2
    exit 1
fi

tests/interop/install.sh || exit 1
tests/report/install.sh || exit 1

step "format" cargo fmt --all --check
step "lints" cargo clippy --workspace --all-targets --quiet -- -D warnings
step "release build" cargo build --profile trial --bins
step "unit and integration tests" cargo test --workspace --no-fail-fast --exclude dunlin-interop-tests
# With what the step above has built: the library is unoptimized.
step "languages" env LANGUAGES_PROFILE=dev scripts/languages.sh
step "futures" cargo test -p dunlin --features async --test futures
# In a directory of its own: the flag would rebuild everything else.
step "models of shared memory" env RUSTFLAGS="--cfg loom" cargo test --release -p dunlin-shm --lib \
    --target-dir "${CARGO_TARGET_DIR:-target}/loom"
step "fuzz corpora" cargo test --manifest-path fuzz/Cargo.toml
# A seed and a number of runs: what passed passes again, on a faster machine as well, and on one that others keep busy.
# `make fuzz` takes another course each time.
step "fuzzing" env FUZZ_SECONDS="${FUZZ_SECONDS:-5}" FUZZ_RUNS=10000 FUZZ_SEED=1 FUZZ_TIMEOUT=30 scripts/fuzz.sh
step "interoperability" cargo test -p dunlin-interop-tests --no-fail-fast
step "report in a browser" tests/report/run.sh
step "sites by zenoh" scripts/zenoh.sh

if [ -s "$failures" ]; then
    echo "== what failed"
    cat "$failures"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
