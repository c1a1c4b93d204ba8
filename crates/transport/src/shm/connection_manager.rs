//! The thread that opens and closes connections.
use crate::panics::{catch, log};
use crate::threads;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use super::connection_table::{BELL, ConnectionTable, RENDEZVOUS};
use super::withdrawal::Looks;

/// Events that are taken at once.
const AT_ONCE: usize = 64;
/// A process that ends closes one thing after the other: it is looked for so often, for so long,
/// before it is taken to live on.
const LOOK: Duration = Duration::from_millis(5);
const DOUBT: Duration = Duration::from_millis(60);
/// ... and then, ever less often, for so long: on a busy machine many that end at once take their
/// time.
const SUSPICION: Duration = Duration::from_secs(10);

/// Starts the porter of an exchange. It ends when the exchange is stopped.
pub(super) fn start(table: &Arc<ConnectionTable>) -> io::Result<JoinHandle<()>> {
    let weak = Arc::downgrade(table);
    table.pools.on_new(move |pool| {
        weak.upgrade().inspect(|table| {
            table.announce(pool);
            // A large one is looked after.
            table.ring();
        });
    });
    let table = Arc::clone(table);
    threads::spawn("dunlin-porter", 128 * 1024, move || {
        if let Err(why) = catch(|| run(&table)) {
            table.fail(&why);
        }
    })
}

fn run(table: &ConnectionTable) {
    let mut events: Vec<epoll::Event> = Vec::with_capacity(AT_ONCE);
    let (mut next, mut looks) = (None, Looks::default());
    while !table.stopped.load(SeqCst) {
        events.clear();
        let left = next.map(|at: Instant| at.saturating_duration_since(Instant::now()));
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        match epoll::wait(&table.events, spare_capacity(&mut events), limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                log::error!(%error, "shared memory makes no new connections any more");
                return;
            }
        }
        for event in &events {
            match event.data.u64() {
                RENDEZVOUS => {}
                BELL => {
                    let _ = rustix::io::read(&table.bell, &mut [0_u8; 8]);
                }
                line => table.end(line),
            }
        }
        let conversation = table.converse();
        let suspicion = look_for_suspects(table);
        let look = looks.look(table, Instant::now());
        next = [conversation, suspicion, look].into_iter().flatten().min();
    }
}

/// Tells of those that have ended; returns when to look again.
fn look_for_suspects(table: &ConnectionTable) -> Option<Instant> {
    let now = Instant::now();
    let mut news = Vec::new();
    let mut suspects = std::mem::take(&mut table.state().suspects);
    suspects.retain_mut(|suspect| {
        if now < suspect.next {
            return true;
        }
        let ended = !table.is_there(suspect.name);
        let age = now.saturating_duration_since(suspect.since);
        let lives_on = age >= DOUBT && !std::mem::replace(&mut suspect.relocated, age >= DOUBT);
        if ended || lives_on {
            news.push((suspect.name, ended));
        }
        suspect.next = now + LOOK.max(age / 4);
        !ended && age < SUSPICION
    });
    let next = suspects.iter().map(|suspect| suspect.next).min();
    table.state().suspects.extend(suspects);
    for (name, ended) in news {
        table.tell(name, ended);
    }
    next
}
