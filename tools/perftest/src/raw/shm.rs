//! The floor of shared memory: bare slots and copies by the C library, between processes of one
//! user that trust each other.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::floor::Floor;
use super::gathering::{Gathering, Ways};
use super::lock;
use super::meeting::Meeting;
use super::pair::{End, Inlet, Outlet, Pair, Shape};
use crate::messaging::{Sample, Topic, WriteError};
use crate::options::Options;

/// Longest sleep for a message, and of those who cannot sleep for it.
const SLEEP: Duration = Duration::from_millis(2);
const NAP: Duration = Duration::from_micros(50);

/// A participant.
pub(crate) struct Shm {
    /// Sleep in the kernel for messages.
    sleeps: bool,
    gathering: Gathering<Meeting>,
    sending: Mutex<Ways<Pair, Outlet>>,
}

impl Floor for Shm {
    type ReceiveState = Ways<Pair, Inlet>;

    const POLLS: u32 = 128;

    fn open(options: &Options, blocking: bool) -> Result<Self, String> {
        let end = End {
            shape: Shape::of(Options::payload(options.data_len)),
            sleeps: blocking,
        };
        let meeting = Meeting::open(options, end)?;
        Ok(Self {
            sleeps: blocking,
            gathering: Gathering::new(meeting, options.partners()),
            sending: Mutex::new(Ways::none()),
        })
    }

    fn receive_state(&self) -> Ways<Pair, Inlet> {
        Ways::none()
    }

    fn receive(
        &self,
        state: &mut Ways<Pair, Inlet>,
        mut sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        self.gathering.refresh(state, Pair::inlet);
        let mut any = false;
        for (pair, inlet) in &mut state.list {
            any |= pair.receive(inlet, &mut sink)?;
        }
        if !any && self.sleeps {
            match state.list.as_slice() {
                [(pair, inlet)] => pair.rest(inlet, SLEEP)?,
                // One thread cannot sleep on the words of several.
                _ => thread::sleep(NAP),
            }
        }
        Ok(any)
    }

    fn send(&self, topic: Topic, sample: &Sample<'_>) -> Result<(), WriteError> {
        let mut sending = lock(&self.sending);
        self.gathering.refresh(&mut sending, Pair::outlet);
        let length = sample.data.len();
        let mut ways = sending.list.iter();
        if !ways.all(|(pair, outlet)| pair.has_room(outlet, length)) {
            return Err(WriteError::Timeout);
        }
        for (pair, outlet) in &mut sending.list {
            pair.send(outlet, topic, sample);
        }
        Ok(())
    }

    fn tend(&self) {
        self.gathering.tend();
    }

    fn partners(&self) -> usize {
        self.gathering.present()
    }

    fn describe(&self) -> String {
        self.gathering.describe()
    }
}
