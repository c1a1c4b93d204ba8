#!/usr/bin/env bash
# csharp-package.sh INTO: makes the NuGet package with MSBuild, and tries it: a project in an empty folder that has nothing
# but the package and IDL is built, and run. It fetches a whole SDK where there is none, so that it is a command of its own
# and no part of csharp.sh.
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

for side in Publisher Subscriber; do
    user=$work/user/$side
    mkdir -p "$user"
    cp examples/hello/*.idl "$user/"
    cp "examples/hello/csharp/${side,}.cs" "$user/"
    cat >"$user/NuGet.config" <<EOF
<configuration><packageSources><clear /><add key="here" value="$into/share/csharp" /></packageSources></configuration>
EOF
    cat >"$user/$side.csproj" <<EOF
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>netcoreapp3.1</TargetFramework>
    <UseAppHost>false</UseAppHost>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Dunlin" Version="$version" />
    <DunlinIdl Include="*.idl" />
  </ItemGroup>
</Project>
EOF
    NUGET_PACKAGES=$work/packages "$msbuild" -restore -p:DunlinTool="$into/bin/dunlin" -p:OutDir="$work/$side/" \
        "$user/$side.csproj"
done
env -u DUNLIN_LIBRARY scripts/languages/run-example.sh csharp hello "$run '$work/Subscriber/Subscriber.dll'" \
    "$run '$work/Publisher/Publisher.dll'"
echo "csharp: $into/share/csharp/Dunlin.$version.nupkg"
