//! Sessions and routes in XML, without the service around them; sessions in TOML and JSON.
use super::{EditError, Routes, TEXT, take, wrong};
use crate::config::{Input, Options, load, values};
use crate::plan::{ConnectionKind, DomainRoute, Session, ThreadPool};
use dunlin::{PublisherQos, SubscriberQos};
use std::fmt::Write;

/// The sessions that a text in XML describes.
pub(super) fn sessions(
    domain_route: &DomainRoute,
    text: &str,
    options: &Options,
) -> Result<Vec<Session>, EditError> {
    read(domain_route, text, options)
}

/// The routes and auto routes that a text in XML describes.
pub(super) fn routes(
    domain_route: &DomainRoute,
    text: &str,
    options: &Options,
) -> Result<Routes, EditError> {
    let text = format!("<session name=\"s\">\n{text}\n</session>");
    let mut all = read(domain_route, &text, options)?.into_iter();
    match (all.next(), all.next()) {
        (Some(session), None) => Ok((session.routes, session.auto_routes)),
        _ => Err(EditError::Wrong("routes are expected".to_owned())),
    }
}

/// Reads sessions as those of a domain route with the connections of this one.
fn read(
    domain_route: &DomainRoute,
    text: &str,
    options: &Options,
) -> Result<Vec<Session>, EditError> {
    let mut whole = String::from("<dds><routing_service name=\"s\"><domain_route name=\"d\">");
    for connection in &domain_route.connections {
        let name = escaped(&connection.name);
        let participant = match &connection.kind {
            ConnectionKind::Participant(participant) => participant,
            ConnectionKind::Adapter(plugin) => {
                let class = escaped(&plugin.class);
                // Writing to a string does not fail.
                let _ = write!(
                    whole,
                    "<connection name=\"{name}\" plugin_name=\"{class}\"/>"
                );
                continue;
            }
        };
        let domain = participant.domain;
        // Writing to a string does not fail.
        let _ = write!(
            whole,
            "<participant name=\"{name}\"><domain_id>{domain}</domain_id></participant>"
        );
    }
    whole += text;
    whole += "</domain_route></routing_service></dds>";
    let options = Options {
        service: None,
        // Domains have their base already, and circles are looked for in the whole.
        domain_base: 0,
        allow_loop: true,
        ..options.clone()
    };
    let name = TEXT.to_owned();
    let read = load(&[Input::Text { name, text: whole }], &options);
    let Some(plan) = read.plan else {
        return Err(wrong(&read.problems, &read.sources));
    };
    let mut all = plan.domain_routes;
    let (Some(mut found), true) = (all.pop(), all.is_empty()) else {
        return Err(EditError::Wrong("one domain route is expected".to_owned()));
    };
    let names = |of: &DomainRoute| -> Vec<String> {
        let names = of.connections.iter().map(|connection| &connection.name);
        names.cloned().collect()
    };
    match names(&found) == names(domain_route) {
        true => Ok(std::mem::take(&mut found.sessions)),
        false => Err(EditError::Wrong(
            "participants cannot be added to a service that runs: change its files".to_owned(),
        )),
    }
}

/// A session without routes yet, of the keys `name` and `enabled`.
pub(super) fn short_session(text: &str) -> Result<Session, EditError> {
    let given = take(text)?;
    let refused = |why: String| EditError::Wrong(why);
    let text = given.source.map_or("", |source| given.sources.text(source));
    let table: ::toml::Table = ::toml::from_str(text).map_err(|e| refused(e.to_string()))?;
    if let Some(other) = table
        .keys()
        .find(|key| !["name", "enabled"].contains(&&***key))
    {
        let why = format!("a session has no key {other:?}: it has name and enabled");
        return Err(refused(why));
    }
    let name = table.get("name").and_then(|name| name.as_str());
    let name = name.ok_or_else(|| refused("a session needs a name, in quotes".to_owned()))?;
    values::name(name).map_err(|message| refused(message.to_string()))?;
    let enabled = table.get("enabled").map_or(Some(true), |is| is.as_bool());
    Ok(Session {
        name: name.to_owned(),
        enabled: enabled.ok_or_else(|| refused("enabled is true or false".to_owned()))?,
        threads: ThreadPool::default(),
        publisher: PublisherQos::default(),
        subscriber: SubscriberQos::default(),
        period: None,
        routes: Vec::new(),
        auto_routes: Vec::new(),
    })
}

/// A text as a value of an attribute.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}
