//! What comes by the control sockets.
use super::super::receiver::{Inbox, ReceiveChannel};
use super::super::send_channel::{SendChannel, announce};
use super::super::{locator, name, port};
use super::dialling::LONG_PAUSE;
use super::{ConnectionTable, Ended, State, Suspect, Watched};
use crate::panics::log;
use dunlin_shm::{ControlSocket, Event, Identity, Rendezvous, Traffic};
use rustix::event::epoll;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Instant;

impl ConnectionTable {
    /// Does what can be done at the rendezvous; returns when it has to be done again at the latest.
    pub(in crate::shm) fn converse(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut state = self.state();
        let mut answered = Vec::new();
        for event in state.caller.poll(now) {
            answered.extend(self.hear_answer(&mut state, event));
        }
        answered.extend(self.dial_next(&mut state, now));
        let mut joined = Vec::new();
        for (rendezvous, inbox) in &mut state.ports {
            let events = rendezvous.poll(now).into_iter();
            let traffic = port(&rendezvous.identity()).traffic();
            joined.extend(events.map(|event| (Arc::clone(inbox), traffic, event)));
        }
        for (inbox, traffic, event) in joined {
            self.hear_caller(&mut state, &inbox, traffic, event);
        }
        state.await_sockets(&self.events);
        let ports = state.ports.iter().map(|(rendezvous, _)| rendezvous);
        let all = ports.chain([&state.caller]);
        let conversation = all.filter_map(Rendezvous::next_timeout).min();
        let again = state.dialling.next_timeout();
        drop(state);
        self.settled.notify_all();
        for peer in answered {
            self.tell_answered(peer);
        }
        [conversation, again].into_iter().flatten().min()
    }

    /// A peer that we have dialled has answered, or failed to; its name if the participant is to be
    /// told.
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
                let answer = state.dialling.note_joined(&peer);
                for pool in state.pools.iter().skip(answer.pools) {
                    announce(&connection.line, pool);
                }
                self.await_end(state, connection.line, Ended::SendChannel(peer));
                let send_channel = Arc::new(SendChannel::new(
                    peer,
                    connection.sender,
                    Arc::clone(&self.pools),
                ));
                state.outlets.insert(peer, send_channel);
                answer.told.then(|| name(&peer))
            }
            Event::Failed(peer, error) => {
                // A call that nobody made is of no interest.
                peer.filter(|peer| self.hear_failure(state, *peer, &error))
                    .map(|peer| name(&peer))
            }
        }
    }

    /// Somebody who has dialled one of our ports is connected.
    pub(super) fn hear_caller(
        &self,
        state: &mut State,
        inbox: &Arc<Inbox>,
        traffic: Traffic,
        event: Event,
    ) {
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
                if traffic == Traffic::Data && state.dialling.want_caller(&peer) {
                    self.ring();
                }
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
                let until = Some(Instant::now() + LONG_PAUSE);
                state.dialling.note_refused(peer, until);
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
