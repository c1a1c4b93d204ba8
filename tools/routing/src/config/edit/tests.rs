use super::*;
use crate::config::{Input as Read, load};
use crate::plan::{Difference, diff};
use proptest::prelude::*;

const TOML: &str = "\
name = \"yard\"
[participants.near]
domain = 0
[participants.far]
domain = 1
[[routes]]
from = \"near\"
to = \"far\"
topics = [\"Square\", \"rt/*\"]
qos.reader.reliability = \"reliable\"
qos.writer.reliability = \"reliable\"
";

const XML: &str = r#"<dds><routing_service name="yard"><domain_route name="d">
<participant name="near"><domain_id>0</domain_id></participant>
<participant name="far"><domain_id>1</domain_id></participant>
<session name="s"><topic_route name="square">
<input participant="near"><topic_name>Square</topic_name>
<registered_type_name>ShapeType</registered_type_name></input>
<output participant="far"><topic_name>Square</topic_name>
<registered_type_name>ShapeType</registered_type_name></output>
</topic_route></session></domain_route></routing_service></dds>"#;

const SESSION: &str = "/routing_services/yard/domain_routes/default/sessions/default";
const AUTO: &str = "/routing_services/yard/domain_routes/default/sessions/default/auto_routes";
const ROUTE: &str = "/routing_services/yard/domain_routes/d/sessions/s/routes/square";

fn plan(text: &str) -> Plan {
    let (name, text) = ("yard".to_owned(), text.to_owned());
    let read = load(&[Read::Text { name, text }], &Options::default());
    let report = read.report();
    read.plan.unwrap_or_else(|| panic!("{report}"))
}

fn edited(plan: &Plan, wanted: Edit<'_>) -> Result<Plan, EditError> {
    edit(plan, &wanted, &Options::default())
}

/// What an edit does to a running service.
fn lines(plan: &Plan, wanted: Edit<'_>) -> Vec<String> {
    let edited = edited(plan, wanted).unwrap_or_else(|error| panic!("{error}"));
    let differences = diff(plan, &edited).unwrap();
    differences.iter().map(Difference::to_string).collect()
}

/// What is said of an edit that is refused.
fn fault(plan: &Plan, wanted: Edit<'_>) -> EditError {
    edited(plan, wanted).unwrap_err()
}

#[test]
fn an_auto_route_is_added_in_toml_json_and_xml() {
    let plan = plan(TOML);
    let xml = r#"<auto_topic_route name="more"><input participant="near">
        <allow_topic_name_filter>Circle</allow_topic_name_filter></input>
        <output participant="far"/></auto_topic_route>"#;
    for text in [
        "name = \"more\"\nfrom = \"near\"\nto = \"far\"\ntopics = [\"Circle\"]\nmax_rate = 5",
        r#"{"name": "more", "from": "near", "to": ["far"], "topics": ["Circle"], "max_rate": 5}"#,
        xml,
    ] {
        let added = lines(&plan, Edit::Add { within: AUTO, text });
        assert_eq!(added, [format!("+ {AUTO}/more")], "{text}");
    }
    // Without a name it gets one that is free.
    let text = r#"{"from": "near", "to": "far", "topics": "Circle"}"#;
    let within = &format!("{AUTO}/");
    let added = lines(&plan, Edit::Add { within, text });
    assert_eq!(added, [format!("+ {AUTO}/route_2")]);
}

#[test]
fn sessions_and_routes_of_one_topic_are_added() {
    let plan = plan(XML);
    let above = "/routing_services/yard/domain_routes/d/sessions";
    let text = r#"{"name": "t"}"#;
    assert_eq!(
        lines(
            &plan,
            Edit::Add {
                within: above,
                text
            }
        ),
        [format!("+ {above}/t")]
    );
    let route = "<topic_route name=\"c\"><input participant=\"near\"><topic_name>Circle</topic_name>\
         </input><output participant=\"far\"><topic_name>Circle</topic_name></output></topic_route>";
    let within = &format!("{above}/s/routes");
    let added = edited(
        &plan,
        Edit::Add {
            within,
            text: route,
        },
    )
    .unwrap();
    let routes = &added.domain_routes[0].sessions[0].routes;
    assert_eq!(routes[1].name, "c");
    let ends = (
        routes[1].inputs[0].connection,
        routes[1].outputs[0].connection,
    );
    assert_eq!(ends, (0, 1));
    let text = &format!("<session name=\"t\">{route}</session>");
    let added = edited(
        &plan,
        Edit::Add {
            within: above,
            text,
        },
    )
    .unwrap();
    assert_eq!(added.domain_routes[0].sessions[1].routes[0].name, "c");
}

#[test]
fn what_is_named_is_set_on_what_runs_and_nothing_else_changes() {
    let plan = plan(TOML);
    let path = &format!("{AUTO}/route_1");
    for (text, what) in [
        (r#"{"max_rate": "20/s per instance"}"#, "set"),
        (r#"{"filter": "x > 5"}"#, "set"),
        (r#"{"topics": ["Square"], "deny": ["rt/x"]}"#, "set"),
        ("qos.reader.deadline = \"1 s\"", "set"),
        ("qos.reader.reliability = \"best_effort\"", "made anew"),
        ("enabled = false", "set"),
    ] {
        let all = lines(&plan, Edit::Set { path, text });
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        assert!(all[0].starts_with(&format!("~ {path}")) || text.contains("enabled"));
        assert!(all[0].contains(what) || text.contains("enabled"), "{all:?}");
    }
    // Policies that are not named stay.
    let text = "qos.reader.deadline = \"1 s\"";
    let set = edited(&plan, Edit::Set { path, text }).unwrap();
    let mut expected = plan.clone();
    let input = &mut expected.domain_routes[0].sessions[0].auto_routes[0].input;
    let EndpointQos::Explicit(qos) = &mut input.qos else {
        panic!("it has QoS")
    };
    qos.deadline = dunlin::Duration::from_secs(1);
    // The writer's QoS comes of what is named as well, and is what it was.
    assert_eq!(set, expected);
    // Null takes a key back.
    let text = r#"{"max_rate": 5, "filter": "x > 5"}"#;
    let set = edited(&plan, Edit::Set { path, text }).unwrap();
    let text = r#"{"max_rate": null, "filter": null}"#;
    assert_eq!(edited(&set, Edit::Set { path, text }).unwrap(), plan);
}

#[test]
fn a_route_of_one_topic_is_changed_alike() {
    let plan = plan(XML);
    let text = r#"{"max_rate": 5, "representation": "xcdr2"}"#;
    let set = edited(&plan, Edit::Set { path: ROUTE, text }).unwrap();
    let route = &set.domain_routes[0].sessions[0].routes[0];
    assert_eq!(route.inputs[0].max_rate, Some(5.0));
    assert!(route.outputs[0].representation.is_some());
    let text = r#"{"topics": ["Circle"]}"#;
    let error = fault(&plan, Edit::Set { path: ROUTE, text });
    assert!(error.to_string().contains("auto routes"), "{error}");
}

#[test]
fn what_is_removed_is_gone() {
    let plan = plan(XML);
    let removed = format!("- {ROUTE}");
    assert_eq!(lines(&plan, Edit::Remove { path: ROUTE }), [removed]);
    let path = "/routing_services/yard/domain_routes/d/sessions/s";
    let left = edited(&plan, Edit::Remove { path }).unwrap();
    assert!(left.domain_routes[0].sessions.is_empty());
}

#[test]
fn mistakes_change_nothing_and_say_what_is_wrong() {
    let plan = plan(TOML);
    let path = &format!("{AUTO}/route_1");
    let set = |text: &str| fault(&plan, Edit::Set { path, text }).to_string();
    for (text, part) in [
        ("max_rat = 5", "did you mean \"max_rate\""),
        ("max_rate = \"often\"", "the request:1:"),
        ("to = \"far\"", "to cannot be changed"),
        (
            "processor = \"forward\"\nmax_rate = 5",
            "do not go together",
        ),
        ("{\"max_rate\": [}", "no JSON"),
        ("{\"max_rat\": null}", "no key \"max_rat\""),
        ("{\"backlog\": {\"samples\": null}}", "null within samples"),
        ("[]", "the request:1:"),
        ("", "nothing is to be changed"),
        ("processor = { class = \"rate\" }", "per_second"),
    ] {
        let error = set(text);
        assert!(error.contains(part), "{text}: {error}");
    }
    let add = |within: &str, text: &str| fault(&plan, Edit::Add { within, text });
    let whole = "from = \"near\"\nto = \"far\"\ntopics = [\"*\"]\n";
    let twice = add(AUTO, &format!("name = \"route_1\"\n{whole}"));
    assert!(matches!(twice, EditError::Conflict(_)), "{twice}");
    // The whole plan is checked, not only what is new.
    let waits = "\ncreation_mode = \"ON_ROUTE_MATCH\"";
    let waits = add(AUTO, &format!("{whole}{waits}"));
    assert!(waits.to_string().contains("waits"), "{waits}");
    for (within, text, part) in [
        (
            AUTO,
            "from = \"nera\"\nto = \"far\"\ntopics = [\"*\"]",
            "did you mean \"near\"",
        ),
        (AUTO, "<auto_topic_route>", "the request"),
        (AUTO, "<session name=\"x\"/>", "session"),
        (SESSION, whole, "nothing can be added"),
        ("/x/sessions", "{\"name\": \"a\"}", "no domain route"),
        ("", whole, "nothing can be added"),
    ] {
        let error = add(within, text).to_string();
        assert!(error.contains(part), "{within} {text}: {error}");
    }
    for path in [
        "",
        "/",
        SESSION,
        "/routing_services/yard/domain_routes/default",
    ] {
        let error = fault(
            &plan,
            Edit::Set {
                path,
                text: "enabled = true",
            },
        );
        assert!(!error.to_string().is_empty(), "{path}");
    }
    let path = &format!("{SESSION}/routes/Square");
    let error = fault(&plan, Edit::Remove { path }).to_string();
    assert!(error.contains("that an auto route made"), "{error}");
}

#[test]
fn more_routes_than_the_limit_are_refused() {
    let mut plan = plan(TOML);
    plan.limits.routes = 1;
    let text = "from = \"near\"\nto = \"far\"\ntopics = [\"Circle\"]";
    let error = fault(&plan, Edit::Add { within: AUTO, text });
    assert!(matches!(error, EditError::Conflict(_)), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is added and removed again leaves the plan as it was; what is set and set back, too.
    #[test]
    fn edits_are_undone(name in "[a-z]{1,8}", topic in "[A-Z][a-z]{0,8}", rate in 1u32..1000) {
        let plan = plan(TOML);
        let text = format!("name = \"x{name}\"\nfrom = \"near\"\nto = \"far\"\ntopics = [\"{topic}\"]");
        let added = edited(&plan, Edit::Add { within: AUTO, text: &text }).unwrap();
        let path = format!("{AUTO}/x{name}");
        let text = format!("{{\"max_rate\": {rate}}}");
        let set = edited(&added, Edit::Set { path: &path, text: &text }).unwrap();
        prop_assert!(set != added);
        let text = "{\"max_rate\": null}";
        let back = edited(&set, Edit::Set { path: &path, text }).unwrap();
        prop_assert_eq!(&back, &added);
        prop_assert_eq!(edited(&back, Edit::Remove { path: &path }).unwrap(), plan);
    }

    /// Whatever comes as a path or a text is refused or makes a plan that passes all checks.
    #[test]
    fn anything_is_read_or_refused(path in ".{0,80}", text in "[ -~\n]{0,120}") {
        let plan = plan(TOML);
        for path in [&*path, AUTO, SESSION, &format!("{AUTO}/route_1")] {
            let _ = edited(&plan, Edit::Add { within: path, text: &text });
            let _ = edited(&plan, Edit::Set { path, text: &text });
        }
    }
}
