//! The vectors of `tests/vectors/types`, which all languages read: what types are known by, and how
//! values of them are encoded.
//!
//! `DUNLIN_BLESS=1 cargo test -p dunlin-idlc --test vectors` adds what a vector lacks; what it has
//! is checked and stays.

mod values;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Xcdr};
use dunlin_idlc::plan::{Part, Plan};
use dunlin_idlc::{Model, Options, parse_str};
use dunlin_xtypes::{DynamicType, EquivalenceKind, KeyPlan, TypeIdentifier};
use serde_json::{Value as Json, json};
use values::{WORLDS, json, payload, read};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

fn name((xcdr, endianness): (Xcdr, Endianness)) -> &'static str {
    match (xcdr, endianness) {
        (Xcdr::V1, Endianness::Big) => "xcdr1_be",
        (Xcdr::V1, Endianness::Little) => "xcdr1_le",
        (Xcdr::V2, Endianness::Big) => "xcdr2_be",
        (Xcdr::V2, Endianness::Little) => "xcdr2_le",
    }
}

/// A vector, and where what is found in it is said.
struct Vector {
    name: String,
    blesses: bool,
    has_changed: bool,
}

impl Vector {
    /// What is expected is what was found; what is missing is added where that is wanted.
    fn expect(&mut self, expected: &mut Json, key: &str, found: String) {
        match expected.get(key) {
            Some(expected) => assert_eq!(expected.as_str(), Some(&*found), "{} {key}", self.name),
            None => {
                assert!(self.blesses, "{} lacks {key}: {found}", self.name);
                expected[key] = found.into();
                self.has_changed = true;
            }
        }
    }

    fn ty(&mut self, model: &Model, entry: &mut Json) {
        let ty = found(model, entry["name"].as_str().unwrap());
        let kinds = [
            ("minimal", EquivalenceKind::Minimal),
            ("complete", EquivalenceKind::Complete),
        ];
        for (key, kind) in kinds {
            let hash = match ty.type_identifier(kind).unwrap() {
                TypeIdentifier::Hash(of, hash) if of == kind => hash,
                TypeIdentifier::Component(of) if of.kind == kind => {
                    self.expect(entry, "component", format!("{}/{}", of.index, of.length));
                    of.hash
                }
                other => panic!("{other:?} has no hash"),
            };
            self.expect(entry, key, hash.to_string());
        }
    }

    fn value(&mut self, model: &Model, entry: &mut Json) {
        let ty = found(model, entry["type"].as_str().unwrap());
        self.name = format!("{} {}", self.name, ty.name());
        let plan = Plan::new(&model.tree, [ty.index()]);
        let keys = KeyPlan::new(&ty);
        let value = json::value(&ty, &entry["value"]);
        for field in ["payloads", "keys"] {
            if entry.get(field).is_none() {
                entry[field] = json!({});
            }
        }
        for world in WORLDS {
            let found = payload(&plan, &ty, &value, Part::Whole, world);
            self.expect(&mut entry["payloads"], name(world), hex(&found));
            ty.validate(&found).unwrap();
            assert_eq!(read::payload(&ty, &found).unwrap(), value, "{}", self.name);
            let hash = keys.key_hash(&found).unwrap();
            self.expect(entry, "key_hash", hex(&hash));
            self.keys(entry, &keys, &found);
            let key = payload(&plan, &ty, &value, Part::Key, world);
            self.expect(&mut entry["keys"], name(world), hex(&key));
            assert_eq!(keys.key_hash_of_key(&key).unwrap(), hash);
        }
    }

    /// What is taken out of any payload is the same key.
    fn keys(&mut self, entry: &mut Json, keys: &KeyPlan, payload: &[u8]) {
        for (xcdr, endianness) in WORLDS {
            let mut key = BytesMut::new();
            keys.key_payload(payload, xcdr, endianness, &mut key)
                .unwrap();
            self.expect(&mut entry["keys"], name((xcdr, endianness)), hex(&key));
        }
    }
}

fn found(model: &Model, name: &str) -> DynamicType {
    model
        .find(name)
        .unwrap_or_else(|| panic!("there is no {name}"))
}

fn check(path: &Path) {
    let mut all: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let idl: Vec<&str> = all["idl"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l.as_str().unwrap())
        .collect();
    let parsed = parse_str("vector.idl", &idl.join("\n"), &Options::default());
    let model = parsed
        .model
        .as_ref()
        .unwrap_or_else(|| panic!("{}\n{}", path.display(), parsed.rendered()));
    let mut vector = Vector {
        name: String::new(),
        blesses: std::env::var_os("DUNLIN_BLESS").is_some(),
        has_changed: false,
    };
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    for entry in all["types"].as_array_mut().unwrap() {
        vector.name.clone_from(&file);
        vector.ty(model, entry);
    }
    for entry in all["values"].as_array_mut().unwrap() {
        vector.name.clone_from(&file);
        vector.value(model, entry);
    }
    for other in all["others"].as_array().into_iter().flatten() {
        let ty = found(model, other["type"].as_str().unwrap());
        let valid = ty.validate(&bytes(other["payload"].as_str().unwrap()));
        assert_eq!(
            Some(valid.is_ok()),
            other["is"].as_bool(),
            "{other} {valid:?}"
        );
    }
    if vector.has_changed {
        fs::write(path, format!("{all:#}\n")).unwrap();
    }
}

#[test]
fn types_and_values_are_as_the_vectors_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/types");
    let files = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    assert!(paths.len() >= 20, "{} vectors", paths.len());
    paths.iter().for_each(|path| check(path));
}
