#!/bin/sh
# route.sh: runs a Routing Service with samples that pass, in a network of its own, and looks at its page with a browser.
#   PROFILE  of the build (default: dev)
set -eu
cd "$(dirname "$0")/../.."
if [ "${1:-}" != inside ]; then
    profile=${PROFILE:-dev}
    ${CARGO:-cargo} build --quiet --profile "$profile" -p dunlin-cli
    target=${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")
    # The limit is there for a browser that hangs; the checks take about twenty seconds.
    exec timeout -k 10 400 tests/interop/netns.sh "$PWD/tests/report/route.sh" inside "$target"
fi
target=$2
place=$(mktemp -d)
pids=
trap 'kill $pids 2>/dev/null || true; rm -rf "$place"' EXIT
echo 0123456789abcdef >"$place/token"
cat >"$place/yard.toml" <<'TOML'
[participants.near]
domain = 0
[participants.far]
domain = 1
[[routes]]
from = "near"
to = "far"
topics = ["Square", "Circle"]
TOML
"$target/dunlin" route run "$place/yard.toml" --http 8085 --http-token-file "$place/token" -verbosity warning &
router=$!
pids=$router
for topic in Square Circle; do
    "$target/dunlin" shapes -P -t $topic -d 0 -r -c BLUE >"$place/P$topic" 2>&1 &
    pids="$pids $!"
    "$target/dunlin" shapes -S -t $topic -d 1 -r >"$place/S$topic" 2>&1 &
    pids="$pids $!"
done
tries=0
until node -e 'fetch("http://127.0.0.1:8085/v1/routing_services").catch(() => process.exit(1))'; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "route.sh: the service does not answer" >&2; exit 1; }
    sleep 0.2
done
node tests/report/route.mjs http://127.0.0.1:8085/ 0123456789abcdef $router
