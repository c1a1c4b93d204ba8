#!/bin/sh
# Says in one line what to install if there is no usable Rust.
if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is missing: install Rust 1.88 or newer from https://rustup.rs" >&2
    exit 1
fi
if ! command -v cc >/dev/null 2>&1; then
    echo "a C compiler (linker) is missing: apt-get install gcc" >&2
    exit 1
fi
