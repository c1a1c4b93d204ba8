#!/usr/bin/env bash
# Rings, pools and the memory under them, and the handles and the memory of the C interface, interpreted by miri, which finds what Rust leaves undefined: reads outside, data races,
# pointers that lost their origin. On the heap, since miri has no mappings; bytes are copied word by word, since it has no assembly.
# The property tests stay out: interpreted, a single case takes minutes. Without nightly Rust there is no miri, and nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "SKIPPED miri: it needs nightly Rust with it ('rustup toolchain install nightly --component miri,rust-src')" >&2
    exit 0
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri"
cargo +nightly miri test --package dunlin-shm --lib -- ring::tests pool::tests memory::tests \
    --skip a_ring_is_a_bounded_queue --skip no_garbage_in_the_ring_panics --skip held_chunks_never_change
cargo +nightly miri test --package dunlin-ffi --lib -- handle::tests memory::tests
