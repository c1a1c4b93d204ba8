#!/usr/bin/env bash
# Builds programs as a profile of their own says (profile-guided optimization; docs/tuning.md): instrumented, then trained by a short
# campaign, then once more with what that counted.
#   scripts/tune.sh PACKAGE...     leaves their programs in target/tuned; dunlin-perftest has to be among them
# Without `llvm-profdata`, which rustup brings, they are built without a profile, and one line says so.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
training=$target/training
mkdir -p "$training"
training=$(cd "$training" && pwd)
profile=$training/profile.profdata
counts=$training/counts
log=$training/log
packages=()
for package in "$@"; do packages+=(-p "$package"); done
# Nothing is built twice there.
export CARGO_INCREMENTAL=0

# llvm_profdata: where it is, if it can be had.
llvm_profdata() {
    local tool
    tool=$(rustc --print target-libdir)/../bin/llvm-profdata
    if [ ! -x "$tool" ] && command -v rustup >/dev/null 2>&1; then
        timeout 120 rustup --quiet component add llvm-tools >/dev/null 2>&1 || true
    fi
    [ -x "$tool" ] && echo "$tool"
}

# plain WHY: builds without a profile.
plain() {
    echo "$1; building without a profile, which costs about a third of the latency at 32 bytes" >&2
    cargo build --profile tuned "${packages[@]}"
    exit
}

# train: runs what programs do often, and leaves the counts of all processes.
train() {
    rm -rf "$counts" "$training/campaign"
    "$training/tuned/perftest" campaign scripts/training.toml --plain --output "$training/campaign" || return 1
    [ -e "$training/tuned/bench-peer" ] || return 0
    # A run that fails is no failure here: what it counted is enough.
    for part in throughput shm; do
        rm -rf "$training/$part"
        "$training/tuned/perftest" campaign bench --only $part --with "" --repetitions 1 --plain --output "$training/$part" || true
    done
}

# flags FLAG: what the environment wants of rustc, and this flag, which may have blanks in it.
flags() {
    local wanted=${CARGO_ENCODED_RUSTFLAGS:-}
    [ -n "$wanted" ] || wanted=$(echo "${RUSTFLAGS:-}" | xargs -n 1 | tr '\n' $'\x1f')
    wanted=${wanted%$'\x1f'}
    echo "${wanted:+$wanted$'\x1f'}$1"
}

merge=$(llvm_profdata) || plain "llvm-profdata is missing ('rustup component add llvm-tools' brings it)"

# In a directory of its own, but otherwise the same build: the counts go by names of functions, which depend on it.
CARGO_ENCODED_RUSTFLAGS=$(flags "-Cprofile-generate=$counts") cargo build --profile tuned --target-dir "$training" "${packages[@]}" ||
    plain "the instrumented build failed"
if [ ! -e "$profile" ] || [ -n "$(find "$training/tuned" -maxdepth 1 -type f -perm -u+x -newer "$profile")" ]; then
    echo "Training, which takes up to three minutes: $log"
    train >"$log" 2>&1 || plain "the training failed, see $log"
    "$merge" merge -o "$profile" "$counts"/*.profraw || plain "llvm-profdata cannot read what the training left in $counts"
    rm -rf "$counts"
fi
# `DUNLIN_TUNED` is what reports say of the build.
export DUNLIN_TUNED=yes
CARGO_ENCODED_RUSTFLAGS=$(flags "-Cprofile-use=$profile") cargo build --profile tuned "${packages[@]}"
