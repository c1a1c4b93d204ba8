#!/usr/bin/env bash
# Builds the C library and the tool `dunlin`, puts them with the headers into target/languages, and prints that folder.
# LANGUAGES_PROFILE=dev takes an unoptimized library.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
into=$target/languages
profile=${LANGUAGES_PROFILE:-release}
built=$target/$([ "$profile" = dev ] && echo debug || echo "$profile")
if [ "$profile" != dev ]; then
    # Panics name files: which folders this machine has is nobody's business.
    export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src= --remap-path-prefix=$PWD/="
fi
"${CARGO:-cargo}" build --profile "$profile" -p dunlin-ffi -p dunlin-cli >&2
mkdir -p "$into/lib" "$into/include/dunlin" "$into/bin"
cp --remove-destination "$built/libdunlin_ffi.so" "$into/lib/libdunlin.so.0"
cp --remove-destination "$built/libdunlin_ffi.a" "$into/lib/libdunlin.a"
cp --remove-destination "$built/dunlin" "$into/bin/"
ln -sf libdunlin.so.0 "$into/lib/libdunlin.so"
cp crates/ffi/include/dunlin/dunlin.h bindings/c/include/dunlin/*.h "$into/include/dunlin/"
cp -r bindings/cpp98/include/dunlin/. "$into/include/dunlin/"
scripts/notices.sh dunlin-ffi dunlin-cli >"$into/NOTICES"
realpath "$into"
