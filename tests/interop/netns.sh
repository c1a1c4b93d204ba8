#!/bin/sh
# netns.sh CMD...: runs CMD in a fresh network namespace that has only loopback, with multicast on it.
# Works as root and, where user namespaces are allowed, as anybody. The namespace goes with its last process.
set -eu
[ $# -gt 0 ] || { echo "usage: netns.sh CMD..." >&2; exit 64; }

if [ "${DUNLIN_NETNS:-}" != inside ]; then
    if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
        flags=-n
    elif unshare -Urn true 2>/dev/null; then
        flags=-Urn
    else
        echo "netns.sh: no network namespace possible here; run as root or allow user namespaces (unshare -Urn)" >&2
        exit 69
    fi
    DUNLIN_NETNS=inside exec unshare "$flags" "$0" "$@"
fi

unset DUNLIN_NETNS
ip link set lo up
ip link set lo multicast on
ip route add 224.0.0.0/4 dev lo
ip route add 239.255.0.0/16 dev lo
exec "$@"
