#!/bin/sh
# install.sh: installs the Debian packages that the tests need, only what is missing: peers, tools of networks, and
# compilers with which headers and made code are to compile without a warning.
set -eu
missing=
for package in cyclonedds-dev cyclonedds-tools libfastrtps-dev fastddsgen tshark tcpdump iproute2 nftables g++ clang; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "install.sh: the interop tests need these Debian packages:$missing" >&2
    exit 69
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ apt-get -qq update && apt-get -qq install -y --no-install-recommends $missing; } >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    echo "install.sh: apt-get could not install:$missing" >&2
    exit 1
}
