//! The table of elements as a page and as an XSD.
use super::{Class, Context, Element, Inside, all, attributes, names};
use std::fmt::Write;

impl Context {
    /// The elements that it stands for, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Dds => "dds",
            Self::Variables => "configuration_variables",
            Self::Variable => "value of configuration_variables",
            Self::PluginLibrary => "plugin_library",
            Self::Plugin => "processor_plugin, transformation_plugin, adapter_plugin",
            Self::Service => "routing_service",
            Self::Annotation => "annotation",
            Self::Administration => "administration",
            Self::Monitoring => "monitoring",
            Self::DomainRoute => "domain_route",
            Self::Participant => "participant",
            Self::RegisterType => "register_type",
            Self::Connection => "connection",
            Self::Session => "session",
            Self::ThreadPool => "thread_pool",
            Self::PeriodicAction => "periodic_action",
            Self::Route => "topic_route, route",
            Self::AutoRoute => "auto_topic_route, auto_route",
            Self::FilterPropagation => "filter_propagation",
            Self::Processor => "processor",
            Self::Input => "input of a route",
            Self::Output => "output of a route",
            Self::AutoInput => "input of an auto route",
            Self::AutoOutput => "output of an auto route",
            Self::ContentFilter => "content_filter",
            Self::List => "expression_parameters, cpu_list",
            Self::Transformation => "transformation",
            Self::Property => "property",
            Self::PropertyValue => "value of property",
            Self::PropertyElement => "element of property",
        }
    }

    /// The name of its type in the XSD.
    fn type_name(self) -> String {
        format!("{self:?}")
    }
}

/// The contexts, in the order of the table.
fn contexts() -> Vec<Context> {
    let mut contexts: Vec<Context> = Vec::new();
    for element in all() {
        if !contexts.contains(&element.within) {
            contexts.push(element.within);
        }
    }
    contexts
}

/// `docs/routing-elements.md`.
pub fn markdown() -> String {
    let mut out = String::from(
        "# Elements of the Routing Service's XML\n\n\
         This page is made from the table that the program reads by. Any other element or attribute is an error that\n\
         names the nearest known one; `-ignoreXsdValidation` makes it a warning. The order of elements is free. What is\n\
         *ignored* is accepted with a warning; what is *refused* is an error. How to write a configuration is in\n\
         [routing.md](routing.md).\n",
    );
    for context in contexts() {
        let _ = write!(out, "\n## {}\n\n", context.title());
        match attributes(context) {
            [] => {}
            names => {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                let _ = write!(out, "Attributes: {}.\n\n", names.join(", "));
            }
        }
        out.push_str("| element | | |\n|---|---|---|\n");
        for element in names(context) {
            let class = match element.class {
                Class::Read => "",
                Class::Ignored => "ignored",
                Class::Refused => "refused",
            };
            let says = element.says.replace('|', "\\|");
            let says = says.replace('<', "`<").replace('>', ">`");
            let _ = writeln!(out, "| `{}` | {class} | {says} |", element.name);
        }
    }
    out
}

/// `routing_service.xsd`: for editors. The program itself does not read it.
pub fn xsd() -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Made from the table of elements by which Dunlin's Routing Service reads. -->\n\
         <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n\
         \x20 <xs:element name=\"dds\" type=\"Dds\"/>\n\
         \x20 <xs:complexType name=\"Other\" mixed=\"true\">\n\
         \x20   <xs:sequence><xs:any processContents=\"skip\" minOccurs=\"0\" maxOccurs=\"unbounded\"/></xs:sequence>\n\
         \x20   <xs:anyAttribute processContents=\"skip\"/>\n\
         \x20 </xs:complexType>\n",
    );
    for context in contexts() {
        let name = context.type_name();
        let _ = writeln!(out, "  <xs:complexType name=\"{name}\">");
        out.push_str("    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n");
        for element in names(context).filter(|element| element.class != Class::Refused) {
            let _ = writeln!(out, "      {}", xsd_element(element));
        }
        out.push_str("    </xs:choice>\n");
        for name in attributes(context) {
            let _ = writeln!(
                out,
                "    <xs:attribute name=\"{name}\" type=\"xs:string\"/>"
            );
        }
        out.push_str("  </xs:complexType>\n");
    }
    out.push_str("</xs:schema>\n");
    out
}

fn xsd_element(element: &Element) -> String {
    let of = match element.inside {
        Inside::Text => "xs:string".to_owned(),
        Inside::Other => "Other".to_owned(),
        Inside::Elements(context) => context.type_name(),
    };
    format!("<xs:element name=\"{}\" type=\"{of}\"/>", element.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a file; with `DUNLIN_UPDATE=1` in the environment it is written anew.
    fn is_written(file: &str, text: &str) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("DUNLIN_UPDATE").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == text,
            "{file} differs: DUNLIN_UPDATE=1 cargo test -p dunlin-routing --lib"
        );
    }

    #[test]
    fn the_page_and_the_schema_are_up_to_date() {
        is_written("../../docs/routing-elements.md", &markdown());
        is_written("routing_service.xsd", &xsd());
    }

    #[test]
    fn each_context_is_reached_and_has_rows() {
        for element in all() {
            if let Inside::Elements(inside) = element.inside {
                assert!(names(inside).next().is_some(), "{element:?}");
            }
        }
    }
}
