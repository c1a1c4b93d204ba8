//! A QoS element becomes settings.

use dunlin_document::{Element, Problem, Problems, Span, quoted};

use crate::Entity;
use crate::elements::Class;
use crate::schema::{Place, Schema};
use crate::settings::{Settings, Value};
use crate::value;

/// An element that has no effect here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it stands.
    pub span: Span,
    /// Its path below the QoS element.
    pub path: String,
    /// Why.
    pub says: &'static str,
}

/// The most notes of a load.
const MOST_NOTES: usize = 4096;

/// Reads what a QoS element says; its attributes are its caller's.
pub(crate) fn qos(
    element: Element<'_>,
    entity: Entity,
    notes: &mut Vec<Note>,
    problems: &mut Problems,
) -> Settings {
    let mut settings = Settings::default();
    let mut reading = Reading {
        schema: Schema::of(entity),
        settings: &mut settings,
        notes,
        problems,
    };
    reading.children(element, "");
    if settings.len() > Settings::MOST {
        let most = Settings::MOST;
        let message = format!("a QoS sets more than {most} values");
        problems.push(Problem::error(element.span(), message));
        return Settings::default();
    }
    dangerous_properties(&settings, problems);
    settings
}

struct Reading<'r> {
    schema: &'static Schema,
    settings: &'r mut Settings,
    notes: &'r mut Vec<Note>,
    problems: &'r mut Problems,
}

impl Reading<'_> {
    /// Elements are at most so deep as the document's limit says.
    fn children(&mut self, element: Element<'_>, path: &str) {
        for child in element.children() {
            // Bases are their reader's, and documentation is nobody's.
            if child.name() == "documentation" || child.name() == "base_name" && path.is_empty() {
                continue;
            }
            let path = match path {
                "" => child.name().to_owned(),
                above => format!("{above}/{}", child.name()),
            };
            self.element(child, &path);
        }
    }

    fn element(&mut self, element: Element<'_>, path: &str) {
        let info = match self.schema.place(path) {
            None => {
                let above = path.rsplit_once('/').map_or("", |(above, _)| above);
                let problem = value::unknown(element, self.schema.children(above));
                return self.problems.push(problem);
            }
            Some(Place::Container) => {
                if let Some(text) = element.text() {
                    let message = format!(
                        "{} stands in <{}>, which has elements only",
                        quoted(text.text),
                        element.name()
                    );
                    self.problems.push(Problem::error(text.span, message));
                }
                return self.children(element, path);
            }
            Some(Place::Element(info)) => info,
        };
        match info.class {
            Class::Maps(kind) => value::read(kind, element, path, self.settings, self.problems),
            Class::Noted => {
                if self.notes.len() < MOST_NOTES {
                    self.notes.push(Note {
                        span: element.span(),
                        path: path.to_owned(),
                        says: info.says,
                    });
                }
            }
            Class::Only(values) => {
                let text = element.text();
                let is_so = text.is_some_and(|text| {
                    let name = text.text.strip_prefix("DDS_").unwrap_or(text.text);
                    values.iter().any(|value| name.eq_ignore_ascii_case(value))
                });
                if !is_so {
                    let written = quoted(text.map_or("", |text| text.text));
                    let message = format!("{path} {written} is not supported: {}", info.says);
                    self.problems
                        .push(Problem::error(element.text_span(), message));
                }
            }
            Class::Refused => {
                let message = format!("{path} is not supported: {}", info.says);
                self.problems.push(Problem::error(element.span(), message));
            }
        }
    }
}

/// Properties that would change who gets what, or its safety, if they were ignored.
fn dangerous_properties(settings: &Settings, problems: &mut Problems) {
    for (path, setting) in settings.iter() {
        let Some(name) = path
            .strip_prefix("property[")
            .and_then(|p| p.strip_suffix(']'))
        else {
            continue;
        };
        let Value::Property { value, .. } = &setting.value else {
            continue;
        };
        let why = match name {
            "dds.transport.load_plugins" => {
                let mut plugins = value.split(',').map(str::trim);
                let foreign = plugins.find(|plugin| !plugin.starts_with("dds.transport.TCPv4"));
                foreign.map(|plugin| {
                    let plugin = quoted(plugin);
                    format!(
                        "transport plugin {plugin} is not supported: there is dds.transport.TCPv4"
                    )
                })
            }
            "com.rti.serv.load_plugin" if value.is_empty() => None,
            _ if name == "com.rti.serv.load_plugin"
                || name.starts_with("dds.sec.auth.")
                || name.starts_with("dds.sec.access.") =>
            {
                Some(format!(
                    "property {} is not supported: DDS Security is not implemented, and without it \
                 nothing would be protected",
                    quoted(name)
                ))
            }
            _ if name.starts_with("dds.data_writer.history.odbc_plugin")
                || name.starts_with("dds.data_reader.state.odbc")
                || name.starts_with("dds.data_writer.history.plugin_name")
                || name.starts_with("dds.data_reader.state.persistence_service") =>
            {
                Some(format!(
                    "property {} is not supported: nothing is kept on a disk or in a database",
                    quoted(name)
                ))
            }
            _ => None,
        };
        if let Some(why) = why {
            problems.push(Problem::error(setting.span, why));
        }
    }
}
