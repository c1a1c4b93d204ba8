#!/usr/bin/env bash
# Builds the C library, puts it with its headers into target/languages, and has each language that this machine knows built
# upon it and tried there.
#
#   scripts/languages.sh                      what the machine can; a line for what it cannot
#   LANGUAGES=all scripts/languages.sh        what it cannot is an error; so it is where CI is set
#   LANGUAGES="c java" scripts/languages.sh   these alone, and what they lack is an error
#   LANGUAGES_PROFILE=dev                     takes the unoptimized library, as `make test` does
#   LANGUAGES_TRY=no                          builds what is used, and tries nothing, which takes most of the time
#
# A language is a script, scripts/languages/<language>.sh INTO, with this contract. (A file with a dash in its name is a part
# of other scripts.)
#
# - INTO is the absolute path of target/languages. There are lib/libdunlin.so, lib/libdunlin.so.0, lib/libdunlin.a,
#   include/dunlin/*.h and bin/dunlin, the tool with the IDL compiler. The script does not build them.
# - It runs in any folder, builds the language's product, puts it into INTO (bin, lib, include, share/<language>), compiles
#   the examples of the language below INTO/examples/<name>/<language>, and runs each by scripts/languages/run-example.sh,
#   and whatever else tries the product. All of it takes 90 seconds at most with what a first run has fetched.
# - What it fetches it keeps outside the repository, and checks it against hashes or a lock file that are checked in.
# - LANGUAGES_PROFILE is set to what the library was built with, and tells what the script itself builds with cargo.
# - LANGUAGES_TRY=no asks it to end once its product is in INTO; the examples may stay without being compiled.
# - It ends with 0; with 77 if this machine lacks what it needs, after one line that says so:
#   "java: skipped, needs JDK 22 or newer (found 17): set DUNLIN_JAVA_HOME"; with anything else if something failed.
set -uo pipefail
cd "$(dirname "$0")/.."

CARGO=${CARGO:-cargo} LANGUAGES_PROFILE=${LANGUAGES_PROFILE:-release}
export CARGO LANGUAGES_PROFILE
wanted=${LANGUAGES:-}
must=${CI:-}${wanted}
[ "$wanted" = all ] && wanted=
if [ -z "$wanted" ]; then
    for script in scripts/languages/*.sh; do
        case $script in *-*) ;; *) wanted="$wanted $(basename "$script" .sh)" ;; esac
    done
fi

for language in $wanted; do
    if [ ! -f "scripts/languages/$language.sh" ] || [[ $language == *-* ]]; then
        echo "languages: $language is none, LANGUAGES may have: $(basename -s .sh scripts/languages/*.sh | grep -v -e - | xargs)" >&2
        exit 64
    fi
done
into=$(scripts/library.sh) || exit 1

failed=
skipped=
printed=$(mktemp)
failures=$(mktemp)
trap 'rm -f "$printed" "$failures"' EXIT
for language in $wanted; do
    "scripts/languages/$language.sh" "$into" 2>&1 | tee "$printed"
    code=${PIPESTATUS[0]}
    case $code in
        0) ;;
        77) skipped="$skipped $language" ;;
        *)
            { tail -n 20 "$printed" && echo "$language: failed with $code"; } >>"$failures"
            failed="$failed $language"
            ;;
    esac
done
# Once more, since the languages behind it have printed since.
cat "$failures" >&2
if [ -n "$skipped" ] && [ -n "$must" ]; then
    echo "languages: not all can be built here, missing:$skipped" >&2
    failed="$failed$skipped"
fi
[ -z "$failed" ] || { echo "languages: failed:$failed" >&2; exit 1; }
