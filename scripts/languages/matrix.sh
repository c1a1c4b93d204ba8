#!/usr/bin/env bash
# matrix.sh INTO: a publisher and a subscriber of each two languages that are there exchange samples of all types of
# tests/languages/matrix, over UDP, shared memory and TCP, and each subscriber prints what it gets: all have to print the same.
# Then one side of each two has a later version of the types. It takes what the scripts of the languages have put into INTO.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")
[ "${LANGUAGES_TRY:-}" != no ] || exit 0
profile=${LANGUAGES_PROFILE:-release}
target=${CARGO_TARGET_DIR:-target}
own=tests/languages/matrix
work=$into/matrix
languages=
# What the preprocessor of IDL is told, and what is behind the name of the program in Rust.
version=()
ending=

# ready LANGUAGE COMMAND...: this language takes part; the command runs its program.
ready() {
    local language=$1
    shift
    printf '#!/usr/bin/env bash\nexec %s "$@"\n' "${*@Q}" >"$work/$language/run"
    chmod +x "$work/$language/run"
    languages="$languages $language"
}

# without LANGUAGE REASON
without() {
    echo "matrix: without $1: $2"
}

# made LANGUAGE: an empty folder with the types in the language.
made() {
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1"
    [ "$1" = rust ] || "$into/bin/dunlin" idl gen -l "$1" "${version[@]}" -o "$work/$1" "$own/matrix.idl"
}

# Java and C# have no macros: the file for one module becomes those of the others.
modules() {
    local from=$1 ending=$2 module
    cp "$from"/*."$ending" "$work/sources/"
    for module in Appendables Mutables; do
        sed "s/Finals\b/$module/g" "$from/OfFinals.$ending" >"$work/sources/Of$module.$ending"
    done
}

# build: the programs of all languages that are there, in the folder `work`.
build() {
    languages=
    made rust
    cp "$target/$([ "$profile" = dev ] && echo debug || echo "$profile")/matrix$ending" "$work/rust/matrix"
    ready rust "$work/rust/matrix"

    compiler=${CC:-gcc}
    if command -v "$compiler" >/dev/null; then
        made c
        "$compiler" -std=c99 -pedantic -Wall -Wextra -Werror -I "$into/include" -I "$work/c" "$own/c/matrix.c" "$work/c/matrix.c" \
            -L "$into/lib" -ldunlin -pthread -Wl,-rpath,"$into/lib" -o "$work/c/matrix"
        ready c "$work/c/matrix"
    else
        without c "$compiler is missing: install gcc, or set CC"
    fi

    compiler=${CXX:-g++}
    if command -v "$compiler" >/dev/null; then
        made cpp98
        "$compiler" -std=c++98 -pedantic -Wall -Wextra -Werror -fno-exceptions -fno-rtti -I "$into/include" -I "$work/cpp98" \
            "$own/cpp98/matrix.cpp" -L "$into/lib" -ldunlin -Wl,-rpath,"$into/lib" -o "$work/cpp98/matrix"
        ready cpp98 "$work/cpp98/matrix"
    else
        without cpp98 "$compiler is missing: install g++, or set CXX"
    fi

    jar=$into/share/java/dunlin.jar
    if ! home=$(scripts/java-home.sh 2>&1); then
        without java "$home"
    elif [ ! -e "$jar" ]; then
        without java "$jar is missing: make languages"
    else
        made java
        rm -rf "$work/sources" && mkdir "$work/sources"
        modules "$own/java" java
        mapfile -t sources < <(find "$work/java" -name '*.java' | sort)
        "$home/bin/javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC --release 22 -encoding UTF-8 -Xlint:all,-options -Werror \
            -d "$work/java/classes" -cp "$jar" "${sources[@]}" "$work"/sources/*.java
        ready java "$home/bin/java" -Xcheck:jni -esa -ea -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
            --enable-native-access=ALL-UNNAMED -cp "$jar:$work/java/classes" Matrix
    fi

    library=$into/share/csharp/Dunlin.dll
    code=0
    commands=$(scripts/languages/csharp-sdk.sh 2>&1) || code=$?
    if [ "$code" = 77 ]; then
        without csharp "${commands##*$'\n'}"
    elif [ "$code" != 0 ]; then
        echo "$commands" >&2
        exit "$code"
    elif [ ! -e "$library" ]; then
        without csharp "$library is missing: make languages"
    else
        compiler=$(tail -n 2 <<<"$commands" | head -n 1)
        run=$(tail -n 1 <<<"$commands")
        made csharp
        rm -rf "$work/sources" && mkdir "$work/sources"
        modules "$own/csharp" cs
        cp "$library" "$work/csharp/"
        "$compiler" program -target:exe -optimize -r:"$library" -out:"$work/csharp/Matrix.dll" "$work"/csharp/*.cs \
            "$work"/sources/*.cs
        ready csharp env "DUNLIN_LIBRARY=$into/lib" "$run" "$work/csharp/Matrix.dll"
    fi
}

"${CARGO:-cargo}" build --profile "$profile" -p dunlin-languages-matrix
build
later=$work/later
work=$later version=(-D EVOLVED) ending=_later
build
work=$into/matrix

pairs=$(wc -w <<<"$languages")

# exchange NAME TRANSPORT SUBSCRIBERS PUBLISHERS: subscribers and publishers of two folders, in a round of their own.
exchange() {
    local name=$1 transport=$2 subscribers=$3 publishers=$4 language printed code=0 failed=0
    "$work/rust/matrix" expected $languages | LC_ALL=C sort >"$work/expected"
    # The bound only ends what hangs.
    tests/interop/netns.sh timeout 300 scripts/languages/matrix-round.sh "$subscribers" "$publishers" "$transport" $languages ||
        code=$?
    if [ "$code" = 69 ]; then
        echo "matrix: built, and not run: no network namespace is possible here"
        exit 0
    fi
    for language in $languages; do
        printed=$subscribers/$language/$transport
        cat "$printed.errors" >&2
        LC_ALL=C sort -o "$printed" "$printed"
        if ! cmp -s "$work/expected" "$printed"; then
            echo "matrix: $name: the subscriber in $language does not print what is expected (<):" >&2
            diff "$work/expected" "$printed" | grep '^[<>]' | head -n 8 | cut -c 1-400 >&2
            failed=1
        fi
    done
    [ "$code" = 0 ] || failed=1
    [ "$failed" = 0 ] || exit 1
    echo "matrix: $name:$languages: $((pairs * pairs)) pairs, $(($(wc -l <"$work/expected") / pairs)) lines each, all equal"
}

for transport in udp shmem tcp; do
    exchange "$transport" "$transport" "$work" "$work"
done
# In XCDR1 nothing says where an appendable member ends, so it cannot evolve within others.
export MATRIX_WITHOUT=Appendables_Many_1,Appendables_Deep_1
exchange "udp, publishers of a version before" udp "$later" "$work"
exchange "udp, publishers of a later version" udp "$work" "$later"
