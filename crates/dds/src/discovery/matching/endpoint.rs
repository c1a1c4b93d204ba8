//! What is matched, as matching sees it: the participant, its writers, readers and topics.
//!
//! The layers above implement these traits.
use crate::receive::deferred::DeferredReader;
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::participant::{AnsweredWriter, Endpoints, ReceivingReader};
use crate::receive::routes::Routes;
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalReader;
use crate::status::{LivelinessChangedStatus, LivelinessLostStatus, MatchedStatus, WriterChange};
use dunlin_qos::Incompatibility;
use dunlin_rtps::discovery::WriterPredicate;
use dunlin_rtps::{ReaderProxyConfig, Time, WriterProxyConfig};
use dunlin_transport::Transport;
use dunlin_wire::{
    DiagnosticFact, EntityId, Guid, InlineQos, Locator, ParticipantData, ReaderData, Submessage,
    WriterData,
};
use dunlin_xtypes::{DynamicType, LocalType};
use std::sync::Arc;

/// How a matched writer ended.
#[derive(Clone, Copy)]
pub(crate) enum WriterEnd {
    /// It was silent for longer than its lease, and may come back.
    Silent,
    /// It was deleted, which disposes the instances that it leaves.
    Disposes,
    /// Another way.
    Gone,
}

/// What the directory has to know of the participant that it belongs to, and where it puts what it
/// has decided.
pub(crate) trait OwnParticipant: MatchedEntities {
    fn transport(&self) -> &dyn Transport;
    /// Samples for endpoints of this process are handed over directly.
    fn delivers_locally(&self) -> bool;
    /// Others are told how it is with its endpoints.
    fn answers_questions(&self) -> bool;
    /// Its own announcements have come back by multicast.
    fn hears_itself(&self) -> bool;
    /// Datagrams that its receiver has lost.
    fn dropped(&self) -> u64;
    /// From now on these are the routes of its threads.
    fn set_routes(&self, routes: Routes<Self>);
}

/// Of which types the topics and endpoints of a participant are.
pub(crate) trait MatchedEntities:
    Endpoints<Reader: MatchedReader, Writer: MatchedWriter>
{
    type Topic: MatchedTopic;
}

/// A topic, as matching sees it.
pub(crate) trait MatchedTopic {
    fn name(&self) -> &str;
    /// An endpoint of somebody else has the topic's name with another type.
    fn note_inconsistent(self: &Arc<Self>, remote: Guid, difference: &str);
}

/// A writer or a reader, as matching sees it.
pub(crate) trait MatchedEndpoint {
    /// Its type, as far as that is known.
    fn dynamic_type(&self) -> Option<&DynamicType>;
    /// Its type, if others are to know it.
    fn local_type(&self) -> Option<&LocalType>;
    /// Endpoints of this process hand it samples directly.
    fn is_local(&self) -> bool;
    /// What it counts, and how it stands with another endpoint.
    fn facts(&self, other: Guid) -> Vec<(DiagnosticFact, i64)>;
    /// Counts a match or its end; returns what a listener is to be told, if there is one.
    fn count_matched(&self, other: Guid, change: i32) -> Option<MatchedStatus>;
    /// Tells those who wait or listen of a match or its end.
    fn tell_matched(self: &Arc<Self>, status: Option<MatchedStatus>);
    /// An endpoint would match but for these policies.
    fn note_incompatible(self: &Arc<Self>, other: Guid, mismatches: &[Incompatibility]);
}

/// A writer, as matching sees it.
pub(crate) trait MatchedWriter: MatchedEndpoint + AnsweredWriter + 'static {
    /// What others are told of it.
    fn data(&self) -> WriterData;
    /// If the application has to show that the writer lives.
    fn liveliness_assertion(&self) -> Option<&Arc<LivelinessAssertion>>;
    /// Finds out what a matched reader wants, before samples go where it is.
    fn note_filter(&self, reader: &ReaderData);
    /// What was noted of filters holds for all samples to come.
    fn settle_filters(&self);
    /// From now on samples are measured by what a matched reader wants now; until this is said it
    /// gets what others get.
    fn change_filter(&self, reader: Guid);
    /// What a matched reader wants, as `Destination::wanted` has it.
    fn wanted(&self, reader: &Guid) -> u64;
    /// Of which product a matched reader is.
    fn note_product(&self, reader: Guid, participant: &ParticipantData);
    /// A remote reader suits: it becomes a proxy, and its locators a destination.
    fn add_reader(
        self: &Arc<Self>,
        now: Time,
        proxy: ReaderProxyConfig,
        limit: Option<u32>,
        out: &mut Datagrams,
    );
    fn remove_reader(self: &Arc<Self>, reader: Guid);
    /// Its samples are kept until all have them, so a slow reader holds it up in any case.
    fn is_patient(&self) -> bool;
    /// From now on samples go to these places, in datagrams of at most `limit` bytes, and to the
    /// readers in this process. The next one has the ways made that were put off.
    fn set_destinations(
        &self,
        to: Vec<Destination>,
        put_off: Vec<Locator>,
        local_readers: Vec<LocalReader>,
        limit: usize,
    );
    /// Counts a lease that ran out; returns what a listener is to be told, if there is one.
    fn count_liveliness_lost(&self) -> Option<LivelinessLostStatus>;
    /// Tells those who wait or listen of it.
    fn tell_liveliness_lost(self: &Arc<Self>, status: Option<LivelinessLostStatus>);
}

/// A reader, as matching sees it.
pub(crate) trait MatchedReader:
    MatchedEndpoint + ReceivingReader + DeferredReader + 'static
{
    /// What others are told of it.
    fn data(&self) -> ReaderData;
    /// Which writers it is matched with, of those that suit it; `None` for all.
    fn accepted_writers(&self) -> Option<WriterPredicate>;
    /// A writer matches whose type lies in memory like this.
    fn note_layout(&self, writer: Guid, layout: Option<u64>);
    /// A writer of this publisher matches, if it says which.
    fn note_publisher(&self, writer: Guid, publisher: Option<EntityId>);
    fn add_writer(self: &Arc<Self>, now: Time, proxy: WriterProxyConfig, out: &mut Datagrams);
    /// Forgets a writer; true if that leaves something new to take.
    fn remove_writer(self: &Arc<Self>, now: Time, writer: Guid, end: WriterEnd) -> bool;
    /// A writer is silent for longer than its lease; true if that leaves something new to take.
    fn silence_writer(self: &Arc<Self>, now: Time, writer: Guid) -> bool;
    /// Counts a writer that became alive or not alive; false if that is no news.
    fn count_liveliness(&self, writer: Guid, life: WriterChange) -> bool;
    /// What a listener is to be told of it, if there is one.
    fn liveliness_to_tell(&self) -> Option<LivelinessChangedStatus>;
    /// Tells those who wait or listen of it.
    fn tell_liveliness(self: &Arc<Self>, status: Option<LivelinessChangedStatus>);
    /// Takes in a sample of a built-in topic; true if there is something new to take.
    fn show(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        message: &Submessage<'_>,
        inline: &InlineQos,
        out: &mut Datagrams,
    ) -> bool;
}
