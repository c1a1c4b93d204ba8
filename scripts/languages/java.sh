#!/usr/bin/env bash
# java.sh INTO: makes the jars of org.dunlin in INTO/share/java, tries them, and runs the examples in Java.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$1

if ! home=$(scripts/java-home.sh 2>&1); then
    echo "java: skipped, $home"
    exit 77
fi
share=$into/share/java
classes=$share/classes
rm -rf "$share"
mkdir -p "$classes"
# compile TO CLASSPATH FILES...
compile() {
    local to=$1 path=$2
    shift 2
    mkdir -p "$to"
    "$home/bin/javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC --release 22 -Xlint:all,-options -Werror -d "$to" -cp "$path" "$@"
}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
mapfile -t sources < <(find bindings/java/src/main/java -name '*.java' | sort)
compile "$classes" "" "${sources[@]}"
mkdir -p "$classes/native/linux-$(uname -m)" "$classes/META-INF"
native=$classes/native/linux-$(uname -m)/libdunlin.so
strip --strip-debug -o "$native" "$into/lib/libdunlin.so.0" 2>/dev/null || cp --remove-destination "$into/lib/libdunlin.so.0" "$native"
cp LICENSE "$classes/META-INF/"
"$home/bin/jar" --create --file "$share/dunlin-$version.jar" --module-version "$version" -C "$classes" .
ln -sf "dunlin-$version.jar" "$share/dunlin.jar"
"$home/bin/jar" --create --file "$share/dunlin-$version-sources.jar" -C bindings/java/src/main/java .
echo "java: $share/dunlin-$version.jar by $(basename "$home")"

[ "${LANGUAGES_TRY:-}" != no ] || exit 0

options="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED"
for example in examples/*/java; do
    name=$(basename "$(dirname "$example")")
    work=$into/examples/$name/java
    rm -rf "$work"
    mkdir -p "$work"
    "$into/bin/dunlin" idl gen -l java -o "$work" "examples/$name"/*.idl
    mapfile -t made < <(find "$work" -name '*.java')
    compile "$work/classes" "$share/dunlin.jar" "${made[@]}" "$example"/*.java
    side="'$home/bin/java' $options -cp '$share/dunlin.jar:$work/classes'"
    scripts/languages/run-example.sh java "$name" "$side Subscriber" "$side Publisher"
done

# The tests; what is wrong in foreign code or in a payload ends them.
work=$share/test
"$into/bin/dunlin" idl gen -l java -o "$work/made" bindings/java/src/test/idl/*.idl
mapfile -t made < <(find "$work/made" -name '*.java')
compile "$work/classes" "$share/dunlin.jar" "${made[@]}" bindings/java/src/test/java/*.java
run() {
    DUNLIN_CHECK_PAYLOADS=${checks:-1} DUNLIN_CHECK_LOANS=1 tests/interop/netns.sh timeout 80 "$home/bin/java" -Xcheck:jni -esa -ea \
        -XX:+UseSerialGC ${DUNLIN_JAVA_TEST_OPTIONS:-} --enable-native-access=ALL-UNNAMED \
        -cp "$share/dunlin.jar:$work/classes" "$@"
}
code=0
run Tests || code=$?
case $code in
    0)
        # Those that write payloads which are none.
        checks=0 run Tests
        # Ends while samples stream: neither a crash nor a hang.
        for end in return:0 exit:0 throw:1 signal:143; do
            code=0
            run Exit "${end%:*}" >"$work/exit" 2>&1 || code=$?
            if [ "$code" != "${end#*:}" ]; then
                echo "java: a process that ends by ${end%:*} has the status $code:" >&2
                cat "$work/exit" >&2
                exit 1
            fi
        done
        echo "java: processes end while samples stream"
        ;;
    69) echo "java: the tests are not run: no network namespace is possible here" ;;
    *) exit "$code" ;;
esac
