#!/usr/bin/env bash
# Prints the folder of a JDK of 22 or newer: DUNLIN_JAVA_HOME, JAVA_HOME, or the newest beside the one that `java` leads
# to. Else it says in one line what is needed, and fails.
set -uo pipefail

# version HOME: its major version by the file `release`; 0 if it is no JDK.
version() {
    local line=
    [ -x "$1/bin/javac" ] && [ -r "$1/release" ] && line=$(grep '^JAVA_VERSION=' "$1/release")
    line=${line#*\"}
    line=${line%%[^0-9]*}
    echo "${line:-0}"
}

found=0
for home in "${DUNLIN_JAVA_HOME:-}" "${JAVA_HOME:-}"; do
    [ -n "$home" ] || continue
    found=$(version "$home")
    if [ "$found" -ge 22 ]; then
        echo "$home"
        exit 0
    fi
done
best=
newest=0
if java=$(command -v java); then
    java=$(realpath "$java")
    for home in "$(dirname "$(dirname "$(dirname "$java")")")"/*/; do
        major=$(version "${home%/}")
        if [ "$major" -gt "$newest" ]; then
            newest=$major
            best=${home%/}
        fi
    done
fi
if [ "$newest" -ge 22 ]; then
    echo "$best"
    exit 0
fi
[ "$newest" -gt "$found" ] && found=$newest
[ "$found" = 0 ] && found=none
echo "needs JDK 22 or newer (found $found): set DUNLIN_JAVA_HOME" >&2
exit 1
