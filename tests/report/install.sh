#!/bin/sh
# install.sh: installs what the browser's test of the report needs, only what is missing: Debian's Chromium, and the library that drives it.
set -eu
cd "$(dirname "$0")"

missing=
for package in chromium fonts-dejavu-core; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
done
for program in node npm; do
    command -v "$program" >/dev/null || { missing="$missing nodejs npm"; break; }
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed() {
    tail -n 5 "$log" >&2
    echo "install.sh: $1" >&2
    exit 1
}

if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "install.sh: the report's test needs these Debian packages:$missing" >&2
        exit 69
    fi
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends $missing; } >"$log" 2>&1 ||
        failed "apt-get could not install:$missing"
fi

# The lock names exact versions and their checksums; nothing of the package runs while it is installed.
wanted=$(cksum package-lock.json)
[ "$(cat node_modules/.installed 2>/dev/null || true)" = "$wanted" ] && exit 0
npm ci --ignore-scripts --no-audit --no-fund >"$log" 2>&1 || failed "npm could not install what package-lock.json names"
echo "$wanted" >node_modules/.installed
