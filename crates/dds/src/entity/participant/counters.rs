//! What a participant counts, and where it receives.
#[cfg(doc)]
use crate::DomainParticipant;
use dunlin_transport::Reception;
use dunlin_wire::Locator;

/// What a participant has received and dropped, and what it could not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ParticipantCounters {
    /// Datagrams that the system dropped for want of room in a receive buffer
    /// ([`DomainParticipant::receivers`] says in which).
    pub dropped: u64,
    /// Datagrams that were longer than any that RTPS over this transport has.
    pub oversized: u64,
    /// Datagrams that could not be sent; of participants that share a transport, all together.
    pub unsent: u64,
    /// How often memory could not be shared with a peer that offered it, or not any longer: of
    /// another user or network namespace, for want of memory, or since it broke the rules. Another
    /// transport has to do; [`DomainParticipant::describe_discovery`] says why.
    pub memory_refused: u64,
    /// Connections by TCP that were refused, or closed for what came by them;
    /// [`DomainParticipant::describe_discovery`] says why.
    pub connections_refused: u64,
    /// Messages that were not valid RTPS, or whose rest was not.
    pub malformed: u64,
    /// Messages whose checksum was wrong or missing: damaged on the way, or forged.
    pub damaged: u64,
    /// Fragments, and samples that were incomplete or came before their turn, that were dropped
    /// since `ParticipantConfig::max_reassembly_bytes` was used up. What is RELIABLE is asked for
    /// again.
    pub reassembly_dropped: u64,
    /// Panics of listeners of this participant's entities. Each ended one call: later calls are
    /// made as if nothing had been.
    pub listener_panics: u64,
    /// Calls of listeners for data that took longer than 10 ms. One call in sixteen of each reader
    /// or subscriber is timed, the first among them, so there may be sixteen times as many.
    pub slow_listeners: u64,
    /// Panics of other code of the application that Dunlin ran, all participants of the process
    /// together: of log subscribers, wakers of tasks, user-written types, and at the end of
    /// listeners and of bytes that were written.
    pub other_panics: u64,
    /// Messages in the name of a known participant from an address that it does not announce:
    /// forged, or of a host that sends by an interface that it keeps to itself.
    pub misplaced: u64,
    /// GAPs and HEARTBEATs about samples that their writer never announced, and ACKNACKs about
    /// samples that were never written. They were not acted upon, or not before the writer
    /// confirmed them.
    pub implausible: u64,
}

/// One of the places where a participant receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverStatus {
    /// What it is told to peers, or its multicast groups.
    pub locators: Vec<Locator>,
    /// What it was granted and what it lost.
    pub reception: Reception,
}
