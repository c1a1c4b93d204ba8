#!/usr/bin/env bash
# notices.sh PACKAGE...: the licenses of all crates of others that are linked into these packages, with the texts that come
# with them, each text once.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
for package in "$@"; do packages+=(-p "$package"); done
crates=$("${CARGO:-cargo}" tree --locked "${packages[@]}" --edges normal --prefix none --no-dedupe --format '{p}|{l}' |
    grep -v '(/' | grep -v '^$' | sort -u)
sources=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*)
declare -A printed

echo "What Dunlin is made of besides its own sources, each with its license."
printf '\n==== The Rust standard library: MIT OR Apache-2.0\n'
while IFS='|' read -r crate license; do
    read -r name version _ <<<"$crate"
    printf '\n==== %s %s: %s\n' "$name" "${version#v}" "$license"
    for text in "${sources[@]/%//$name-${version#v}}"/*; do
        case $(basename "${text,,}") in license* | copying* | notice* | copyright*) ;; *) continue ;; esac
        [ -f "$text" ] || continue
        hash=$(sha256sum <"$text")
        printf '\n-- %s' "$(basename "$text")"
        if [ -n "${printed[$hash]:-}" ]; then
            echo ": as of ${printed[$hash]}"
        else
            printed[$hash]="$name"
            echo
            cat "$text"
        fi
    done
done <<<"$crates"
