#!/usr/bin/env bash
# csharp-package.sh INTO: makes the NuGet package with MSBuild, and tries it: projects in empty folders that have nothing but
# the package and IDL are built, and run, one of them with an option of `dunlin idl gen` and without. It fetches a whole SDK
# where there is none, so that it is a command of its own and no part of csharp.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$(realpath "$1")

commands=$(scripts/languages/csharp-sdk.sh msbuild) || exit $?
run=$(sed -n 2p <<<"$commands")
msbuild=$(sed -n 3p <<<"$commands")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/source" "$into/share/csharp"
cp -r bindings/csharp/* "$work/source/"
"$msbuild" -restore -t:Pack -p:Configuration=Release -p:Version="$version" -p:RestoreSources="$work" -p:DunlinLibrary="$into/lib/libdunlin.so.0" \
    -p:PackageOutputPath="$into/share/csharp" "$work/source/Dunlin.csproj"
rm -r "$work/source"

# project NAME OPTIONS FILE...: builds a project of these files.
project() {
    local name=$1 options=$2 user=$work/user/$1
    shift 2
    mkdir -p "$user"
    cp "$@" "$user/"
    cat >"$user/NuGet.config" <<EOF
<configuration><packageSources><clear /><add key="here" value="$into/share/csharp" /></packageSources></configuration>
EOF
    cat >"$user/$name.csproj" <<EOF
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>netcoreapp3.1</TargetFramework>
    <UseAppHost>false</UseAppHost>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
    <DunlinIdlOptions>$options</DunlinIdlOptions>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Dunlin" Version="$version" />
    <DunlinIdl Include="*.idl" />
  </ItemGroup>
</Project>
EOF
    NUGET_PACKAGES=$work/packages "$msbuild" -restore -p:DunlinTool="$into/bin/dunlin" -p:OutDir="$work/$name/" \
        "$user/$name.csproj"
}

for side in Publisher Subscriber; do
    project $side "" examples/hello/*.idl "examples/hello/csharp/${side,}.cs"
done
env -u DUNLIN_LIBRARY scripts/languages/run-example.sh csharp hello "$run '$work/Subscriber/Subscriber.dll'" \
    "$run '$work/Publisher/Publisher.dll'"

# ranges SAYS OPTIONS: what the program says when its project has options of `dunlin idl gen`.
ranges() {
    local said
    project Ranges "$2" tests/languages/package/tank.idl tests/languages/package/Ranges.cs
    said=$("$run" "$work/Ranges/Ranges.dll")
    [ "$said" = "$1" ] || {
        echo "csharp: with the options \"$2\" a value out of its range: \"$said\" instead of \"$1\"" >&2
        exit 1
    }
}
ranges written ""
ranges "Tank.level: 101 is outside of the range 0 to 100" --range-checks
ranges written ""
echo "csharp: $into/share/csharp/Dunlin.$version.nupkg"
