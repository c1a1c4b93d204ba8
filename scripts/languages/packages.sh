#!/usr/bin/env bash
# packages.sh INTO: installs what is in INTO into an empty folder, and from there builds and runs the example hello in C and
# C++98, with the shared and the static library, by pkg-config and by CMake.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$1

[ "${LANGUAGES_TRY:-}" != no ] || exit 0

missing=
for tool in "${CC:-gcc}" "${CXX:-g++}" pkg-config cmake make; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "packages: skipped, needs$missing: install gcc g++ pkg-config cmake make"
    exit 77
fi

work=$into/packages
rm -rf "$work"
mkdir -p "$work"
# It is used where it was not meant to be: nothing of it may depend on its place.
DESTDIR=$work/root PREFIX=/opt/dunlin scripts/install.sh "$into"
mv "$work/root/opt/dunlin" "$work/shared"
# A linker takes the shared library if it finds both.
cp -r "$work/shared" "$work/static"
rm "$work"/static/lib/libdunlin.so*
[ "$(readlink "$work/shared/lib/libdunlin.so")" = libdunlin.so.0 ]
grep -q "^==== rustls " "$work/shared/share/doc/dunlin/NOTICES"
if [ "${LANGUAGES_PROFILE:-}" = release ] && grep -aq "$HOME/" "$work/shared/lib/libdunlin.so.0" "$work/shared/lib/libdunlin.a"; then
    echo "packages: the libraries name folders of the machine where they were built" >&2
    exit 1
fi

export LD_LIBRARY_PATH=$work/shared/lib
# ran HOW PUBLISHER SUBSCRIBER
ran() {
    scripts/languages/run-example.sh "packages ($1)" hello "'$3'" "'$2'"
}

for language in c cpp98; do
    ending=c flags="-std=c99" compiler=${CC:-gcc}
    [ $language = c ] || ending=cpp flags="-std=c++98" compiler=${CXX:-g++}
    made=$work/$language
    "$work/shared/bin/dunlin" idl gen -l $language -o "$made" examples/hello/Position.idl
    for kind in shared static; do
        export PKG_CONFIG_PATH=$work/$kind/lib/pkgconfig
        static=$([ $kind = shared ] || echo --static)
        for side in publisher subscriber; do
            sources=("examples/hello/$language/$side.$ending")
            [ $language = cpp98 ] || sources+=("$made/Position.c")
            "$compiler" $flags -I "$made" $(pkg-config --cflags dunlin) "${sources[@]}" $(pkg-config $static --libs dunlin) \
                -o "$made/${kind}_$side"
        done
        ran "pkg-config, $language, $kind" "$made/${kind}_publisher" "$made/${kind}_subscriber"
    done
done

build=$work/cmake
mkdir -p "$build"
echo '@final struct Included { long before; };' >"$build/included.idl"
# Whoever configures sees only what has gone wrong.
quiet() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}
quiet cmake -S tests/languages/package -B "$build" -DCMAKE_PREFIX_PATH="$work/shared" -DEXAMPLES="$PWD/examples"
quiet cmake --build "$build" -j2
for program in c_dunlin c_static cpp98_cpp98 cpp98_static; do
    ran "CMake, $program" "$build/${program}_publisher" "$build/${program}_subscriber"
done
echo '@final struct Included { long behind; };' >"$build/included.idl"
quiet cmake --build "$build" --target including
grep -q behind "$build/including.idl/including.h" || {
    echo "packages: an included IDL file has changed, and nothing was made anew" >&2
    exit 1
}
quiet cmake --build "$build" --target including
! grep -q "becomes c" "$work/log" || {
    echo "packages: nothing has changed, and something was made anew" >&2
    exit 1
}
# ranges SAYS OPTION: what the program says when it is configured with an option of `dunlin idl gen`.
ranges() {
    local said
    quiet cmake -S tests/languages/package -B "$build" -DRANGES="$2"
    quiet cmake --build "$build" --target ranges
    said=$("$build/ranges")
    [ "$said" = "$1" ] || {
        echo "packages: with the options \"$2\" a value out of its range: \"$said\" instead of \"$1\"" >&2
        exit 1
    }
}
ranges written ""
ranges "Tank.level: 101 is outside of the range 0 to 100" --range-checks
quiet cmake --build "$build" --target ranges
! grep -q "becomes c" "$work/log" || {
    echo "packages: no option has changed, and something was made anew" >&2
    exit 1
}
ranges written ""
rm -rf "$work"
echo "packages: hello runs with what was installed, by pkg-config and by CMake"
