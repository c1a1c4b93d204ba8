//! The floor of TCP: one connection to each partner, used both ways.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::calls::Calls;
use super::floor::Floor;
use super::gathering::{Gathering, Ways};
use super::line::{Inlet, Line, Outlet};
use super::lock;
use crate::messaging::{Sample, Topic, WriteError};
use crate::options::Options;

/// Sleep of a thread that cannot sleep for several connections.
const NAP: Duration = Duration::from_micros(50);

/// A participant.
pub(crate) struct Tcp {
    /// Sleep in the kernel for data.
    blocking: bool,
    gathering: Gathering<Calls>,
    sending: Mutex<Ways<Line, Outlet>>,
    /// Something is kept that did not go out.
    kept: AtomicBool,
}

impl Tcp {
    /// Sends what was kept, unless somebody is sending.
    #[cold]
    fn flush(&self) {
        if let Ok(mut sending) = self.sending.try_lock() {
            self.flush_all(&mut sending);
        }
    }

    /// Sends what was kept; false: there is no room for all of it.
    fn flush_all(&self, sending: &mut Ways<Line, Outlet>) -> bool {
        let mut lines = sending.list.iter_mut();
        let done = lines.all(|(line, outlet)| line.flush(outlet));
        self.kept.store(!done, Ordering::Relaxed);
        done
    }
}

impl Floor for Tcp {
    type ReceiveState = Ways<Line, Inlet>;

    const POLLS: u32 = 16;

    fn open(options: &Options, blocking: bool) -> Result<Self, String> {
        Ok(Self {
            blocking,
            gathering: Gathering::new(Calls::open(options)?, options.partners()),
            sending: Mutex::new(Ways::none()),
            kept: AtomicBool::new(false),
        })
    }

    fn receive_state(&self) -> Ways<Line, Inlet> {
        Ways::none()
    }

    fn receive(
        &self,
        state: &mut Ways<Line, Inlet>,
        mut sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        if self.kept.load(Ordering::Relaxed) {
            self.flush();
        }
        self.gathering.refresh(state, Line::inlet);
        let sleep = self.blocking && state.list.len() == 1;
        let mut any = false;
        for (line, inlet) in &mut state.list {
            any |= line.receive(inlet, sleep, &mut sink)?;
        }
        if self.blocking && !sleep && !any {
            thread::sleep(NAP);
        }
        Ok(any)
    }

    fn send(&self, topic: Topic, sample: &Sample<'_>) -> Result<(), WriteError> {
        let mut sending = lock(&self.sending);
        self.gathering.refresh(&mut sending, Line::outlet);
        if self.kept.load(Ordering::Relaxed) && !self.flush_all(&mut sending) {
            return Err(WriteError::Timeout);
        }
        for (index, (line, outlet)) in sending.list.iter_mut().enumerate() {
            // What one has, all get.
            if line.send(outlet, topic, sample, index > 0)? {
                self.kept.store(true, Ordering::Relaxed);
            }
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
