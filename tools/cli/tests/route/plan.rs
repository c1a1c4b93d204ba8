//! What is said of a configuration without running it.
use crate::common::*;
use crate::*;

#[test]
fn explain_shows_the_plan_and_what_matches_now() {
    let test = "plan::explain_shows_the_plan_and_what_matches_now";
    in_namespace(test, LOOPBACK, || {
        let near = participant(0, "near");
        let _square = writer::<Shape>(&near, "Square", Default::default(), Default::default());
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "yard.toml", TOML);
        let text = printed(&format!("route explain {file}"));
        for line in [
            "service yard (group yard)",
            "    participant near: domain 0, udp, shmem, local",
            "      auto route route_1",
            "        topics     Square",
            "        path       relay: the received bytes are sent as they are",
            "        sets       pass whole, those of several topics topic by topic",
            "        large      pass fragment by fragment",
            "        now        Square (ShapeType): 1 writer at near",
        ] {
            assert!(text.lines().any(|one| one == line), "no {line:?}:\n{text}");
        }
        let json = printed(&format!("route explain {file} --json --no-look"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["name"], "yard");
        assert!(json["domain_routes"][0]["sessions"][0]["routes"][0]["matches"].is_null());
        let asking = format!("{TOML}filter_propagation = true\n");
        let file = written(directory.path(), "asking.toml", &asking);
        let text = printed(&format!("route explain {file} --no-look"));
        let line = "        filters    of readers beyond are asked of the sources, as one";
        assert!(text.lines().any(|one| one == line), "{text}");
    });
}

#[test]
fn mistakes_are_told_before_anything_starts() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(
        directory.path(),
        "yard.toml",
        &TOML.replace("\"far\"", "\"fra\""),
    );
    for command in ["run", "check", "explain"] {
        let output = dunlin(&format!("route {command} {file}"));
        assert_eq!(output.status.code(), Some(2));
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(
            report.contains("yard.toml:7:6: error: there is no participant \"fra\""),
            "{report}"
        );
    }
    let output = dunlin("route chek");
    let report = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        report,
        "dunlin route: no command \"chek\": did you mean \"check\"?\n"
    );
}

#[test]
fn a_configuration_is_checked_listed_and_converted() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(directory.path(), "bridge.xml", XML);
    let summary = printed(&format!("route check {file} --strict"));
    assert_eq!(
        summary,
        "service bridge: participants 2, routes 1, auto routes 0\n"
    );
    let list = printed(&format!("route list {file}"));
    assert!(
        list.starts_with("bridge\n") && list.contains("DomainBridgingLAN (built in)"),
        "{list}"
    );
    let toml = printed(&format!("route convert {file} --to toml"));
    let file = written(directory.path(), "bridge.toml", &toml);
    let again = printed(&format!("route convert {file} --to toml"));
    assert!(toml.contains("topics = [\"Square\"]"), "{toml}");
    assert!(again.contains("topics = [\"Square\"]"), "{again}");
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(directory.path(), "yard.toml", TOML);
    for command in [
        "explain --no-look",
        "convert --to toml",
        "list",
        "--help",
        "run --dry-run",
    ] {
        let to = |stdout: Stdio| {
            let line = format!("route {command}");
            let mut program = Command::new(env!("CARGO_BIN_EXE_dunlin"));
            program.args(line.split(' '));
            if command != "--help" {
                program.arg(&file);
            }
            program.stdout(stdout).output().unwrap()
        };
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = to(full.unwrap().into());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{command}");
        assert!(complaint.starts_with("stdout: "), "{command}: {complaint}");

        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = to(writer.into());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
        assert!(output.status.success(), "{command}");
    }
}

#[test]
fn rtiroutingservice_finds_what_the_working_directory_has() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    written(place, "USER_ROUTING_SERVICE.xml", XML);
    let profiles = "<dds><qos_library name=\"L\"><qos_profile name=\"P\"/></qos_library></dds>";
    written(place, "profiles.xml", profiles);
    written(
        place,
        "USER_QOS_PROFILES.xml",
        &profiles.replace("\"P\"", "\"Q\""),
    );
    let of_profiles = XML
        .replacen("BuiltinQosLib::Generic.StrictReliable", "L::P", 1)
        .replace("\"bridge\"", "\"other\"");
    assert!(of_profiles.contains("L::P"), "{of_profiles}");
    let file = written(place, "other.xml", &of_profiles);
    let program = place.join("rtiroutingservice");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_dunlin"), &program).unwrap();
    let run = |program: &Path, arguments: &[&str], profiles: &str| {
        let mut command = Command::new(program);
        let command = command.args(arguments).current_dir(place);
        let output = command.env("NDDS_QOS_PROFILES", profiles).output().unwrap();
        let all = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(all).unwrap())
    };
    let (code, list) = run(&program, &["-listConfig"], "");
    assert!(code == Some(0) && list.starts_with("bridge\n"), "{list}");
    let (_, list) = run(&program, &["-listConfig", "-skipDefaultFiles"], "");
    assert!(!list.contains("bridge"), "{list}");
    // Profiles are those that applications read; the same file twice is one.
    let dunlin = Path::new(env!("CARGO_BIN_EXE_dunlin"));
    let check = ["route", "check", &file];
    let (code, report) = run(dunlin, &check, "profiles.xml;./profiles.xml");
    assert_eq!(code, Some(0), "{report}");
    let (code, report) = run(dunlin, &check, "");
    assert!(code == Some(2) && report.contains("L::P"), "{report}");
    let run_it = ["-cfgName", "other", "-cfgFile", "other.xml", "--dry-run"];
    let (code, report) = run(&program, &run_it, "profiles.xml");
    assert_eq!(code, Some(0), "{report}");
}

#[test]
fn what_is_told_is_as_much_as_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let ignored = XML.replacen("<domain_route", "<jvm/><domain_route", 1);
    let file = written(directory.path(), "bridge.xml", &ignored);
    for (level, lines) in [("silent", 0), ("exception", 0), ("warning", 4), ("info", 4)] {
        let output = dunlin(&format!(
            "route check {file} -verbosity {level} -licenseFile x"
        ));
        let report = String::from_utf8(output.stderr).unwrap();
        assert_eq!(report.lines().count(), lines, "{level}: {report}");
    }
    let log = format!("route run {file} -logFile {file}/log -verbosity silent");
    let output = dunlin(&log);
    let report = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        report.starts_with(&format!("-logFile {file}/log: ")),
        "{report}"
    );
}
