# shellcheck shell=bash
# perftest-try.sh: what a script that makes perftest in a language sources to try it. It has set `into`, and `language`, which
# messages begin with. Then there are `rust`, which is perftest in Rust that PERFTEST names, else the one that was built last,
# `cpp`, which may be none, a folder `work` that goes with the script, and functions.

profile=${LANGUAGES_PROFILE:-release}
rust=${PERFTEST:-${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")/perftest}
if [ ! -x "$rust" ]; then
    echo "perftest-$language: $rust is missing, which it is tried with: cargo build --profile $profile -p dunlin-perftest, or set PERFTEST" >&2
    exit 1
fi
rust=$(realpath "$rust")
cpp=$into/bin/$(uname -m)/release/perftest_cpp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# table FILE: how many columns a row has, octets of a sample, and samples of those that count them.
table() {
    tr -d ' ' <"$1" | awk -F, 'NF { print NF, $1, NF == 6 ? $2 : "" }' | xargs
}

# try PUBLISHER SUBSCRIBER OPTIONS: both run to their ends, and leave their rows.
try() {
    local code=0
    tests/interop/netns.sh timeout 60 sh -c '"$0" -sub -noPrint -noOutputHeaders $3 >"$2/s.csv" 2>"$2/s.err" & sub=$!
        "$1" -pub -latencyTest -numIter 200 -scan 32:63000 -noPrint -noOutputHeaders $3 >"$2/p.csv" 2>"$2/p.err" && wait $sub' \
        "$2" "$1" "$work" "$3" || code=$?
    if [ "$code" = 69 ]; then
        echo "perftest-$language: not run, no network namespace is possible here"
        exit 0
    fi
    if [ "$code" != 0 ] || [ "$(table "$work/p.csv")" != "10 32 10 63000" ] ||
        [ "$(table "$work/s.csv")" != "6 32 200 6 63000 200" ]; then
        cat "$work/p.csv" "$work/p.err" "$work/s.csv" "$work/s.err" >&2
        echo "perftest-$language: $1 with $2, $3: failed with $code" >&2
        exit 1
    fi
}

# try_in_place PROGRAM: samples that stay in shared memory, both ways with perftest in Rust and in C++98.
try_in_place() {
    local other
    for other in "$rust" "$cpp"; do
        [ -x "$other" ] || continue
        try "$1" "$other" "-transport SHMEM -zeroCopy"
        try "$other" "$1" "-transport SHMEM -zeroCopy -checkConsistency -keyed -instances 100"
    done
}
