#!/usr/bin/env bash
# run.sh SUITE: the OMG's interoperability suite (github.com/omg-dds/dds-rtps, in the folder SUITE) with its program of
# the classic C++ API, unmodified: with itself and both ways with Rust's, in XCDR1 and XCDR2. Its C program is built,
# too, over an adapter of the interface that it uses (tests/languages/omg/c).
#   PYTHON   a Python with pexpect and junitparser (default: python3)
#   PAIRS    which of cpp98, rust and c, such as "c:rust" (default: "cpp98:cpp98 cpp98:rust rust:cpp98")
#   XCDR     which representations (default: "1 2")
#   CASES    which test cases (default: all)
#   SHARDS   how many cases at a time, each in a network of its own (default: 6)
# It takes the library that `make languages` has built. It ends with a line for each pair, and fails if a case does.
set -euo pipefail
cd "$(dirname "$0")/../../.."

suite=$(realpath "${1:?usage: run.sh FOLDER_OF_THE_SUITE}")
python=${PYTHON:-python3}
into=$(realpath "${CARGO_TARGET_DIR:-target}/languages")
work=$into/omg
source=$suite/srcCxx/shape_main.cxx
[ -f "$source" ] || { echo "$suite has no srcCxx/shape_main.cxx: git clone https://github.com/omg-dds/dds-rtps" >&2; exit 2; }
[ -x "$into/bin/dunlin" ] || { echo "$into has no library: make languages builds it" >&2; exit 2; }
"$python" -c 'import pexpect, junitparser' 2>/dev/null || {
    echo "$python has no pexpect or junitparser: python3 -m venv V && V/bin/pip install pexpect==4.8.0 junitparser==3.1.0," \
        "then PYTHON=V/bin/python" >&2
    exit 2
}
sha256sum "$source"

# A header beside the source would be taken first, so the source is a link in another folder.
mkdir -p "$work"
ln -sf "$source" "$work/shape_main.cxx"
"$into/bin/dunlin" idl gen -l cpp98 -o "$work" "$suite/srcCxx/shape.idl"
"${CXX:-g++}" -std=c++11 -O2 -DRTI_CONNEXT_DDS -I tests/languages/omg -I "$work" -I "$into/include" "$work/shape_main.cxx" \
    -L "$into/lib" -ldunlin -Wl,-rpath,"$into/lib" -o "$work/cpp98_shape_main"
# The adapter is one header; the program also includes parts of what it takes the place of.
mkdir -p "$work/c/dds/ddsc" "$work/c/dds/ddsrt"
touch "$work/c/dds/ddsc/dds_public_qosdefs.h" "$work/c/dds/ddsc/dds_public_status.h" "$work/c/dds/ddsrt/time.h"
"$into/bin/dunlin" idl gen -l c -o "$work/c" "$suite/srcC/shape.idl"
"${CC:-gcc}" -std=gnu11 -O2 -I tests/languages/omg/c -I "$work/c" -I "$into/include" "$suite/srcC/shape_main.c" \
    "$work/c/shape.c" -L "$into/lib" -ldunlin -Wl,-rpath,"$into/lib" -lm -o "$work/c_shape_main"
"${CARGO:-cargo}" build --profile "${LANGUAGES_PROFILE:-release}" -p dunlin-shapes
built=$([ "${LANGUAGES_PROFILE:-release}" = dev ] && echo debug || echo "${LANGUAGES_PROFILE:-release}")
cp --remove-destination "${CARGO_TARGET_DIR:-target}/$built/shape_main" "$work/rust_shape_main"

# As many lines of names as there are shards, each shard with every n-th case.
cases() {
    (cd "$suite" && "$python" - "${SHARDS:-6}" ${CASES:-} <<'PYTHON'
import sys, test_suite
shards, names = int(sys.argv[1]), sys.argv[2:] or list(test_suite.rtps_test_suite_1)
for shard in range(min(shards, len(names))):
    print(*names[shard::shards])
PYTHON
    )
}

# Counts what the reports in a folder say, and names what failed.
count() {
    "$python" - "$1" <<'PYTHON'
import glob, sys, junitparser
passed, failed = 0, []
for report in glob.glob(sys.argv[1] + '/*.xml'):
    for suite in junitparser.JUnitXml.fromfile(report):
        for case in suite:
            if case.is_passed: passed += 1
            else: failed.append(case.name.replace('rtps_test_suite_1_', ''))
print(f'{passed} of {passed + len(failed)}', *sorted(failed))
PYTHON
}

code=0
for xcdr in ${XCDR:-1 2}; do
    for pair in ${PAIRS:-cpp98:cpp98 cpp98:rust rust:cpp98}; do
        reports=$work/reports/${pair/:/-}-$xcdr
        rm -rf "$reports"
        mkdir -p "$reports"
        shard=0
        while read -r names; do
            shard=$((shard + 1))
            (
                cd "$suite"
                # shellcheck disable=SC2086
                exec "$OLDPWD/tests/interop/netns.sh" env --default-signal=INT,QUIT PYTHONDONTWRITEBYTECODE=1 "$python" \
                    interoperability_report.py -v -P "$work/${pair%:*}_shape_main" -S "$work/${pair#*:}_shape_main" \
                    -x "$xcdr" -o "$reports/$shard.xml" -t $names
            ) >"$reports/$shard.log" 2>&1 </dev/null &
        done < <(cases)
        wait
        said=$(count "$reports")
        echo "${pair/:/ to }, XCDR$xcdr: $said"
        [ "$(wc -w <<<"$said")" = 3 ] || code=1
    done
done
exit $code
