#!/usr/bin/env bash
# install.sh [FROM]: installs the C library, its headers, the tool `dunlin`, and what pkg-config and CMake find them by.
#
#   PREFIX    where it is to be used: /usr/local, unless it is set
#   LIBDIR    where libraries are below PREFIX: lib, or lib/x86_64-linux-gnu, or lib64
#   DESTDIR   a folder in which PREFIX is made, for those who make packages
#
# FROM is a folder that scripts/library.sh has filled; it does so by itself if none is named. Where there is no cargo, as for
# root after `make languages`, it takes what was built.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
case $prefix in /*) ;; *) echo "install: PREFIX is $prefix: it has to begin with /" >&2; exit 64 ;; esac
case $libdir in /* | *..*) echo "install: LIBDIR is $libdir: it is a path below PREFIX, such as lib or lib64" >&2; exit 64 ;; esac
from=${1:-}
if [ -z "$from" ]; then
    built=${CARGO_TARGET_DIR:-target}/languages
    if command -v "${CARGO:-cargo}" >/dev/null || [ ! -e "$built/lib/libdunlin.a" ]; then
        scripts/require-rust.sh
        from=$(scripts/library.sh)
    else
        from=$(realpath "$built")
    fi
fi
to=${DESTDIR:-}$prefix

# number NAME: what a constant of the header is.
number() {
    sed -n "s/^#define $1 \([0-9]*\)$/\1/p" "$from/include/dunlin/dunlin.h"
}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
major=$(number DUNLIN_ABI_MAJOR)
minor=$(number DUNLIN_ABI_MINOR)
up=$(sed 's#[^/][^/]*#..#g' <<<"$libdir")/..

# filled TEMPLATE FILE: with what differs between versions and places.
filled() {
    sed -e "s#@VERSION@#$version#g" -e "s#@MAJOR@#$major#g" -e "s#@UP@#$up#g" "$1" >"$2"
    chmod 644 "$2"
}

install -d "$to/bin" "$to/$libdir/pkgconfig" "$to/$libdir/cmake/Dunlin" "$to/include" "$to/share/doc/dunlin"
install -m 755 "$from/bin/dunlin" "$to/bin/"
install -m 755 "$from/lib/libdunlin.so.$major" "$to/$libdir/libdunlin.so.$major.$minor"
ln -sf "libdunlin.so.$major.$minor" "$to/$libdir/libdunlin.so.$major"
ln -sf "libdunlin.so.$major" "$to/$libdir/libdunlin.so"
install -m 644 "$from/lib/libdunlin.a" "$to/$libdir/"
# Lines of our sources help nobody who has not got them.
if command -v strip >/dev/null; then
    strip --strip-unneeded "$to/$libdir/libdunlin.so.$major.$minor"
    strip --strip-debug "$to/$libdir/libdunlin.a"
fi
(cd "$from/include" && find dunlin -name '*.h' -o -name '*.hpp') | while read -r header; do
    install -D -m 644 "$from/include/$header" "$to/include/$header"
done
install -m 644 LICENSE "$from/NOTICES" "$to/share/doc/dunlin/"
filled bindings/c/pkgconfig/dunlin.pc.in "$to/$libdir/pkgconfig/dunlin.pc"
for file in DunlinConfig DunlinConfigVersion; do
    filled "bindings/c/cmake/$file.cmake.in" "$to/$libdir/cmake/Dunlin/$file.cmake"
done
install -m 644 bindings/c/cmake/DunlinGenerate.cmake "$to/$libdir/cmake/Dunlin/"
echo "Dunlin $version is in $to"
