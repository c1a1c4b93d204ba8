#!/bin/sh
# build.sh cyclone|fastdds|raw_shm|iceoryx2|zenoh OUT_DIR: builds the program of that name in OUT_DIR, or exits with 69 and a line that
# says what is missing. What is up to date is left alone.
set -eu
[ $# = 2 ] || { echo "usage: build.sh cyclone|fastdds|raw_shm|iceoryx2|zenoh OUT_DIR" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2/$1.d"
out=$(cd "$2" && pwd)
generated=$out/$1.d

need() {
    for package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
            { echo "Debian package $package is not installed (apt-get install $*)" >&2; exit 69; }
    done
}

# Everything is rebuilt when anything has changed.
newest() {
    [ -e "$out/$1" ] && [ -z "$(find "$here" "$here/../src/peer" -newer "$out/$1" -type f)" ]
}

case $1 in
cyclone)
    need cyclonedds-dev cyclonedds-tools gcc
    newest cyclone && exit 0
    # idlc writes into the directory that it runs in.
    (cd "$generated" && idlc "$here/bench.idl")
    gcc -std=gnu11 -O2 -Wall -Wextra -I"$here" -I"$generated" \
        "$here/peer.c" "$here/cyclone.c" "$generated/bench.c" -lddsc -lpthread -o "$out/cyclone.new"
    ;;
fastdds)
    need libfastrtps-dev fastddsgen g++
    newest fastdds && exit 0
    fastddsgen -replace -d "$generated" "$here/bench.idl" >"$generated/log" 2>&1 || { cat "$generated/log" >&2; exit 1; }
    gcc -std=gnu11 -O2 -Wall -Wextra -I"$here" -c "$here/peer.c" -o "$generated/peer.o"
    g++ -std=gnu++17 -O2 -Wall -Wextra -I"$here" -I"$generated" "$generated/peer.o" "$here/fastdds.cpp" \
        "$generated/bench.cxx" "$generated/benchPubSubTypes.cxx" -lfastrtps -lfastcdr -lpthread -o "$out/fastdds.new"
    ;;
raw_shm)
    command -v cc >/dev/null || { echo "there is no C compiler" >&2; exit 69; }
    newest raw_shm && exit 0
    # As one unit: the floor shall not pay for calls between files.
    cc -std=gnu11 -O2 -flto -Wall -Wextra -I"$here" "$here/peer.c" "$here/raw_shm.c" -lpthread -o "$out/raw_shm.new"
    ;;
iceoryx2 | zenoh)
    newest "$1" && exit 0
    # In a workspace of its own: nobody else builds it.
    "${CARGO:-cargo}" build --release --locked --quiet --manifest-path "$here/$1/Cargo.toml" --target-dir "$generated" || {
        echo "it was not built (from crates.io, with Rust 1.89 or newer)" >&2
        exit 69
    }
    cp "$generated/release/$1" "$out/$1.new"
    ;;
*)
    echo "build.sh: $1: not one of these" >&2
    exit 64
    ;;
esac
mv "$out/$1.new" "$out/$1"
