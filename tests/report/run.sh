#!/bin/sh
# run.sh: makes the report of a campaign that never ran, and looks at it with a browser. `run.sh DIRECTORY` leaves report and pictures there.
set -eu
cd "$(dirname "$0")/../.."
place=${1:-}
if [ -z "$place" ]; then
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
fi
${CARGO:-cargo} run --quiet -p dunlin-campaign --example fixture -- "$place" >/dev/null
# The limit is there for a browser that hangs; the checks take about ten seconds.
timeout -k 10 400 node tests/report/check.mjs "$place/campaign/report.html" "$place/published/report.html" "$place"
