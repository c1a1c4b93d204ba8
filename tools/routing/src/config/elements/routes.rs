//! The rows of routes, inputs and outputs.
use super::{Context as C, Element, ignored, other, text, tree};

const READER_QOS: &str = "QoS of the reader, in place or by base_name";
const WRITER_QOS: &str = "QoS of the writer, in place or by base_name";
const NO_PROPERTIES: &str = "no adapter here has properties of its streams";
const TRANSFORMS: &str = "what happens to a sample before it is written";

/// The rows, in the order of the documentation.
pub(super) const ROWS: &[Element] = &[
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
        "how often the processor last writes, unless it has seconds",
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
        "how often the processor last writes, unless it has seconds",
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
    ignored(C::Input, "property", NO_PROPERTIES),
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
    ignored(C::Output, "property", NO_PROPERTIES),
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
    ignored(C::AutoInput, "property", NO_PROPERTIES),
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
    ignored(C::AutoOutput, "property", NO_PROPERTIES),
    text(C::ContentFilter, "expression", "SQL of DDS annex B"),
    tree(
        C::ContentFilter,
        "expression_parameters",
        C::List,
        "values of %0, %1 and so on",
    ),
    other(
        C::ContentFilter,
        "parameter",
        "older: the value of %0, then that of %1 and so on, or a list of them",
    ),
    text(C::List, "element", "one of the list"),
    text(
        C::Transformation,
        "input_type_name",
        "the type of what comes in, which an input has to have",
    ),
    text(
        C::Transformation,
        "output_type_name",
        "the type of what goes out [registered_type_name of the output]",
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
