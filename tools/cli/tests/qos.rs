//! `dunlin qos` as people and scripts use it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const FLEET: &str = r#"<dds>
  <qos_library name="Fleet">
    <qos_profile name="Base" base_name="BuiltinQosLib::Generic.StrictReliable" is_default_qos="true">
      <datawriter_qos>
        <lifespan><duration><sec>2</sec></duration></lifespan>
        <publish_mode><kind>ASYNCHRONOUS_PUBLISH_MODE_QOS</kind></publish_mode>
      </datawriter_qos>
    </qos_profile>
    <qos_profile name="Camera" base_name="Base">
      <datareader_qos topic_filter="Raw*">
        <history><kind>KEEP_LAST</kind><depth>3</depth></history>
      </datareader_qos>
      <datawriter_qos>
        <history><kind>KEEP_ALL</kind></history>
        <reliability><kind>BEST_EFFORT</kind></reliability>
      </datawriter_qos>
    </qos_profile>
  </qos_library>
</dds>
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("fleet.xml"), FLEET).unwrap();
    let other = FLEET
        .replace("<depth>3<", "<depth>4<")
        .replace("name=\"Base\"", "name=\"Root\"");
    let other = other.replace("base_name=\"Base\"", "base_name=\"Root\"");
    fs::write(folder.path().join("other.xml"), other).unwrap();
    let wrong = FLEET
        .replace("<depth>", "<dept>")
        .replace("</depth>", "</dept>");
    fs::write(folder.path().join("wrong.xml"), wrong).unwrap();
    folder
}

fn qos(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dunlin"))
        .arg("qos")
        .args(arguments)
        .current_dir(folder)
        .env_remove("NDDS_QOS_PROFILES")
        .output()
        .unwrap()
}

#[track_caller]
fn prints(folder: &Path, arguments: &[&str], status: i32, words: &[&str]) -> String {
    let output = qos(folder, arguments);
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is not in\n{text}");
    }
    text.into_owned()
}

#[test]
fn profiles_are_listed() {
    let folder = folder();
    let list = [
        "qos: 1 file: fleet.xml (2 profiles); default \"Fleet::Base\"; 1 element without meaning here",
        "Fleet::Base  fleet.xml:3  on BuiltinQosLib::Generic.StrictReliable  sets datawriter_qos  \
         (default)",
        "Fleet::Camera  fleet.xml:9  on Fleet::Base  sets datareader_qos of \"Raw*\", datawriter_qos",
    ];
    prints(
        folder.path(),
        &["show", "--qos-file", "fleet.xml"],
        0,
        &list,
    );
    let nothing = prints(folder.path(), &["show"], 0, &["no files"]);
    assert_eq!(nothing.lines().count(), 1);
    fs::copy(
        folder.path().join("fleet.xml"),
        folder.path().join("USER_QOS_PROFILES.xml"),
    )
    .unwrap();
    prints(
        folder.path(),
        &["show"],
        0,
        &["USER_QOS_PROFILES.xml (2 profiles)"],
    );
    prints(
        folder.path(),
        &["show", "--builtin"],
        0,
        &["BuiltinQosLib::Pattern.Event  built-in:"],
    );
}

#[test]
fn a_profile_is_shown_with_the_origin_of_each_value() {
    let folder = folder();
    let file = ["--qos-file", "fleet.xml"];
    let show = |more: &[&'static str]| [&["show", "Fleet::Camera"], more, &file].concat();
    let text = prints(
        folder.path(),
        &show(&["--topic", "RawImage"]),
        0,
        &[
            "BEST_EFFORT",
            "fleet.xml:14",
            "lifespan",
            "2 s",
            "fleet.xml:5",
            "KEEP_LAST 3",
            "built-in:",
        ],
    );
    assert!(!text.contains("deadline"), "{text}");
    let text = prints(
        folder.path(),
        &show(&["--effective"]),
        0,
        &["= deadline", "KEEP_ALL"],
    );
    assert!(!text.contains("KEEP_LAST 3"), "{text}");
    let text = prints(folder.path(), &show(&["--json"]), 0, &[]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["format"], 1);
    let lifespan = &json["qos"]["datawriter_qos"]["lifespan"];
    assert_eq!(lifespan["value"], "2 s");
    assert_eq!(lifespan["at"][0], "fleet.xml:5");
    let missing = ["show", "Fleet::Camra", "--qos-file", "fleet.xml"];
    prints(
        folder.path(),
        &missing,
        1,
        &["did you mean \"Fleet::Camera\"?"],
    );
}

#[test]
fn files_are_checked() {
    let folder = folder();
    let wrong = [
        "wrong.xml:11:41: error: unknown element \"dept\" in history",
        "did you mean \"depth\"?",
        "1 error(s)",
    ];
    prints(folder.path(), &["lint", "wrong.xml"], 1, &wrong);
    let remarks = [
        "publish_mode/kind has no effect here",
        "writer and reader of this profile do not match: RELIABILITY",
        "KEEP_ALL without resource_limits",
        "0 error(s)",
    ];
    prints(folder.path(), &["lint", "fleet.xml"], 0, &remarks);
    prints(
        folder.path(),
        &["lint", "--strict", "fleet.xml"],
        2,
        &remarks,
    );
    prints(
        folder.path(),
        &["lint", "nowhere.xml"],
        1,
        &["nowhere.xml", "cannot be read"],
    );
}

#[test]
fn profiles_and_files_are_compared() {
    let folder = folder();
    let file = ["--qos-file", "fleet.xml"];
    let both = [&["diff", "Fleet::Base", "Fleet::Camera"], &file[..]].concat();
    let words = [
        "reliability            RELIABLE with max_blocking_time 5 s",
        "writers of Fleet::Camera do not match readers of Fleet::Base: RELIABILITY",
    ];
    prints(folder.path(), &both, 1, &words);
    let same = [&["diff", "Fleet::Base", "Fleet::Base"], &file[..]].concat();
    assert_eq!(prints(folder.path(), &same, 0, &[]), "");
    let words = [
        "only in fleet.xml: Fleet::Base",
        "only in other.xml: Fleet::Root",
    ];
    prints(
        folder.path(),
        &["diff", "fleet.xml", "other.xml"],
        1,
        &words,
    );
    let raw = ["diff", "fleet.xml", "other.xml", "--topic", "RawX"];
    prints(folder.path(), &raw, 1, &["KEEP_LAST 3", "KEEP_LAST 4"]);
    prints(
        folder.path(),
        &["diff", "fleet.xml", "Fleet::Base"],
        2,
        &["not one of each"],
    );
    prints(folder.path(), &["diff", "fleet.xml", "fleet.xml"], 0, &[]);
}
