//! What comes by the control sockets.
use super::super::receiver::{Inbox, ReceiveChannel};
use super::super::send_channel::{SendChannel, announce};
use super::super::{locator, name};
use super::{ConnectionTable, Ended, LONG_PAUSE, State, Suspect, Watched};
use crate::panics::log;
use dunlin_shm::{ControlSocket, Event, Identity, Rendezvous};
use rustix::event::epoll;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Instant;

impl ConnectionTable {
    /// Does what can be done at the rendezvous; returns when it has to be done again at the latest.
    pub(in crate::shm) fn converse(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut state = self.state();
        let mut late = Vec::new();
        for event in state.caller.poll(now) {
            late.extend(self.hear_answer(&mut state, event));
        }
        let mut joined = Vec::new();
        for (rendezvous, inbox) in &mut state.ports {
            let events = rendezvous.poll(now).into_iter();
            joined.extend(events.map(|event| (Arc::clone(inbox), event)));
        }
        for (inbox, event) in joined {
            self.hear_caller(&mut state, &inbox, event);
        }
        state.await_sockets(&self.events);
        let ports = state.ports.iter().map(|(rendezvous, _)| rendezvous);
        let all = ports.chain([&state.caller]);
        let next = all.filter_map(Rendezvous::next_timeout).min();
        drop(state);
        self.settled.notify_all();
        for peer in late {
            self.tell(peer, false);
        }
        next
    }

    /// A peer that we have dialled has answered, or failed to; its name if nobody waits for it any
    /// more.
    pub(super) fn hear_answer(&self, state: &mut State, event: Event) -> Option<[u8; 12]> {
        match event {
            // Nobody has to call here. It would be taken for the one whose name it gives, and be
            // sent what is for that one.
            Event::Joined(connection) if !connection.dialled => {
                self.note_refusal(Some(connection.peer), &"nobody is to call here");
                None
            }
            Event::Joined(connection) => {
                let peer = connection.peer;
                let greeted_with = state.dialled.remove(&peer).unwrap_or(0);
                for pool in state.pools.iter().skip(greeted_with) {
                    announce(&connection.line, pool);
                }
                self.await_end(state, connection.line, Ended::SendChannel(peer));
                let send_channel = Arc::new(SendChannel::new(
                    peer,
                    connection.sender,
                    Arc::clone(&self.pools),
                ));
                state.outlets.insert(peer, send_channel);
                state.refused.remove(&peer).map(|_| name(&peer))
            }
            Event::Failed(peer, error) => {
                // A call that nobody made is of no interest.
                if let Some(peer) = peer {
                    state.dialled.remove(&peer);
                    self.refuse(state, peer, &error);
                }
                None
            }
        }
    }

    /// Somebody who has dialled one of our ports is connected.
    pub(super) fn hear_caller(&self, state: &mut State, inbox: &Arc<Inbox>, event: Event) {
        match event {
            Event::Joined(connection) => {
                let peer = connection.peer;
                let end = Ended::ReceiveChannel(Arc::downgrade(inbox), peer);
                self.await_end(state, connection.line.clone(), end);
                inbox.add(ReceiveChannel::new(
                    peer,
                    connection.receiver,
                    connection.line,
                ));
            }
            Event::Failed(peer, error) => self.note_refusal(peer, &error),
        }
    }

    pub(super) fn note_refusal(&self, peer: Option<Identity>, error: &dyn std::fmt::Display) {
        if let Some(total) = self.count_refusal(error) {
            log::info!(peer = ?peer.map(|peer| locator(&peer)), %error, total, "a caller was refused shared memory");
        }
    }

    /// From now on the porter hears when the connection ends, and of nothing else about it.
    pub(super) fn await_end(&self, state: &mut State, line: ControlSocket, end: Ended) {
        let number = state.next_line;
        state.next_line += 1;
        let data = epoll::EventData::new_u64(number);
        let flags = epoll::EventFlags::RDHUP;
        let known = epoll::modify(&self.events, line.as_fd(), data, flags);
        if known.is_err() {
            let added = epoll::add(&self.events, line.as_fd(), data, flags);
            if let Err(error) = added {
                log::warn!(%error, "the end of a connection will go unnoticed");
            }
        }
        state.lines.insert(number, Watched { line, end });
    }

    /// A connection has ended: its process too, most likely, but that is for the porter to find
    /// out.
    pub(in crate::shm) fn end(&self, number: u64) {
        let mut state = self.state();
        let Some(Watched { line, end }) = state.lines.remove(&number) else {
            return;
        };
        let _ = epoll::delete(&self.events, line.as_fd());
        let (peer, send_channel) = match end {
            Ended::SendChannel(peer) => {
                // Either nobody is there, or it has closed the connection for a reason.
                state.note_refused(peer, Some(Instant::now() + LONG_PAUSE));
                (peer, state.outlets.remove(&peer))
            }
            Ended::ReceiveChannel(inbox, peer) => {
                inbox.upgrade().inspect(|inbox| inbox.remove(peer));
                (peer, None)
            }
        };
        let name = name(&peer);
        let now = Instant::now();
        // Another connection of it has ended: it is looked at anew.
        state
            .suspects
            .retain(|suspect| suspect.name != name || !suspect.relocated);
        if !state.suspects.iter().any(|suspect| suspect.name == name) {
            state.suspects.push(Suspect {
                name,
                since: now,
                next: now,
                relocated: false,
            });
        }
        drop(state);
        if let Some(send_channel) = send_channel {
            send_channel.close();
        }
    }
}
