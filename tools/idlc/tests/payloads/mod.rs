//! Payloads of the golden vectors, and what is like them and perhaps no value, for programs in
//! other languages.

#![allow(dead_code, unreachable_pub)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// What encodings and byte orders are called in vectors.
pub const WORLDS: [&str; 4] = ["xcdr1_be", "xcdr1_le", "xcdr2_be", "xcdr2_le"];

/// A place in the repository.
pub fn folder(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(of)
}

/// The files of the vectors.
pub fn vectors() -> Vec<PathBuf> {
    let files = fs::read_dir(folder("tests/vectors/types")).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    assert!(paths.len() >= 20);
    paths
}

/// The IDL of a vector.
pub fn idl(vector: &Json) -> String {
    let lines = vector["idl"].as_array().unwrap().iter();
    let lines: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
    lines.join("\n")
}

pub fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Both encodings in native byte order.
pub fn native(of: &Json) -> String {
    let order = if cfg!(target_endian = "big") {
        "be"
    } else {
        "le"
    };
    [1, 2]
        .map(|xcdr| of[format!("xcdr{xcdr}_{order}")].as_str().unwrap())
        .join(" ")
}

/// What is shorter than a payload, what has some other bytes, as often as asked for, and what has
/// more bytes behind it.
pub fn broken(payload: &[u8], changes: u64) -> impl Iterator<Item = Vec<u8>> {
    let shorter = (0..payload.len()).map(|length| payload[..length].to_vec());
    let changed = (0..changes).map(|seed| mutated(payload, seed));
    shorter
        .chain(changed)
        .chain((1..=9).map(|more| longer(payload, more)))
}

/// Payloads that Dunlin does not write itself, and the names of their types.
pub fn others(vector: &Json) -> Vec<(String, Vec<u8>)> {
    let all = vector["others"].as_array().into_iter().flatten();
    all.map(|other| {
        let text = |key: &str| other[key].as_str().unwrap();
        (text("type").to_string(), bytes(text("payload")))
    })
    .collect()
}

/// More bytes are behind the value.
pub fn longer(payload: &[u8], more: usize) -> Vec<u8> {
    let mut out = payload.to_vec();
    out.resize(payload.len() + more, 0x11);
    out
}

/// Some bytes behind the header are others.
fn mutated(payload: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ payload.len() as u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    };
    let mut out = payload.to_vec();
    next();
    for _ in 0..1 + next() % 3 {
        if out.len() <= 4 {
            break;
        }
        let at = 4 + next() as usize % (out.len() - 4);
        let others = [0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0xff, next() as u8];
        out[at] = others[next() as usize % others.len()];
    }
    out
}
