//! Threads that send, one for each priority that is in use.
use super::{LOOK, lock};
use crate::writer::Writer;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use zenoh::Session;

/// By priority.
#[derive(Default)]
pub(super) struct Senders(Mutex<BTreeMap<u8, Arc<Sender>>>);

/// The writers of a priority that have something to send, in turns.
#[derive(Default)]
pub(super) struct Sender {
    queue: Mutex<VecDeque<Arc<Writer>>>,
    woken: Condvar,
}

impl Senders {
    /// Has a writer send what waits. A sender that is returned is new and needs a thread.
    pub(super) fn push(&self, writer: Arc<Writer>) -> Option<Arc<Sender>> {
        let mut is_new = false;
        let mut senders = lock(&self.0);
        let sender = senders.entry(writer.priority as u8).or_insert_with(|| {
            is_new = true;
            Arc::default()
        });
        let sender = Arc::clone(sender);
        drop(senders);
        lock(&sender.queue).push_back(writer);
        sender.woken.notify_one();
        is_new.then_some(sender)
    }

    /// Has the threads look whether they end.
    pub(super) fn wake(&self) {
        let senders = lock(&self.0);
        senders.values().for_each(|one| one.woken.notify_all());
    }
}

impl Sender {
    /// Sends until the end.
    pub(super) fn run(&self, session: &Session, ends: &AtomicBool) {
        while !ends.load(SeqCst) {
            let mut queue = lock(&self.queue);
            let Some(writer) = queue.pop_front() else {
                let waited = self.woken.wait_timeout(queue, LOOK);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
                continue;
            };
            drop(queue);
            if writer.send(session) {
                lock(&self.queue).push_back(writer);
            }
        }
    }
}
