//! The participant that is received for, and its endpoints, as the receive work sees them.
//!
//! The layers above implement these traits. The types are parameters, so calls are direct.
use crate::receive::counters::Counters;
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::loan_table::LoanTable;
use crate::receive::routes::Routes;
use crate::receive::worker::Run;
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::{LocalReaderEndpoint, LocalWriterEndpoint};
use dunlin_qos::Duration;
use dunlin_rtps::discovery::Source;
use dunlin_rtps::{InstanceHandle, PayloadAllocator, Time};
use dunlin_transport::Transport;
use dunlin_wire::{Data, Guid, GuidPrefix, Payload, Submessage, Timestamp};
use std::sync::Arc;

/// Of which types the endpoints of a participant are.
pub(crate) trait Endpoints: Sized {
    type Reader: ReceivingReader;
    type Writer: AnsweredWriter;
}

/// A participant, as its receivers see it.
pub(crate) trait ReceivingParticipant: Endpoints {
    fn prefix(&self) -> GuidPrefix;
    fn transport(&self) -> &dyn Transport;
    fn counters(&self) -> &Counters;
    /// Empty datagrams for answers.
    fn datagrams(&self) -> Datagrams;
    /// Brings a thread's own copy of the routes up to date.
    fn refresh(&self, routes: &mut Arc<Routes<Self>>, generation: &mut u64);
    /// Hands a submessage of a built-in endpoint to discovery. What that decides is carried out,
    /// and what it answers is sent, by `settle_discovery`.
    fn discover(
        self: &Arc<Self>,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
    );
    /// Comes when all of a datagram was handed over, so that its answers leave together.
    /// Says for how long what comes by groups had better wait for more.
    fn settle_discovery(self: &Arc<Self>) -> std::time::Duration;
    /// Its own announcement has come back by multicast.
    fn note_own_multicast(&self);
    /// Tells discovery that a writer lives.
    fn tell_alive(self: &Arc<Self>, sign: &LivelinessAssertion);
    /// A datagram has brought a reader something.
    fn note_arrival(&self);
    /// Sends what writers hold back for the calling thread.
    fn send_held_back(&self);
    /// There are listeners that were left to the thread that receives.
    fn has_deferred(&self) -> bool;
    /// Calls them, without any lock.
    fn run_deferred(&self);
    fn is_ended(&self) -> bool;
    /// The participant cannot go on.
    fn fail(self: &Arc<Self>, why: &str);
}

/// A reader, as receivers see it.
pub(crate) trait ReceivingReader: LocalReaderEndpoint {
    /// Takes in a sample; true if there is something new to take.
    fn handle_sample(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        timestamp: Option<Timestamp>,
        data: &Data<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> bool;

    /// As `handle_sample` for several samples of one writer that follow each other.
    fn handle_run(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        run: &mut Run<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> bool;

    /// Takes in a submessage of a writer; true if there is something new to take.
    fn handle(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> bool;

    /// Asks the timer to look at it when it next needs that.
    fn schedule(self: &Arc<Self>);

    /// Says that there is data: the listener first, then whoever waits.
    fn announce_data(self: &Arc<Self>);

    /// It shows parts of samples that are not whole, and there is nothing to take.
    fn has_parts_alone(&self) -> bool;

    /// Keeps at least so many samples that nobody has taken.
    fn keeps(&self, samples: u32) -> bool;

    /// The instance of a payload by its type.
    fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle>;

    /// How long ago a sample was written.
    fn age(&self, written: Timestamp) -> Option<Duration>;

    /// Where payloads are noted that stay in memory of their writer.
    fn loan_table(&self) -> &Arc<LoanTable>;
}

/// A writer, as receivers see it.
pub(crate) trait AnsweredWriter: LocalWriterEndpoint {
    /// Handles ACKNACK and NACK_FRAG; true if there may be room now.
    fn handle_answer(
        &self,
        now: Time,
        from: Guid,
        message: &Submessage<'_>,
        out: &mut Datagrams,
    ) -> bool;

    /// Sends what a reader's answer provoked.
    fn send<'r>(&self, out: &mut Datagrams, destination: impl Fn(&Guid) -> &'r [Destination]);

    /// Says that there may be room or that acknowledgements came.
    fn announce_room(self: &Arc<Self>);
}
