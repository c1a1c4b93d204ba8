#!/usr/bin/env bash
# Builds the C library and puts it with its header into target/languages.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
into=$target/languages
"${CARGO:-cargo}" build --release -p dunlin-ffi
mkdir -p "$into/lib" "$into/include/dunlin"
cp --remove-destination "$target/release/libdunlin_ffi.so" "$into/lib/libdunlin.so.0"
cp --remove-destination "$target/release/libdunlin_ffi.a" "$into/lib/libdunlin.a"
ln -sf libdunlin.so.0 "$into/lib/libdunlin.so"
cp crates/ffi/include/dunlin/dunlin.h "$into/include/dunlin/"
echo "c: $into/include/dunlin/dunlin.h, $into/lib/libdunlin.so, $into/lib/libdunlin.a"
scripts/languages/cpp98.sh "$into"
