#!/bin/sh
# build.sh OUT_DIR: generates code from interop.idl with the generators of Cyclone DDS and Fast DDS and builds
# OUT_DIR/cyclone_peer and OUT_DIR/fastdds_peer. What is up to date is left alone.
set -eu
[ $# = 1 ] || { echo "usage: build.sh OUT_DIR" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/cyclone" "$1/fastdds"
out=$(cd "$1" && pwd)

# Two test runs may share OUT_DIR.
exec 9>"$out/lock"
flock 9

# stale TARGET SOURCE...: true if TARGET is missing or older than a SOURCE.
stale() (
    target=$1
    shift
    [ -e "$target" ] || exit 0
    for source; do
        [ "$source" -nt "$target" ] && exit 0
    done
    exit 1
)

for tool in idlc fastddsgen gcc g++; do
    command -v $tool >/dev/null || { echo "build.sh: $tool is missing; run $here/install.sh" >&2; exit 69; }
done

idl=$here/interop.idl
cd "$out"

if stale cyclone/interop.c "$idl"; then
    rm -f cyclone/interop.c
    idlc -o cyclone "$idl"
fi

if stale fastdds/generated "$idl" "$here/build.sh"; then
    fastddsgen -replace -typeobject -d fastdds "$idl" >fastdds/log 2>&1 || { cat fastdds/log >&2; exit 1; }
    touch fastdds/generated
fi

# compile OBJECT SOURCE COMMAND...: runs "COMMAND -c SOURCE -o OBJECT" if needed.
compile() {
    object=$1
    source=$2
    shift 2
    stale "$object" "$source" "$idl" "$here/peer.h" || return 0
    "$@" -c "$source" -o "$object.new"
    mv "$object.new" "$object"
}

c="gcc -std=gnu11 -O1 -Wall -Wextra -I$here"
cxx="g++ -std=gnu++17 -O0 -I$here -Ifastdds"
compile peer.o "$here/peer.c" $c
compile cyclone/interop.o cyclone/interop.c gcc -O1 -Icyclone
compile cyclone/peer.o "$here/cyclone_peer.c" $c -Icyclone
compile fastdds/interop.o fastdds/interop.cxx $cxx
compile fastdds/pubsub.o fastdds/interopPubSubTypes.cxx $cxx
compile fastdds/typeobject.o fastdds/interopTypeObject.cxx $cxx
compile fastdds/peer.o "$here/fastdds_peer.cpp" $cxx -Wall -Wextra

if stale cyclone_peer peer.o cyclone/interop.o cyclone/peer.o; then
    gcc peer.o cyclone/interop.o cyclone/peer.o -lddsc -o cyclone_peer.new
    mv cyclone_peer.new cyclone_peer
fi
if stale fastdds_peer peer.o fastdds/interop.o fastdds/pubsub.o fastdds/typeobject.o fastdds/peer.o; then
    g++ peer.o fastdds/interop.o fastdds/pubsub.o fastdds/typeobject.o fastdds/peer.o -lfastrtps -lfastcdr -o fastdds_peer.new
    mv fastdds_peer.new fastdds_peer
fi
