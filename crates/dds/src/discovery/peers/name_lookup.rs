//! Looks up the names of peers' hosts, in a thread of its own: a name server may take seconds, and
//! nobody else waits for it.
//!
//! The thread exists once some peer has a name. It looks at once, then every few seconds at the
//! names of hosts where no participant is known, since these may have come later, or moved. It
//! holds the participant only while it has something to tell, and the participant's end does not
//! wait for a name server.
use dunlin_transport::panics::{catch, log};
use dunlin_transport::threads;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::Thread;
use std::time::Duration;

/// Between two looks at names.
const PERIOD: Duration = Duration::from_secs(5);
/// Bytes of the thread's stack: name services are modules of anybody's making.
const STACK: usize = 1 << 20;

/// A participant, as the thread that looks up names sees it.
pub(crate) trait NameLookup: Send + Sync + 'static {
    /// Its thread.
    fn names(&self) -> &Names;
    /// Names of hosts where no participant is known.
    fn doubtful_names(&self) -> Vec<String>;
    /// What a name stands for, or why it is not known.
    fn resolved(self: &Arc<Self>, name: &str, found: &Result<Ipv4Addr, String>);
    /// The thread has panicked.
    fn fail(self: &Arc<Self>, why: &str);
}

/// The thread, as its participant knows it.
#[derive(Default)]
pub(crate) struct Names {
    started: AtomicBool,
    thread: OnceLock<Thread>,
    stopped: AtomicBool,
}

impl Names {
    /// There is a new name.
    pub(crate) fn look(participant: &Arc<impl NameLookup>) {
        let names = participant.names();
        if names.started.swap(true, SeqCst) {
            return names.thread.get().into_iter().for_each(Thread::unpark);
        }
        let weak = Arc::downgrade(participant);
        let thread = threads::spawn("dunlin-names", STACK, move || {
            if let Err(why) = catch(|| run(&weak))
                && let Some(participant) = weak.upgrade()
            {
                participant.fail(&format!("thread dunlin-names has panicked: {why}"));
            }
        });
        match thread {
            Ok(thread) => drop(names.thread.set(thread.thread().clone())),
            Err(error) => {
                log::warn!(%error, "names of peers are not looked up: no thread can be started");
            }
        }
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

fn run(participant: &Weak<impl NameLookup>) {
    while let Some(names) = doubtful(participant) {
        for name in names {
            let found = resolve(&name);
            let Some(participant) = participant.upgrade() else {
                return;
            };
            if let Err(why) = &found {
                log::debug!(name, why, "the name of a peer's host is not known");
            }
            participant.resolved(&name, &found);
        }
        std::thread::park_timeout(PERIOD);
    }
}

/// What to look up; `None` if the participant has ended.
fn doubtful(participant: &Weak<impl NameLookup>) -> Option<Vec<String>> {
    let participant = participant.upgrade()?;
    if participant.names().stopped.load(SeqCst) {
        return None;
    }
    Some(participant.doubtful_names())
}

fn resolve(name: &str) -> Result<Ipv4Addr, String> {
    let found = (name, 0).to_socket_addrs();
    let mut found = found.map_err(|error| format!("host {name:?} is not known: {error}"))?;
    found
        .find_map(|address| match address.ip() {
            IpAddr::V4(v4) => Some(v4),
            IpAddr::V6(_) => None,
        })
        .ok_or_else(|| format!("host {name:?} has no IPv4 address"))
}
