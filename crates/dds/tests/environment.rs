//! What participants make of environment variables and of the file of peers: each test runs itself
//! again with an environment and a working directory of its own.
mod common;

use common::Net;
use dunlin::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const MARK: &str = "DUNLIN_TEST_AGAIN";
/// Longest time that a participant may take to begin, or to refuse to.
const SECONDS: &str = "60";

/// A folder that goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("dunlin-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a participant says that begins in this folder with these variables; empty if it begins. In
/// the process that is started for it, it does so and ends.
fn said(test: &str, folder: &Path, variables: &[(&str, &[u8])]) -> String {
    let variables = variables.iter();
    let variables = variables.map(|(name, value)| (name, OsStr::from_bytes(value)));
    let output = Command::new("timeout")
        .arg(SECONDS)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(MARK, "yes")
        .current_dir(folder)
        .envs(variables)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = text
        .split_once("<said>")
        .and_then(|(_, rest)| rest.split_once("</said>"));
    told.unwrap_or_else(|| panic!("{text}{output:?}")).0.into()
}

/// True in the process that was started to say it.
fn again() -> bool {
    if std::env::var_os(MARK).is_none() {
        return false;
    }
    let net = Net::new(0.0);
    let config = ParticipantConfig {
        transport: Some(Arc::new(net.host())),
        ..Default::default()
    };
    let begun = DomainParticipant::with_config(0, config);
    let said = begun.map_or_else(|error| error.to_string(), |_| String::new());
    println!("<said>{said}</said>");
    true
}

#[track_caller]
fn expect(text: &str, words: &[&str]) {
    assert!(words.iter().all(|word| text.contains(word)), "{text:?}");
}

#[test]
fn a_variable_that_is_not_utf_8_is_refused_by_its_name() {
    if again() {
        return;
    }
    let test = "a_variable_that_is_not_utf_8_is_refused_by_its_name";
    let folder = Folder::new("variables");
    for name in [
        "NDDS_DISCOVERY_PEERS",
        "DUNLIN_PEERS",
        "DUNLIN_TRANSPORTS",
        "DUNLIN_WAITING",
        "DUNLIN_INTERFACES",
        "DUNLIN_TCP_PORT",
        "DUNLIN_TLS_CA",
        "DUNLIN_TYPES",
        "DUNLIN_LISTENERS",
    ] {
        let text = said(test, &folder.0, &[(name, b"10.0.0.1\xff")]);
        expect(&text, &[name, "not UTF-8", "\\xFF", "unset"]);
        // Blank is as good as not set.
        assert_eq!(said(test, &folder.0, &[(name, b" ")]), "", "{name}");
    }
}

#[test]
fn a_file_of_peers_that_cannot_be_read_is_named_and_never_waited_for() {
    if again() {
        return;
    }
    let test = "a_file_of_peers_that_cannot_be_read_is_named_and_never_waited_for";
    let folder = Folder::new("peers");
    let file = folder.0.join("NDDS_DISCOVERY_PEERS");
    let clear = || drop(std::fs::remove_file(&file));
    let place = folder.0.to_string_lossy().into_owned();
    let words = |cause| ["NDDS_DISCOVERY_PEERS", &place, cause, "remove it"];
    assert_eq!(said(test, &folder.0, &[]), "");

    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    expect(&said(test, &folder.0, &[]), &words("not a regular file"));
    // Who says what counts instead need not care for the file.
    let peers: &[(&str, &[u8])] = &[("NDDS_DISCOVERY_PEERS", b"10.0.0.1")];
    assert_eq!(said(test, &folder.0, peers), "");
    clear();

    std::fs::write(&file, vec![b';'; (64 << 10) + 1]).unwrap();
    expect(
        &said(test, &folder.0, &[]),
        &words("longer than 65536 bytes"),
    );
    std::fs::write(&file, "10.0.0.1").unwrap();
    assert_eq!(said(test, &folder.0, &[]), "");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    // A superuser may read it all the same.
    if std::fs::read(&file).is_err() {
        expect(&said(test, &folder.0, &[]), &words("ermission denied"));
    }
    clear();

    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    expect(&said(test, &folder.0, &[]), &words("not a regular file"));
}
