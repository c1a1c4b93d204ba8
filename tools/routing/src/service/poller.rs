//! One thread that receives for all participants of a service and never sleeps (`waiting =
//! "shared"`).
//!
//! A sample that comes by one participant and leaves by another meets the thread that looks at
//! both, so one processor serves them all at the speed of one each. The participants' own threads
//! take over from it within a millisecond if it ends.
use super::affinity;
use crate::engine::lock;
use dunlin::DomainParticipant;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

/// See the module. The thread ends with it.
pub(super) struct Poller {
    polled: Arc<Polled>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Polled {
    participants: Mutex<Vec<DomainParticipant>>,
    /// How often they changed; `ENDS`: nobody is to be polled any more.
    changes: AtomicU64,
}

const ENDS: u64 = u64::MAX;

impl Poller {
    /// Polls these participants from now on, on these processors.
    pub(super) fn start(
        participants: Vec<DomainParticipant>,
        processors: &[usize],
    ) -> io::Result<Self> {
        let polled = Arc::new(Polled {
            participants: Mutex::new(participants),
            ..Polled::default()
        });
        let own = Arc::clone(&polled);
        let builder = Builder::new().name("dunlin-poll".into());
        let thread = affinity::within(processors, || builder.spawn(move || own.poll()));
        Ok(Self {
            polled,
            thread: Some(thread.map_err(io::Error::other)??),
        })
    }

    /// Polls these instead of those before.
    pub(super) fn set(&self, participants: Vec<DomainParticipant>) {
        *lock(&self.polled.participants) = participants;
        self.polled.changes.fetch_add(1, SeqCst);
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.polled.changes.store(ENDS, SeqCst);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was told when it happened.
            let _ = thread.join();
        }
    }
}

impl Polled {
    fn poll(&self) {
        loop {
            let changes = self.changes.load(SeqCst);
            if changes == ENDS {
                return;
            }
            let participants = lock(&self.participants).clone();
            while self.changes.load(SeqCst) == changes {
                let mut worked = false;
                for participant in &participants {
                    worked |= participant.poll_once();
                }
                if !worked {
                    std::hint::spin_loop();
                }
            }
        }
    }
}
