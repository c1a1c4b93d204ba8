#!/usr/bin/env bash
# zenoh.sh: builds and tests the adapter for zenoh, which has a lock file of its own, and checks that the ordinary build
# has nothing of it.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo=${CARGO:-cargo}
manifest=tools/routing-zenoh/Cargo.toml

if "$cargo" tree --locked --workspace --all-features --edges all --prefix none | grep -q '^zenoh'; then
    echo "zenoh is a part of the ordinary build" >&2
    exit 1
fi
(cd tools/routing-zenoh && "$cargo" fmt --check)
"$cargo" clippy --locked --manifest-path "$manifest" --all-targets --quiet -- -D warnings
"$cargo" test --locked --manifest-path "$manifest" --no-default-features --no-fail-fast
