#!/usr/bin/env bash
# Counts the instructions of calls of the C interface, by callgrind, with the optimized library: of a handle that is found,
# of a write, of a listener's call, of a take with the sample before given back, and of one whose samples the library does not
# look at, since whoever takes them decodes them, and of a sample that is taken alone. What is in the library's functions of C
# is told, too: of a listener's call it is all.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "abi-cost: needs valgrind: install it" >&2; exit 1; }
into=$(LANGUAGES_PROFILE=release scripts/library.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$into/bin/dunlin" idl gen -l c -o "$work" examples/hello/Position.idl
gcc -std=c99 -O2 -I "$into/include" -I "$work" tests/languages/cost.c "$work/Position.c" \
    -L "$into/lib" -ldunlin -Wl,-rpath,"$into/lib" -o "$work/cost"

# counted CALL FUNCTION: instructions of a call of the function with all that it calls, and those that are not of the untyped
# layer's function of the same kind.
counted() {
    tests/interop/netns.sh valgrind --tool=callgrind --callgrind-out-file="$work/out" \
        --toggle-collect="$2" "$work/cost" "$1" 2000 >/dev/null 2>"$work/log" || { cat "$work/log" >&2; return 1; }
    callgrind_annotate --inclusive=yes --threshold=99.9 "$work/out" | awk '
        { count = $1; gsub(/,/, "", count) }
        /PROGRAM TOTALS/ { all = count }
        /Untyped(Reader>::(take|get_undecoded|next_undecoded)|Writer>::write) / && count > layer { layer = count }
        /Listener as .*::on_data_available / && count > heard { heard = count }
        END { printf "%d %d\n", all / 2000, (heard ? heard : all - layer) / 2000 }'
}
printf '%-10s %8s %8s\n' call all alone
printf '%-10s %8s %8s\n' handle $(counted handle dunlin_attachment)
printf '%-10s %8s %8s\n' write $(counted write dunlin_write)
printf '%-10s %8s %8s\n' listen $(counted listen dunlin_write)
printf '%-10s %8s %8s\n' take $(counted take dunlin_take)
printf '%-10s %8s %8s\n' decode $(counted decode dunlin_take)
printf '%-10s %8s %8s\n' next $(counted next dunlin_take_next)
