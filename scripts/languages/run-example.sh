#!/usr/bin/env bash
# run-example.sh LANGUAGE NAME SUBSCRIBER PUBLISHER: runs both sides of an example, each a command of the shell, in a network
# namespace of their own, and compares what the subscriber prints with examples/NAME/expected.
set -euo pipefail
cd "$(dirname "$0")/../.."
language=$1 name=$2 subscriber=$3 publisher=$4

printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
code=0
tests/interop/netns.sh timeout 60 sh -c "{ $subscriber; } >'$printed' & { $publisher; } && wait \$!" || code=$?
case $code in
    0)
        diff "examples/$name/expected" "$printed"
        echo "$language: $name prints what is expected"
        ;;
    69) echo "$language: $name is built, and not run: no network namespace is possible here" ;;
    *) exit "$code" ;;
esac
