#!/usr/bin/env bash
# omg_router.sh SUITE: the OMG's interoperability suite (github.com/omg-dds/dds-rtps, in the folder SUITE) through a
# Routing Service: its publishers are in domain 0, its subscribers in domain 1.
#   PYTHON   a Python with pexpect and junitparser (default: python3)
#   XCDR     which representations (default: "1 2")
#   CASES    which test cases (default: all)
#   SHARDS   how many cases at a time, each in a network of its own with a service (default: 6)
#   PROFILE  of the build (default: release)
# It ends with a line for each representation, and fails if a case does that docs/interop.md does not name.
set -euo pipefail
cd "$(dirname "$0")/../.."

# What cannot hold: docs/interop.md says why.
known="Domain_0 Domain_1 Domain_2
    Reliability_1 Ownership_1 Ownership_2 Deadline_2 Durability_1 Durability_2 Durability_3 Durability_6 Durability_7
    Durability_11 DataRepresentation_1 DataRepresentation_2 Partition_1 Partition_2
    OrderedAccess_1 OrderedAccess_2 OrderedAccess_5 OrderedAccess_9
    CoherentSets_1 CoherentSets_2 CoherentSets_5 CoherentSets_9 CoherentSets_12 CoherentSets_21"

suite=$(realpath "${1:?usage: omg_router.sh FOLDER_OF_THE_SUITE}")
python=${PYTHON:-python3}
profile=${PROFILE:-release}
"$python" -c 'import pexpect, junitparser' 2>/dev/null || {
    echo "$python has no pexpect or junitparser: python3 -m venv V && V/bin/pip install pexpect==4.8.0 junitparser==3.1.0," \
        "then PYTHON=V/bin/python" >&2
    exit 2
}
"${CARGO:-cargo}" build --profile "$profile" -p dunlin-shapes -p dunlin-cli
target=$(realpath "${CARGO_TARGET_DIR:-target}")
built=$target/$([ "$profile" = dev ] && echo debug || echo "$profile")
work=$target/omg-router
rm -rf "$work"
mkdir -p "$work"
cp "$built/shape_main" "$work/near_shape_main"
# The suite's cases name no domain.
printf '#!/bin/sh\nexec %q/near_shape_main "$@" -d 1\n' "$work" >"$work/far_shape_main"
chmod +x "$work/far_shape_main"
cat >"$work/router.toml" <<'TOML'
name = "omg"
[participants.near]
domain = 0
[participants.far]
domain = 1
[[routes]]
from = "near"
to = "far"
topics = ["*"]
linger = "100 ms"
TOML

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

# Counts what the reports in a folder say, and names what failed; fails if one of them is not among those that are known.
count() {
    # shellcheck disable=SC2086
    "$python" - "$1" $known <<'PYTHON'
import glob, sys, junitparser
passed, failed = 0, []
for report in glob.glob(sys.argv[1] + '/*.xml'):
    for suite in junitparser.JUnitXml.fromfile(report):
        for case in suite:
            if case.is_passed: passed += 1
            else: failed.append(case.name.replace('rtps_test_suite_1_Test_', ''))
print(f'{passed} of {passed + len(failed)}', *sorted(failed))
sys.exit(not passed or bool(set(failed) - set(sys.argv[2:])))
PYTHON
}

# In a network of its own: WORK DUNLIN PYTHON REPORT XCDR CASE ...
cat >"$work/shard.sh" <<'SHARD'
work=$1 dunlin=$2 python=$3 report=$4 xcdr=$5
shift 5
"$dunlin" route run "$work/router.toml" -verbosity warning &
router=$!
trap 'kill $router; wait $router' EXIT
"$python" interoperability_report.py -v -P "$work/near_shape_main" -S "$work/far_shape_main" \
    -x "$xcdr" -o "$report.xml" -t "$@"
SHARD

code=0
for xcdr in ${XCDR:-1 2}; do
    reports=$work/reports-$xcdr
    mkdir -p "$reports"
    number=0
    while read -r names; do
        number=$((number + 1))
        (
            cd "$suite"
            # shellcheck disable=SC2086
            exec "$OLDPWD/tests/interop/netns.sh" env --default-signal=INT,QUIT PYTHONDONTWRITEBYTECODE=1 \
                bash "$work/shard.sh" "$work" "$built/dunlin" "$python" "$reports/$number" "$xcdr" $names
        ) >"$reports/$number.log" 2>&1 </dev/null &
    done < <(cases)
    wait
    said=$(count "$reports") || code=1
    echo "through a service, XCDR$xcdr: $said"
done
exit $code
