#!/usr/bin/env bash
# Builds the C library, puts it with its headers into target/languages, and tries it: the examples of each language.
# LANGUAGES_PROFILE=dev takes an unoptimized library.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
into=$target/languages
profile=${LANGUAGES_PROFILE:-release}
built=$target/$([ "$profile" = dev ] && echo debug || echo "$profile")
"${CARGO:-cargo}" build --profile "$profile" -p dunlin-ffi -p dunlin-cli
mkdir -p "$into/lib" "$into/include/dunlin" "$into/bin"
cp --remove-destination "$built/libdunlin_ffi.so" "$into/lib/libdunlin.so.0"
cp --remove-destination "$built/libdunlin_ffi.a" "$into/lib/libdunlin.a"
cp --remove-destination "$built/dunlin" "$into/bin/"
ln -sf libdunlin.so.0 "$into/lib/libdunlin.so"
cp crates/ffi/include/dunlin/dunlin.h bindings/c/include/dunlin/*.h "$into/include/dunlin/"
echo "c: $into/include/dunlin/dunlin.h, $into/lib/libdunlin.so, $into/lib/libdunlin.a"
scripts/languages/c.sh "$into"
scripts/languages/cpp98.sh "$into"
