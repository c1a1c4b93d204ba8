//! The QoS of an endpoint of a route, and of its publisher or subscriber.
use crate::engine::Admission;
use crate::plan::{
    ContentFilter, EndpointQos, Input, Output, Route, RouteSettings, Session, why_whole,
};
use crate::table::{Basis, Design, SOURCE, Via, rename, source_of, writer_qos};
use dunlin::observe::WriterData;
use dunlin::untyped::{UntypedReaderOptions, WriterPredicate};
use dunlin::{
    DataReaderQos, DataWriterQos, DestinationOrder, Durability, History, PublisherQos,
    ReliabilityKind, SubscriberQos,
};
use std::sync::Arc;

/// An input keeps so many samples that its outputs take no more of, unless its QoS says otherwise:
/// more than come in at once.
const INPUT_SAMPLES: u32 = 4096;

/// An output that loses nothing keeps so many samples for readers that have not acknowledged them,
/// unless its QoS says otherwise. What comes then waits, and in the end the source does.
const OUTPUT_SAMPLES: u32 = 4096;

/// The same of an input of coherent sets, each of which has to find room as a whole.
const SAMPLES_OF_A_SET: u32 = 65_536;

/// Samples of more fragments than this may pass before they are whole.
const CUT_THROUGH: u32 = 1;

/// May large samples of the input pass as they come?
pub(super) fn cuts_through(route: &Route, input: &Input) -> bool {
    let mut reasons = why_whole(&route.settings, &route.inputs, &route.outputs, input);
    reasons.next().is_none()
}

/// Which samples writers are asked for: those that an input's own filter and the readers beyond
/// want.
pub(super) fn asked_of_sources(input: &Input, design: &Design) -> Option<ContentFilter> {
    let far = design.asked.as_ref().and_then(ContentFilter::any_of);
    match (&input.filter, far) {
        (Some(own), Some(far)) => Some(own.and(&far).unwrap_or_else(|| own.clone())),
        (own, far) => far.or_else(|| own.clone()),
    }
}

/// Of an input.
pub(super) fn of_reader(
    session: &Session,
    input: &Input,
    design: &Design,
) -> (DataReaderQos, SubscriberQos) {
    let (mut reader, mut subscriber) = match (&input.qos, &design.basis) {
        (EndpointQos::Explicit(qos), _) => ((**qos).clone(), session.subscriber.clone()),
        (EndpointQos::AsSource, Basis::Group(_, members, _)) => members.key.reader_qos(),
        (EndpointQos::AsSource, _) => (DataReaderQos::default(), session.subscriber.clone()),
    };
    if let Some(partitions) = &input.partitions {
        subscriber.partition.0.clone_from(partitions);
    }
    let most = match subscriber.presentation.coherent_access {
        true => SAMPLES_OF_A_SET,
        false => INPUT_SAMPLES,
    };
    // Not fewer than it may keep of one instance: that would be refused (DDS 1.4 2.2.3.19).
    let of_one = reader.resource_limits.max_samples_per_instance;
    let most = most.max(of_one.unwrap_or_default());
    reader.resource_limits.max_samples.get_or_insert(most);
    reader.property = reader.property.with(Via::PROPERTY, design.via.text());
    (reader, subscriber)
}

/// Whose changes an input takes.
pub(super) fn accepts(design: &Design, router: u32) -> impl Fn(&WriterData) -> bool + use<> {
    let members = match &design.basis {
        Basis::Group(_, members, _) => Some(members.clone()),
        Basis::Plan | Basis::Writer(..) | Basis::Asks => None,
    };
    move |writer| {
        // What comes from here comes back.
        let is_own = Via::of(&writer.qos.property).contains(router);
        let is_member = members
            .as_ref()
            .is_none_or(|members| members.contain(writer));
        is_member && !is_own
    }
}

/// How an input differs from other readers. Whose changes it takes is said to `admission`.
pub(super) fn options(
    cuts_through: bool,
    design: &Design,
    router: u32,
    admission: &Arc<Admission>,
) -> UntypedReaderOptions {
    let accepts = accepts(design, router);
    let admission = Arc::clone(admission);
    let notes = WriterPredicate::new(move |writer| {
        admission.note(writer.guid, accepts(writer));
        let counts = Via::of(&writer.qos.property).counts(router);
        admission.note_support(writer.guid, counts);
        true
    });
    UntypedReaderOptions {
        stream: true,
        // What has come already depends on the output.
        duplicates: None,
        accepts: Some(notes),
        arriving: cuts_through.then_some(CUT_THROUGH),
    }
}

/// Of an output.
pub(super) fn of_writer(
    session: &Session,
    settings: &RouteSettings,
    output: &Output,
    design: &Design,
) -> (DataWriterQos, PublisherQos) {
    let source = match &design.basis {
        Basis::Plan | Basis::Asks => None,
        Basis::Group(_, _, writer) => Some((writer, false)),
        Basis::Writer(_, writer) => Some((writer, true)),
    };
    let (mut writer, mut publisher) = match (&output.qos, source) {
        (EndpointQos::Explicit(qos), _) => ((**qos).clone(), session.publisher.clone()),
        (EndpointQos::AsSource, Some((source, mirrors))) => writer_qos(source, mirrors),
        (EndpointQos::AsSource, None) => (DataWriterQos::default(), session.publisher.clone()),
    };
    if matches!(output.qos, EndpointQos::AsSource) {
        // Timestamps of the router's say nothing of the order in which sources wrote.
        if !settings.original_timestamp {
            writer.destination_order = DestinationOrder::ByReceptionTimestamp;
        }
        for name in &mut publisher.partition.0 {
            *name = rename(name, &output.partitions);
        }
    }
    if keeps_what_is_not_acknowledged(&writer) {
        let of_one = writer.resource_limits.max_samples_per_instance;
        let most = OUTPUT_SAMPLES.max(of_one.unwrap_or_default());
        writer.resource_limits.max_samples.get_or_insert(most);
    }
    if let Some(representation) = output.representation {
        writer.representation = representation;
    }
    writer.property = writer.property.with(Via::PROPERTY, design.via.text());
    if let Some((source, true)) = source
        && passes_as_it_is(settings, output)
        && let Some(source) = source_of(source)
    {
        writer.property = writer.property.with(SOURCE, source);
    }
    (writer, publisher)
}

/// Does nothing but acknowledgements make room in a writer's history?
fn keeps_what_is_not_acknowledged(qos: &DataWriterQos) -> bool {
    qos.reliability.kind == ReliabilityKind::Reliable
        && qos.durability == Durability::Volatile
        && qos.history == History::KeepAll
}

/// Is what an output writes, and what it offers, no different from what its source does? Nobody
/// needs it then who has the source.
fn passes_as_it_is(settings: &RouteSettings, output: &Output) -> bool {
    matches!(output.qos, EndpointQos::AsSource)
        && output.partitions.is_empty()
        && output.representation.is_none()
        && output.transformation.is_none()
        && settings.processor.is_none()
}
