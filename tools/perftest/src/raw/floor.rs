//! What carries the samples of a raw participant.

use super::relay::{Tally, forward};
use crate::messaging::{Sample, Topic, WriteError};
use crate::options::Options;

/// A way for samples to travel without DDS.
pub(crate) trait Floor: Send + Sync + Sized + 'static {
    /// What the receiving thread has for itself.
    type ReceiveState: Send + 'static;

    /// Empty polls between two looks at the clock: a few hundred nanoseconds.
    const POLLS: u32;

    /// Ready to find the other side. `blocking`: whoever receives sleeps in the kernel. The error
    /// is text for the user.
    fn open(options: &Options, blocking: bool) -> Result<Self, String>;

    /// For the one thread that receives.
    fn receive_state(&self) -> Self::ReceiveState;

    /// Takes one message, if there is one; sleeps a little for it if blocking. False: nothing was
    /// there.
    fn receive(
        &self,
        state: &mut Self::ReceiveState,
        sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String>;

    /// Sends a sample to all partners; `Timeout` if there is no room now.
    fn send(&self, topic: Topic, sample: &Sample<'_>) -> Result<(), WriteError>;

    /// Finds partners, and notices those that are gone; called some times a second by whoever
    /// receives.
    fn tend(&self) {}

    /// Passes one message on to the other side of a relay, if there is one; sleeps a little for it
    /// if blocking. False: nothing was there.
    fn pass(
        &self,
        state: &mut Self::ReceiveState,
        to: &Self,
        tally: &Tally,
    ) -> Result<bool, String> {
        let mut outcome = Ok(());
        let any = self.receive(state, |topic, sample| {
            if outcome.is_ok() {
                outcome = forward(to, topic, sample, tally);
            }
        })?;
        outcome.map(|()| any)
    }

    /// Asks the partners of a relay whether they are still there, where nothing else tells.
    fn probe(&self) {}

    /// How many remote processes may be there.
    fn partners(&self) -> usize;

    /// One line for a user who waits in vain.
    fn describe(&self) -> String;
}
