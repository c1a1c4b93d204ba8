use super::*;
use crate::plan::{ConnectionKind, CreationMode, EndpointQos, Route, Writers};

fn read(name: &str, text: &str) -> Configuration {
    read_with(name, text, Options::default())
}

fn read_with(name: &str, text: &str, options: Options) -> Configuration {
    let input = Input::Text {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    load(&[input], &options)
}

fn plan(name: &str, text: &str) -> Plan {
    let read = read(name, text);
    assert_eq!(read.report(), "");
    read.plan.expect("a plan without problems")
}

const YARD: &str = r#"name = "yard"
[participants.robots]
domain = 0
[participants.office]
domain = 1
transports = "udp"
[[routes]]
from = "robots"
to = ["office"]
topics = ["rt/*", "Square"]
deny = ["rt/parameter_events"]
[[routes]]
from = "office"
to = "robots"
topics = ["rt/cmd_vel"]
max_rate = "20/s per instance"
"#;

#[test]
fn the_short_form_becomes_auto_routes() {
    let plan = plan("yard.toml", YARD);
    assert_eq!((&*plan.name, &*plan.group), ("yard", "yard"));
    let route = &plan.domain_routes[0];
    let names: Vec<_> = route.connections.iter().map(|c| &*c.name).collect();
    assert_eq!(names, ["robots", "office"]);
    let routes = &route.sessions[0].auto_routes;
    assert_eq!(routes.len(), 2);
    assert!(routes[0].topics.passes("rt/odom") && routes[0].topics.passes("Square"));
    assert!(!routes[0].topics.passes("rt/parameter_events"));
    assert!(!routes[0].topics.passes("Circle"));
    assert_eq!(
        routes[0].input.mode,
        CreationMode::OnDemand { always: false }
    );
    assert_eq!(routes[0].input.qos, EndpointQos::AsSource);
    assert_eq!(routes[0].outputs[0].writers, Writers::Group);
    assert_eq!(routes[0].outputs[0].connection, 1);
    assert_eq!(routes[1].input.max_rate, Some(20.0));
    assert!(routes[1].settings.original_info);
}

#[test]
fn a_route_from_several_participants_becomes_one_from_each() {
    let text = YARD.replace("[[routes]]\nfrom = \"office\"\nto = \"robots\"", "[participants.cloud]\ndomain = 2\n[[routes]]\nfrom = [\"office\", \"cloud\"]\nto = \"robots\"");
    let plan = plan("yard.toml", &text);
    let routes = &plan.domain_routes[0].sessions[0].auto_routes;
    let names: Vec<_> = routes.iter().map(|route| &*route.name).collect();
    assert_eq!(names, ["route_1", "route_2-office", "route_2-cloud"]);
}

#[test]
fn what_is_wrong_in_toml_is_told_at_its_place() {
    let text = YARD
        .replace("to = \"robots\"", "to = \"robts\"")
        .replace("max_rate", "max_rat");
    let read = read("yard.toml", &text);
    assert!(read.plan.is_none());
    assert_eq!(
        read.report(),
        "\
yard.toml:14:6: error: there is no participant \"robts\"
   14 | to = \"robts\"
      |      ^~~~~~~ did you mean \"robots\"?
yard.toml:16:1: error: route 2 has no key \"max_rat\"
   16 | max_rat = \"20/s per instance\"
      | ^~~~~~~ did you mean \"max_rate\"?
"
    );
}

const BRIDGE: &str = r#"<dds>
  <routing_service name="bridge" group_name="g">
    <domain_route name="d">
      <participant name="domain0"><domain_id>0</domain_id></participant>
      <participant name="domain1"><domain_id>1</domain_id></participant>
      <session name="s">
        <topic_route name="square">
          <input participant="domain0">
            <topic_name>Square</topic_name>
            <registered_type_name>ShapeType</registered_type_name>
          </input>
          <output participant="domain1">
            <topic_name>Square</topic_name>
            <registered_type_name>ShapeType</registered_type_name>
          </output>
        </topic_route>
      </session>
    </domain_route>
  </routing_service>
</dds>
"#;

#[test]
fn the_xml_becomes_a_route() {
    let plan = plan("bridge.xml", BRIDGE);
    let route = &plan.domain_routes[0].sessions[0].routes[0];
    assert_eq!(route.name, "square");
    assert_eq!(route.inputs[0].topic, "Square");
    assert_eq!(route.inputs[0].type_name.as_deref(), Some("ShapeType"));
    assert_eq!(route.inputs[0].mode, CreationMode::Immediate);
    assert_eq!(route.outputs[0].connection, 1);
    assert_eq!(route.outputs[0].writers, Writers::One);
    assert!(!route.settings.original_info && route.settings.route_types);
}

#[test]
fn a_misspelt_participant_is_shown_with_carets() {
    let text = BRIDGE.replace(
        "input participant=\"domain0\"",
        "input participant=\"domian0\"",
    );
    assert_eq!(
        read("bridge.xml", &text).report(),
        "\
bridge.xml:8:31: error: participant \"domian0\" is not one of this domain route's
    8 |           <input participant=\"domian0\">
      |                               ^~~~~~~ did you mean \"domain0\"? (bridge.xml:4)
"
    );
}

#[test]
fn the_domain_base_is_added_to_domains_of_data() {
    for (name, text) in [("bridge.xml", BRIDGE), ("yard.toml", YARD)] {
        let options = Options {
            domain_base: 10,
            ..Options::default()
        };
        let plan = read_with(name, text, options).plan.unwrap();
        let domains = plan.domain_routes[0].connections.iter().map(|connection| {
            let ConnectionKind::Participant(participant) = &connection.kind else {
                panic!("{connection:?}");
            };
            participant.domain
        });
        assert_eq!(domains.collect::<Vec<_>>(), [10, 11]);
    }
}

#[test]
fn types_say_whether_there_is_a_key() {
    let types = "<types><struct name=\"ShapeType\"><member name=\"color\" type=\"string\" key=\"true\"/></struct></types>";
    let text = BRIDGE.replace("<dds>", &format!("<dds>{types}"));
    let plan = plan("bridge.xml", &text);
    let route = &plan.domain_routes[0].sessions[0].routes[0];
    assert_eq!(route.inputs[0].keyed, Some(true));
}

#[test]
fn types_of_xml_are_types() {
    use dunlin::xtypes::idl;
    let types = r#"<types>
      <const name="SIDES" type="int32" value="2"/>
      <module name="geo">
        <enum name="Color"><enumerator name="RED" value="3"/><enumerator name="BLUE"/></enum>
        <typedef name="Names" type="string" stringMaxLength="8" sequenceMaxLength="4"/>
        <struct name="Base" extensibility="mutable"><member name="id" type="unsignedLong" key="true"/></struct>
        <struct name="Shape" baseType="geo::Base" extensibility="mutable">
          <member name="color" type="nonBasic" nonBasicTypeName="Color" id="7"/>
          <member name="names" type="nonBasic" nonBasicTypeName="geo::Names" optional="true"/>
          <member name="sizes" type="float64" arrayDimensions="3,SIDES"/>
          <member name="octets" type="octet" sequenceMaxLength="-1"/>
        </struct>
      </module>
    </types>"#;
    let text = BRIDGE.replace("<dds>", &format!("<dds>{types}"));
    let types = plan("bridge.xml", &text).types;
    assert_eq!(
        types.names().collect::<Vec<_>>(),
        ["geo::Base", "geo::Shape"]
    );
    let shape = types.get("geo::Shape").unwrap();
    assert_eq!(shape.source.to_string(), "from <types>");
    let shape = shape.ty;
    assert!(shape.has_key());
    let members: Vec<_> = shape.members().map(|m| (m.name(), m.id())).collect();
    let expected = [
        ("id", 0),
        ("color", 7),
        ("names", 8),
        ("sizes", 9),
        ("octets", 10),
    ];
    assert_eq!(members, expected);
    let text = idl::print(shape.tree());
    for part in [
        "string<8>",
        "[3][2]",
        "sequence<octet>",
        "@mutable",
        "RED = 3",
    ] {
        let is_there = text.contains(part) || part == "RED = 3" && text.contains("@value(3) RED");
        assert!(is_there, "{part}: {text}");
    }
}

#[test]
fn unions_bits_and_maps_of_xml_are_types() {
    use dunlin::xtypes::idl;
    let types = r#"<types>
      <enum name="Kind"><enumerator name="NEAR"/><enumerator name="FAR" defaultLiteral="true"/></enum>
      <bitmask name="Flags" bitBound="16">
        <flag name="UP" position="0"/><flag name="LEFT" position="9"/>
      </bitmask>
      <bitset name="Packed">
        <bitfield name="low" bitCount="3"/><bitfield bit_bound="2"/>
        <bitfield name="high" bitCount="4" type="uint8"/>
      </bitset>
      <struct name="Text" nested="true"><member name="t" type="string"/></struct>
      <union name="Pick" extensibility="final">
        <discriminator type="nonBasic" nonBasicTypeName="Kind"/>
        <case><caseDiscriminator value="(NEAR)"/><member name="x" type="int32"/></case>
        <case><caseDiscriminator value="default"/>
          <member name="text" type="nonBasic" nonBasicTypeName="Text"/></case>
      </union>
      <union name="Number">
        <discriminator type="int16" key="true"/>
        <case><caseDiscriminator value="1"/><caseDiscriminator value="2"/>
          <member name="x" type="int32"/></case>
      </union>
      <struct name="All" autoid="hash" extensibility="mutable">
        <member name="flags" type="nonBasic" nonBasicTypeName="Flags" mustUnderstand="true"/>
        <member name="packed" type="nonBasic" nonBasicTypeName="Packed" hashid="bits"/>
        <member name="pick" type="nonBasic" nonBasicTypeName="Pick" external="true" optional="true"/>
        <member name="ages" type="uint8" mapKeyType="string" mapKeyStringMaxLength="8" mapMaxLength="4"/>
        <member name="picks" type="nonBasic" nonBasicTypeName="Pick" mapKeyType="int32"/>
        <member name="level" type="int32" default="5" min="0" max="9"/>
        <member name="name" type="string" default="a &quot;b&quot;"/>
      </struct>
    </types>"#;
    let text = BRIDGE.replace("<dds>", &format!("<dds>{types}"));
    let read = read("bridge.xml", &text);
    assert!(!read.report().contains("<types>"), "{}", read.report());
    let types = read.plan.unwrap().types;
    let names: Vec<&str> = types.names().collect();
    assert_eq!(names, ["All", "Number", "Pick", "Text"]);
    let all = types.get("All").unwrap().ty;
    let text = idl::print(all.tree());
    for part in [
        "@bit_bound(16)",
        "@position(9)",
        "bitfield<3, octet> low",
        "bitfield<2>",
        "@final union Pick switch (::Kind)",
        "case ::Kind::NEAR:",
        "default:",
        "map<string<8>, uint8, 4>",
        "map<int32, ::Pick>",
        "@must_understand",
        "@optional @external",
        "@hashid(\"bits\")",
        "switch (@key int16)",
        "@default(5) @min(0) @max(9)",
        "@default(\"a \\\"b\\\"\")",
        "@autoid(HASH)",
        "@nested",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let number = types.get("Number").unwrap().ty;
    let labels = number.cases()[0].labels();
    assert_eq!(labels, [1, 2]);
    // A filter asks for parts of them.
    let none: [&str; 0] = [];
    let filter =
        dunlin_filter::Filter::new("pick._d = 'FAR' OR flags = 1 OR level > 5", &none, &all);
    assert!(filter.is_ok(), "{filter:?}");
}

#[test]
fn what_is_not_read_of_types_is_a_warning() {
    let types = "<types><struct name=\"ShapeType\"><member name=\"x\" type=\"int32\" key=\"true\"/></struct>\
                 <union name=\"U\"/></types>";
    let text = BRIDGE.replace("<dds>", &format!("<dds>{types}"));
    let read = read("bridge.xml", &text);
    let report = read.report();
    assert!(
        report.contains("warning: of <types> only keys are known: U has no discriminator"),
        "{report}"
    );
    assert_eq!(read.plan.unwrap().types.names().count(), 0);
}

#[test]
fn a_topic_with_two_types_in_a_participant_is_a_warning() {
    let end = |side: &str, participant: &str, topic: &str, ty: &str| {
        format!(
            "<{side} participant=\"{participant}\"><topic_name>{topic}</topic_name>\
             <registered_type_name>{ty}</registered_type_name></{side}>"
        )
    };
    let bridge = |second: [String; 2]| {
        let first = [
            end("input", "a", "Square", "Shape"),
            end("output", "b", "Square", "Shape"),
        ];
        let route = |name: &str, ends: [String; 2]| {
            format!(
                "<topic_route name=\"{name}\">{}</topic_route>",
                ends.concat()
            )
        };
        let text = format!(
            "<dds><routing_service name=\"s\"><domain_route name=\"d\">\
             <participant name=\"a\"><domain_id>0</domain_id></participant>\
             <participant name=\"b\"><domain_id>1</domain_id></participant>\
             <session name=\"x\">{}{}</session></domain_route></routing_service></dds>",
            route("one", first),
            route("two", second)
        );
        let read = read("bridge.xml", &text);
        assert!(read.plan.is_some(), "{}", read.report());
        read.report()
    };
    let report = bridge([
        end("input", "a", "Circle", "Round"),
        end("output", "b", "Square", "Round"),
    ]);
    let wanted = "warning: topic \"Square\" has type \"Round\" in participant \"b\", where route one has it with type \
                  \"Shape\"";
    assert!(report.contains(wanted), "{report}");
    let alike = [
        end("input", "a", "Circle", "Round"),
        end("output", "b", "Circle", "Round"),
    ];
    assert_eq!(bridge(alike), "");
}

#[test]
fn variables_are_given_or_have_defaults() {
    let text = BRIDGE.replace("<domain_id>1<", "<domain_id>$(DOMAIN)<");
    let unset = read("bridge.xml", &text);
    assert!(unset.report().contains("DOMAIN"), "{}", unset.report());
    let mut options = Options::default();
    options.variables.give("DOMAIN", "7");
    assert!(read_with("bridge.xml", &text, options).plan.is_some());
}

#[test]
fn without_files_the_built_in_service_counts() {
    let read = load(&[], &Options::default());
    assert_eq!(read.report(), "");
    assert_eq!(read.plan.unwrap().name, builtin::DEFAULT);
    for name in builtin::NAMES {
        let mut options = Options {
            service: Some(name.to_owned()),
            ..Options::default()
        };
        options.variables.give("PEERS", "203.0.113.7");
        let read = load(&[], &options);
        assert_eq!(read.report(), "", "{name}");
        let plan = read.plan.unwrap();
        assert_eq!(plan.name, name);
        // Both sites run it, and are not to ignore each other.
        assert_eq!(plan.group.is_empty(), name == "RelayWAN");
    }
}

#[test]
fn a_domain_that_is_there_twice_is_a_loop() {
    let text = BRIDGE.replace(" group_name=\"g\"", "").replace(
        "<session name=\"s\">",
        "<participant name=\"again\"><domain_id>0</domain_id></participant><session name=\"s\">",
    );
    let back = "<topic_route name=\"back\"><input participant=\"domain1\"><topic_name>Square</topic_name></input><output participant=\"again\"><topic_name>Square</topic_name></output></topic_route></session>";
    let text = text.replace("</session>", back);
    let report = read("bridge.xml", &text).report();
    assert!(
        report.contains("routes square and back would feed each other"),
        "{report}"
    );
    let options = Options {
        allow_loop: true,
        ..Options::default()
    };
    assert_eq!(read_with("bridge.xml", &text, options).report(), "");
}

#[test]
fn creation_modes_that_wait_for_each_other_are_refused() {
    let mode = "</registered_type_name><creation_mode>ON_ROUTE_MATCH</creation_mode>";
    let text = BRIDGE.replace("</registered_type_name>", mode);
    let report = read("bridge.xml", &text).report();
    assert!(report.contains("nothing would ever start"), "{report}");
}

#[test]
fn routes_from_many_participants_to_many_are_bounded() {
    let mut text = String::new();
    let names = |kind: &str| {
        let names = (0..200).map(|number| format!("\"{kind}{number}\""));
        names.collect::<Vec<_>>().join(", ")
    };
    for number in 0..200 {
        text.push_str(&format!("[participants.a{number}]\ndomain = 0\n"));
        text.push_str(&format!("[participants.b{number}]\ndomain = 1\n"));
    }
    let (from, to) = (names("a"), names("b"));
    text.push_str(&format!(
        "[[routes]]\nfrom = [{from}]\nto = [{to}]\ntopics = \"*\"\n"
    ));
    let report = read("wide.toml", &text).report();
    assert!(report.contains("more than 4096 ways"), "{report}");
}

#[test]
fn the_configuration_for_perftest_is_read_for_all_its_types() {
    let text = include_str!("../../../campaign/data/perftest-routing.xml");
    for (name, keyed) in [("TestData_t", false), ("TestDataKeyedLarge_t", true)] {
        for kind in ["RELIABLE_RELIABILITY_QOS", "BEST_EFFORT_RELIABILITY_QOS"] {
            let mut options = Options {
                domain_base: 1,
                ..Options::default()
            };
            options.variables.give("TYPE", name);
            options.variables.give("RELIABILITY", kind);
            let read = read_with("perftest.xml", text, options);
            assert_eq!(read.report(), "");
            let plan = read.plan.unwrap();
            let sessions = plan.domain_routes.iter().flat_map(|route| &route.sessions);
            let routes: Vec<_> = sessions.flat_map(|session| &session.routes).collect();
            let mut topics: Vec<_> = routes.iter().map(|route| &*route.inputs[0].topic).collect();
            topics.sort_unstable();
            assert_eq!(topics, ["Announcement", "Latency", "Throughput"]);
            for route in &routes {
                assert_eq!(route.inputs[0].keyed, Some(keyed));
            }
            let throughput = |route: &&&Route| route.inputs[0].topic == "Throughput";
            let route = routes.iter().find(throughput).unwrap();
            let EndpointQos::Explicit(qos) = &route.inputs[0].qos else {
                panic!("{:?}", route.inputs[0].qos);
            };
            let is_reliable = kind.starts_with("RELIABLE");
            assert_eq!(qos.reliability.is_reliable(), is_reliable);
        }
    }
}

#[test]
fn participants_of_administration_and_monitoring_have_all_that_is_said_of_them() {
    let qos = "<domain_participant_qos><transport_builtin><mask>UDPv4</mask></transport_builtin>\
               <discovery><initial_peers><element>10.0.0.7</element></initial_peers></discovery>\
               </domain_participant_qos>";
    let text = format!(
        "<dds><routing_service name=\"s\">\
         <administration><domain_id>9</domain_id>{qos}</administration>\
         <monitoring><domain_id>9</domain_id>{qos}</monitoring>\
         <domain_route name=\"d\"><participant name=\"a\"><domain_id>0</domain_id></participant>\
         <participant name=\"b\"><domain_id>1</domain_id></participant>\
         <session name=\"x\"><topic_route name=\"r\">\
         <input participant=\"a\"><topic_name>T</topic_name></input>\
         <output participant=\"b\"><topic_name>T</topic_name></output>\
         </topic_route></session></domain_route></routing_service></dds>"
    );
    let plan = plan("s.xml", &text);
    let administration = plan.administration.unwrap().participant;
    assert_eq!(administration, plan.monitoring.unwrap().participant);
    assert_eq!(administration.peers, ["10.0.0.7"]);
    assert!(
        administration
            .transports
            .is_some_and(|all| all.udp && !all.shmem)
    );
    assert_eq!(administration.multicast, Some(false));
}

#[test]
fn types_include_files_of_their_directory() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    std::fs::create_dir(place.join("types")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.join(name), text).unwrap();
    let shape = "<types><include file=\"key.xml\"/><struct name=\"ShapeType\" baseType=\"Key\">\
                 <member name=\"x\" type=\"long\"/></struct></types>";
    write("types/shape.xml", shape);
    let key = "<dds><types><struct name=\"Key\">\
               <member name=\"color\" type=\"string\" key=\"true\"/></struct></types></dds>";
    write("types/key.xml", key);
    let read = |file: &str| {
        let text = BRIDGE.replace(
            "<routing_service",
            &format!("<types><include file=\"{file}\"/></types><routing_service"),
        );
        write("bridge.xml", &text);
        load(
            &[Input::File(place.join("bridge.xml"))],
            &Options::default(),
        )
    };
    let loaded = read("types/shape.xml");
    assert_eq!(loaded.report(), "");
    let plan = loaded.plan.unwrap();
    let route = &plan.domain_routes[0].sessions[0].routes[0];
    assert_eq!(route.inputs[0].keyed, Some(true));
    let ty = plan.types.get("ShapeType").unwrap().ty;
    assert!(ty.resolved().has_key());
    let report = read("types/nothing.xml").report();
    assert!(report.contains("nothing.xml\": cannot be read"), "{report}");
    let report = read("../shape.xml").report();
    assert!(report.contains("is not below this file"), "{report}");
}
