//! The elements of the XML, in one table: readers, `docs/routing-elements.md` and the XSD go by it.
use Class::{Ignored, Read, Refused};
use Context as C;

mod routes;
mod services;
pub mod written;

/// Where an element may stand: within an element of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Context {
    /// `dds`.
    Dds,
    /// `configuration_variables`.
    Variables,
    /// One variable.
    Variable,
    /// `plugin_library`.
    PluginLibrary,
    /// One plug-in.
    Plugin,
    /// `routing_service`.
    Service,
    /// `annotation`.
    Annotation,
    /// `administration`.
    Administration,
    /// `monitoring`.
    Monitoring,
    /// `domain_route`.
    DomainRoute,
    /// `participant`.
    Participant,
    /// `register_type`.
    RegisterType,
    /// `connection`.
    Connection,
    /// `session`.
    Session,
    /// `thread_pool`.
    ThreadPool,
    /// `periodic_action`.
    PeriodicAction,
    /// `topic_route` and `route`.
    Route,
    /// `auto_topic_route` and `auto_route`.
    AutoRoute,
    /// `filter_propagation`.
    FilterPropagation,
    /// `processor`.
    Processor,
    /// `input` of a route.
    Input,
    /// `output` of a route.
    Output,
    /// `input` of an auto route.
    AutoInput,
    /// `output` of an auto route.
    AutoOutput,
    /// `content_filter`.
    ContentFilter,
    /// `expression_parameters`, `mask`, `cpu_list`.
    List,
    /// `transformation`.
    Transformation,
    /// `property`.
    Property,
    /// `value` of a property.
    PropertyValue,
    /// `element` of a property.
    PropertyElement,
}

/// What is done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It is read.
    Read,
    /// It is accepted, with a warning that says what is ignored.
    Ignored,
    /// It is refused.
    Refused,
}

/// What stands within an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Text.
    Text,
    /// Elements by this table.
    Elements(Context),
    /// Elements that another part of the program reads, or nobody.
    Other,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Where it may stand.
    pub within: Context,
    /// Its name.
    pub name: &'static str,
    /// What is done with it.
    pub class: Class,
    /// What stands within it.
    pub inside: Inside,
    /// What it is for; of what is ignored or refused, why.
    pub says: &'static str,
}

const fn row(
    within: C,
    name: &'static str,
    class: Class,
    inside: Inside,
    says: &'static str,
) -> Element {
    Element {
        within,
        name,
        class,
        inside,
        says,
    }
}

const fn text(within: C, name: &'static str, says: &'static str) -> Element {
    row(within, name, Read, Inside::Text, says)
}

const fn tree(within: C, name: &'static str, inside: C, says: &'static str) -> Element {
    row(within, name, Read, Inside::Elements(inside), says)
}

const fn other(within: C, name: &'static str, says: &'static str) -> Element {
    row(within, name, Read, Inside::Other, says)
}

const fn ignored(within: C, name: &'static str, says: &'static str) -> Element {
    row(within, name, Ignored, Inside::Other, says)
}

const fn refused(within: C, name: &'static str, says: &'static str) -> Element {
    row(within, name, Refused, Inside::Other, says)
}

/// All elements, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Element> {
    services::ROWS.iter().chain(routes::ROWS)
}

/// Attributes of the element that a context stands for.
pub const fn attributes(context: Context) -> &'static [&'static str] {
    match context {
        C::Dds => &["version"],
        C::Service => &["name", "group_name", "enabled"],
        C::Administration | C::Monitoring => &["enabled"],
        C::DomainRoute | C::Session | C::Route | C::AutoRoute => &["name", "enabled"],
        C::Participant => &["name"],
        C::RegisterType => &["name", "type_ref", "type_name", "kind"],
        C::Connection => &["name", "plugin_name"],
        C::Input | C::Output | C::AutoInput | C::AutoOutput => {
            &["name", "participant", "connection"]
        }
        C::Processor | C::Transformation => &["plugin_name", "class_name"],
        C::PluginLibrary | C::Plugin => &["name"],
        C::ContentFilter => &["kind"],
        C::FilterPropagation => &["enabled"],
        _ => &[],
    }
}

/// The row of an element.
pub fn find(within: Context, name: &str) -> Option<&'static Element> {
    names(within).find(|element| element.name == name)
}

/// The rows of what may stand within an element.
pub fn names(within: Context) -> impl Iterator<Item = &'static Element> {
    all().filter(move |element| element.within == within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_there_twice() {
        for (index, element) in all().enumerate() {
            let before = all().take(index);
            let mut before = before.filter(|other| other.within == element.within);
            assert!(
                before.all(|other| other.name != element.name),
                "{element:?}"
            );
            assert!(!element.says.is_empty() && !element.says.ends_with('.'));
        }
    }
}
