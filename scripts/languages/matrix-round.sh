#!/usr/bin/env bash
# matrix-round.sh WORK PUBLISHERS TRANSPORT LANGUAGE...: subscribers of all these languages at once, WORK/LANGUAGE/run, and a
# publisher of each in turn, PUBLISHERS/LANGUAGE/run. What a subscriber prints is WORK/LANGUAGE/TRANSPORT, what it complains of
# WORK/LANGUAGE/TRANSPORT.errors.
set -uo pipefail
work=$1 publishers=$2 transport=$3
shift 3

export DUNLIN_TRANSPORTS=$transport DUNLIN_CHECK_PAYLOADS=1 DUNLIN_CHECK_LOANS=1
trap 'kill $(jobs -p) 2>/dev/null' EXIT
port=7400
peers=
subscribers=()
for language in "$@"; do
    port=$((port + 1))
    # Peers of TCP are named, and have a port each.
    [ "$transport" != tcp ] || peers=$peers${peers:+,}tcpv4_lan://127.0.0.1:$port
    DUNLIN_TCP_PORT=$port "$work/$language/run" subscribe $# >"$work/$language/$transport" \
        2>"$work/$language/$transport.errors" &
    subscribers+=($!)
done
for language in "$@"; do
    port=$((port + 1))
    DUNLIN_TCP_PORT=$port DUNLIN_PEERS=$peers "$publishers/$language/run" publish "$language" $# >&2 || {
        echo "matrix: $transport: the publisher in $language ends with $?" >&2
        exit 1
    }
done
failed=0
for subscriber in "${subscribers[@]}"; do
    wait "$subscriber" || failed=1
done
exit $failed
