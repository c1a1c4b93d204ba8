//! The elements of the XML, in one table: readers, `docs/routing-elements.md` and the XSD go by it.
use Class::{Ignored, Read, Refused};
use Context as C;

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

const READER_QOS: &str = "QoS of the reader, in place or by base_name";
const WRITER_QOS: &str = "QoS of the writer, in place or by base_name";
const TRANSFORMS: &str = "what happens to a sample before it is written";
const OLD: &str = "replaced in version 6.0";
const NO_LOG: &str = "events go to the log of this program, not over DDS";
const NO_MEMORY: &str = "memory of samples is bounded by limits, not by pools";
const OTHER_SERVICE: &str = "it configures another service";

/// All elements, in the order of the documentation.
pub const ELEMENTS: &[Element] = &[
    other(C::Dds, "qos_library", "QoS profiles"),
    other(
        C::Dds,
        "types",
        "types; what is read is whether a struct has a key",
    ),
    tree(
        C::Dds,
        "configuration_variables",
        C::Variables,
        "values of $(NAME) for when nobody gives one",
    ),
    ignored(
        C::Dds,
        "user_environment",
        "the name of an environment is for RTI's tools",
    ),
    tree(
        C::Dds,
        "plugin_library",
        C::PluginLibrary,
        "processors and transformations by names of one's own",
    ),
    tree(C::Dds, "routing_service", C::Service, "a service"),
    refused(
        C::Dds,
        "adapter_library",
        "adapters are compiled in; since version 6.0 they are named in <plugin_library>",
    ),
    ignored(C::Dds, "recording_service", OTHER_SERVICE),
    ignored(C::Dds, "replay_service", OTHER_SERVICE),
    ignored(C::Dds, "persistence_service", OTHER_SERVICE),
    ignored(C::Dds, "queuing_service", OTHER_SERVICE),
    ignored(C::Dds, "cloud_discovery_service", OTHER_SERVICE),
    ignored(C::Dds, "web_integration_service", OTHER_SERVICE),
    ignored(C::Dds, "database_integration_service", OTHER_SERVICE),
    ignored(
        C::Dds,
        "domain_library",
        "a service has participants of its own",
    ),
    ignored(
        C::Dds,
        "domain_participant_library",
        "a service has participants of its own",
    ),
    tree(C::Variables, "value", C::Variable, "variables"),
    tree(C::Variable, "element", C::PropertyElement, "a variable"),
    tree(
        C::PluginLibrary,
        "processor_plugin",
        C::Plugin,
        "a processor",
    ),
    tree(
        C::PluginLibrary,
        "transformation_plugin",
        C::Plugin,
        "a transformation",
    ),
    tree(C::PluginLibrary, "adapter_plugin", C::Plugin, "an adapter"),
    refused(
        C::PluginLibrary,
        "java_adapter_plugin",
        "there is no Java in this program",
    ),
    text(C::Plugin, "class", "the name of what is compiled in"),
    text(
        C::Plugin,
        "dll",
        "dynamic plug-ins are not loaded; taken if create_function names what is compiled in",
    ),
    text(
        C::Plugin,
        "create_function",
        "counts as class, if it is the name of what is compiled in",
    ),
    tree(C::Plugin, "property", C::Property, "properties"),
    tree(
        C::Service,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    tree(
        C::Service,
        "administration",
        C::Administration,
        "requests over DDS",
    ),
    tree(
        C::Service,
        "monitoring",
        C::Monitoring,
        "what is published of the service's state",
    ),
    tree(
        C::Service,
        "domain_route",
        C::DomainRoute,
        "participants and connections, and what passes between them",
    ),
    ignored(C::Service, "jvm", "there is no Java in this program"),
    text(C::Annotation, "documentation", "text"),
    text(C::Administration, "enabled", "true or false [true]"),
    text(C::Administration, "domain_id", "the domain"),
    other(
        C::Administration,
        "domain_participant_qos",
        "QoS of its participant",
    ),
    other(
        C::Administration,
        "participant_qos",
        "the older name of domain_participant_qos",
    ),
    ignored(
        C::Administration,
        "publisher_qos",
        "requests have the QoS that they need",
    ),
    ignored(
        C::Administration,
        "subscriber_qos",
        "requests have the QoS that they need",
    ),
    ignored(
        C::Administration,
        "datareader_qos",
        "requests have the QoS that they need",
    ),
    ignored(
        C::Administration,
        "datawriter_qos",
        "requests have the QoS that they need",
    ),
    ignored(C::Administration, "distributed_logger", NO_LOG),
    ignored(C::Administration, "memory_management", NO_MEMORY),
    ignored(
        C::Administration,
        "save_path",
        "the running service is not written to a file",
    ),
    ignored(
        C::Administration,
        "autosave_on_update",
        "the running service is not written to a file",
    ),
    text(C::Monitoring, "enabled", "true or false [true]"),
    text(C::Monitoring, "domain_id", "the domain"),
    other(
        C::Monitoring,
        "domain_participant_qos",
        "QoS of its participant",
    ),
    other(
        C::Monitoring,
        "participant_qos",
        "the older name of domain_participant_qos",
    ),
    other(
        C::Monitoring,
        "status_publication_period",
        "how often statistics are published [5 s]",
    ),
    other(
        C::Monitoring,
        "statistics_sampling_period",
        "how often statistics are sampled [1 s]",
    ),
    ignored(
        C::Monitoring,
        "publisher_qos",
        "what is published has the QoS that it needs",
    ),
    ignored(
        C::Monitoring,
        "subscriber_qos",
        "what is published has the QoS that it needs",
    ),
    ignored(
        C::Monitoring,
        "datareader_qos",
        "what is published has the QoS that it needs",
    ),
    ignored(
        C::Monitoring,
        "datawriter_qos",
        "what is published has the QoS that it needs",
    ),
    ignored(
        C::Monitoring,
        "historical_statistics",
        "only the latest statistics are published",
    ),
    tree(
        C::DomainRoute,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    tree(
        C::DomainRoute,
        "participant",
        C::Participant,
        "a participant",
    ),
    tree(
        C::DomainRoute,
        "connection",
        C::Connection,
        "what an adapter reaches",
    ),
    tree(
        C::DomainRoute,
        "session",
        C::Session,
        "routes that share threads and QoS of publishers and subscribers",
    ),
    refused(C::DomainRoute, "participant_1", OLD),
    refused(C::DomainRoute, "participant_2", OLD),
    refused(C::DomainRoute, "connection_1", OLD),
    refused(C::DomainRoute, "connection_2", OLD),
    tree(
        C::Participant,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    text(C::Participant, "domain_id", "the domain"),
    other(
        C::Participant,
        "domain_participant_qos",
        "QoS, in place or by base_name",
    ),
    other(
        C::Participant,
        "participant_qos",
        "the older name of domain_participant_qos",
    ),
    tree(
        C::Participant,
        "register_type",
        C::RegisterType,
        "a type of <types> and its registered name",
    ),
    tree(
        C::Participant,
        "registered_type",
        C::RegisterType,
        "the older name of register_type",
    ),
    ignored(C::Participant, "memory_management", NO_MEMORY),
    text(C::RegisterType, "type_ref", "the name in <types>"),
    tree(C::Connection, "property", C::Property, "properties"),
    tree(
        C::Connection,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    ignored(
        C::Connection,
        "register_type",
        "samples pass without their types",
    ),
    tree(
        C::Session,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    tree(
        C::Session,
        "thread_pool",
        C::ThreadPool,
        "threads that forward",
    ),
    other(
        C::Session,
        "publisher_qos",
        "QoS of the publishers of outputs",
    ),
    other(
        C::Session,
        "subscriber_qos",
        "QoS of the subscribers of inputs",
    ),
    tree(
        C::Session,
        "periodic_action",
        C::PeriodicAction,
        "how often processors are called without data",
    ),
    tree(C::Session, "topic_route", C::Route, "a route of one topic"),
    tree(
        C::Session,
        "auto_topic_route",
        C::AutoRoute,
        "makes a route for each topic and type",
    ),
    tree(
        C::Session,
        "route",
        C::Route,
        "a route, with adapters or without",
    ),
    tree(
        C::Session,
        "auto_route",
        C::AutoRoute,
        "makes a route for each stream and type",
    ),
    ignored(C::Session, "property", "sessions have no properties here"),
    text(
        C::ThreadPool,
        "size",
        "how many threads, 64 at most [1: whoever receives forwards]",
    ),
    ignored(
        C::ThreadPool,
        "priority",
        "threads have the priority of the program",
    ),
    ignored(
        C::ThreadPool,
        "stack_size",
        "threads have the stacks that they need",
    ),
    ignored(C::ThreadPool, "mask", "threads have no kinds here"),
    tree(
        C::ThreadPool,
        "cpu_list",
        C::List,
        "processors that threads may run on",
    ),
    text(C::PeriodicAction, "sec", "seconds"),
    text(C::PeriodicAction, "nanosec", "nanoseconds"),
    tree(
        C::Route,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    text(
        C::Route,
        "route_types",
        "outputs announce the type of the source [true]",
    ),
    text(
        C::Route,
        "publish_with_original_info",
        "samples say which sample they repeat [false]",
    ),
    text(
        C::Route,
        "publish_with_original_timestamp",
        "samples keep the source timestamp [false]",
    ),
    text(C::Route, "propagate_dispose", "disposes pass [true]"),
    text(C::Route, "propagate_unregister", "unregisters pass [true]"),
    tree(
        C::Route,
        "filter_propagation",
        C::FilterPropagation,
        "content filters of far readers are asked of the sources",
    ),
    ignored(C::Route, "topic_query_proxy", "topic queries do not pass"),
    tree(
        C::Route,
        "processor",
        C::Processor,
        "what happens between inputs and outputs",
    ),
    tree(
        C::Route,
        "periodic_action",
        C::PeriodicAction,
        "how often the processor is called without data",
    ),
    tree(C::Route, "input", C::Input, "where the route reads"),
    tree(C::Route, "dds_input", C::Input, "where the route reads"),
    tree(C::Route, "output", C::Output, "where the route writes"),
    tree(C::Route, "dds_output", C::Output, "where the route writes"),
    tree(
        C::AutoRoute,
        "annotation",
        C::Annotation,
        "what a person should know of it",
    ),
    text(
        C::AutoRoute,
        "route_types",
        "outputs announce the type of the source [true]",
    ),
    text(
        C::AutoRoute,
        "publish_with_original_info",
        "samples say which sample they repeat [false]",
    ),
    text(
        C::AutoRoute,
        "publish_with_original_timestamp",
        "samples keep the source timestamp [false]",
    ),
    text(C::AutoRoute, "propagate_dispose", "disposes pass [true]"),
    text(
        C::AutoRoute,
        "propagate_unregister",
        "unregisters pass [true]",
    ),
    tree(
        C::AutoRoute,
        "filter_propagation",
        C::FilterPropagation,
        "content filters of far readers are asked of the sources",
    ),
    ignored(
        C::AutoRoute,
        "topic_query_proxy",
        "topic queries do not pass",
    ),
    tree(
        C::AutoRoute,
        "processor",
        C::Processor,
        "what happens between inputs and outputs",
    ),
    tree(
        C::AutoRoute,
        "periodic_action",
        C::PeriodicAction,
        "how often the processor is called without data",
    ),
    tree(C::AutoRoute, "input", C::AutoInput, "where the routes read"),
    tree(
        C::AutoRoute,
        "dds_input",
        C::AutoInput,
        "where the routes read",
    ),
    tree(
        C::AutoRoute,
        "output",
        C::AutoOutput,
        "where the routes write",
    ),
    tree(
        C::AutoRoute,
        "dds_output",
        C::AutoOutput,
        "where the routes write",
    ),
    text(C::FilterPropagation, "enabled", "true or false [false]"),
    text(
        C::FilterPropagation,
        "max_event_count",
        "changes that are put together at most [16]",
    ),
    other(
        C::FilterPropagation,
        "max_event_delay",
        "a change waits at most so long [100 ms]",
    ),
    tree(C::Processor, "property", C::Property, "properties"),
    text(C::Input, "topic_name", "the topic [the name of the input]"),
    text(C::Input, "stream_name", "the name that an adapter gives it"),
    text(
        C::Input,
        "registered_type_name",
        "the registered name of the type",
    ),
    text(
        C::Input,
        "creation_mode",
        "when the reader exists [IMMEDIATE]",
    ),
    other(C::Input, "datareader_qos", READER_QOS),
    tree(
        C::Input,
        "content_filter",
        C::ContentFilter,
        "samples that are wanted",
    ),
    ignored(
        C::Input,
        "transformation",
        "samples are transformed where they are written",
    ),
    tree(
        C::Input,
        "property",
        C::Property,
        "properties, for an adapter",
    ),
    text(
        C::Output,
        "topic_name",
        "the topic [the name of the output]",
    ),
    text(
        C::Output,
        "stream_name",
        "the name that an adapter gives it",
    ),
    text(
        C::Output,
        "registered_type_name",
        "the registered name of the type",
    ),
    text(
        C::Output,
        "creation_mode",
        "when the writer exists [IMMEDIATE]",
    ),
    other(C::Output, "datawriter_qos", WRITER_QOS),
    tree(C::Output, "transformation", C::Transformation, TRANSFORMS),
    tree(
        C::Output,
        "property",
        C::Property,
        "properties, for an adapter",
    ),
    text(
        C::AutoInput,
        "allow_topic_name_filter",
        "patterns of topics that pass [*]",
    ),
    text(
        C::AutoInput,
        "allow_registered_type_name_filter",
        "patterns of types that pass [*]",
    ),
    text(
        C::AutoInput,
        "allow_stream_name_filter",
        "patterns of streams that pass [*]",
    ),
    text(
        C::AutoInput,
        "deny_topic_name_filter",
        "patterns of topics that do not pass",
    ),
    text(
        C::AutoInput,
        "deny_registered_type_name_filter",
        "patterns of types that do not pass",
    ),
    text(
        C::AutoInput,
        "deny_stream_name_filter",
        "patterns of streams that do not pass",
    ),
    text(
        C::AutoInput,
        "creation_mode",
        "when readers exist [IMMEDIATE]",
    ),
    other(C::AutoInput, "datareader_qos", READER_QOS),
    tree(
        C::AutoInput,
        "content_filter",
        C::ContentFilter,
        "samples that are wanted",
    ),
    tree(
        C::AutoInput,
        "property",
        C::Property,
        "properties, for an adapter",
    ),
    text(
        C::AutoOutput,
        "allow_topic_name_filter",
        "patterns of topics that pass [*]",
    ),
    text(
        C::AutoOutput,
        "allow_registered_type_name_filter",
        "patterns of types that pass [*]",
    ),
    text(
        C::AutoOutput,
        "allow_stream_name_filter",
        "patterns of streams that pass [*]",
    ),
    text(
        C::AutoOutput,
        "deny_topic_name_filter",
        "patterns of topics that do not pass",
    ),
    text(
        C::AutoOutput,
        "deny_registered_type_name_filter",
        "patterns of types that do not pass",
    ),
    text(
        C::AutoOutput,
        "deny_stream_name_filter",
        "patterns of streams that do not pass",
    ),
    text(
        C::AutoOutput,
        "creation_mode",
        "when writers exist [IMMEDIATE]",
    ),
    other(C::AutoOutput, "datawriter_qos", WRITER_QOS),
    tree(
        C::AutoOutput,
        "transformation",
        C::Transformation,
        TRANSFORMS,
    ),
    tree(
        C::AutoOutput,
        "property",
        C::Property,
        "properties, for an adapter",
    ),
    text(C::ContentFilter, "expression", "SQL of DDS annex B"),
    tree(
        C::ContentFilter,
        "expression_parameters",
        C::List,
        "values of %0, %1 and so on",
    ),
    tree(
        C::ContentFilter,
        "parameter",
        C::List,
        "the older name of expression_parameters",
    ),
    text(C::List, "element", "one of the list"),
    text(
        C::Transformation,
        "input_type_name",
        "the type of what comes in",
    ),
    text(
        C::Transformation,
        "output_type_name",
        "the type of what goes out",
    ),
    tree(C::Transformation, "property", C::Property, "properties"),
    tree(
        C::Transformation,
        "parameter",
        C::Property,
        "the older name of property",
    ),
    tree(C::Property, "value", C::PropertyValue, "names and values"),
    tree(
        C::PropertyValue,
        "element",
        C::PropertyElement,
        "a name and a value",
    ),
    text(C::PropertyElement, "name", "the name"),
    text(C::PropertyElement, "value", "the value"),
];

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
    ELEMENTS
        .iter()
        .filter(move |element| element.within == within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_there_twice() {
        for (index, element) in ELEMENTS.iter().enumerate() {
            let before = ELEMENTS.iter().take(index);
            let mut before = before.filter(|other| other.within == element.within);
            assert!(
                before.all(|other| other.name != element.name),
                "{element:?}"
            );
            assert!(!element.says.is_empty() && !element.says.ends_with('.'));
        }
    }
}
