//! What configurations say of other sites, in both languages, and what mistakes print.
mod common;

use common::configuration;
use dunlin_routing::config::{Input, Options, builtin, load};
use dunlin_routing::plan::ConnectionKind;

fn read(text: String, options: &Options) -> dunlin_routing::config::Configuration {
    // Another test of this process may have done so.
    let _ = dunlin_routing_zenoh::register();
    let name = "site".to_owned();
    load(&[Input::Text { name, text }], options)
}

fn xml(property: &str) -> String {
    format!(
        "<dds><routing_service name=\"a\"><domain_route name=\"d\">\n\
         <participant name=\"lan\"><domain_id>0</domain_id></participant>\n\
         <connection name=\"cloud\" plugin_name=\"dunlin::zenoh\">\n\
         <property><value><element><name>{property}</name>\
         <value>tcp/127.0.0.1:7447</value></element></value></property></connection>\n\
         <session name=\"s\"><auto_topic_route name=\"all\">\
         <input participant=\"lan\"/><output participant=\"cloud\"/>\
         </auto_topic_route></session></domain_route></routing_service></dds>"
    )
}

#[test]
fn both_languages_say_the_same_of_a_connection() {
    let toml = configuration("a", 0, "{ connect = [\"tcp/127.0.0.1:7447\"] }");
    let read = [toml, xml("connect")].map(|text| {
        let read = read(text, &Options::default());
        assert_eq!(read.report(), "");
        let plan = read.plan.unwrap();
        let mut all = plan.domain_routes.into_iter().flat_map(|d| d.connections);
        let cloud = all.find(|connection| connection.name == "cloud").unwrap();
        assert!(matches!(cloud.kind, ConnectionKind::Adapter(_)));
        cloud
    });
    assert_eq!(read[0], read[1]);
}

#[test]
fn mistakes_have_their_places() {
    for (zenoh, says) in [
        (
            "{ conect = \"tcp/h:1\" }",
            "site:6:20: error: a zenoh connection has no",
        ),
        (
            "{ connect = \"h:1\" }",
            "site:6:21: error: \"h:1\" is no locator",
        ),
        ("{ scope = \"x\" }", "a zenoh connection needs connect"),
        ("{ connect = \"tls/h:1\" }", "needs tls.ca"),
        ("7", "\"zenoh\" is an integer"),
    ] {
        let read = read(configuration("a", 0, zenoh), &Options::default());
        assert!(read.plan.is_none());
        assert!(read.report().contains(says), "{zenoh}\n{}", read.report());
    }
    let wrong = read(xml("conect"), &Options::default());
    assert!(
        wrong.report().contains("site:3:2: error: a zenoh"),
        "{}",
        wrong.report()
    );
}

#[test]
fn the_built_in_service_takes_its_variables() {
    let mut options = Options {
        service: Some(builtin::ZENOH.to_owned()),
        ..Options::default()
    };
    options.variables.give("ZENOH_LISTEN", "tcp/0.0.0.0:7447");
    options.variables.give("ZENOH_MODE", "router");
    let _ = dunlin_routing_zenoh::register();
    let read = load(&[], &options);
    assert_eq!(read.report(), "");
    let connections = &read.plan.unwrap().domain_routes[0].connections;
    let ConnectionKind::Adapter(plugin) = &connections[1].kind else {
        panic!("{connections:?}");
    };
    assert_eq!(plugin.properties["mode"], "router");
    assert!(!plugin.properties.contains_key("tls.ca"));
    assert!(builtin::names().any(|name| name == builtin::ZENOH));
}
