//! Which of several connections to one peer is used.
//!
//! Both ends follow the same rules, so that they come to the same answer, whatever comes first: a
//! connection that has been made is better than one that is being made; of two that the same end
//! has dialled, the newer is better, since the older one may have ended without a word; otherwise
//! the one that the smaller name has dialled.
use std::collections::VecDeque;
use std::sync::Arc;

use dunlin_wire::stream::{Channel, Hello};

use super::connection::{Connection, Peer};
use super::connection_table::{ConnectionTable, Held, Stage, State};
use super::peer_link::{PeerLink, Target};
use super::receive_channel::Fault;

/// What follows from a decision, to be done without the lock.
#[derive(Default)]
struct Outcome {
    /// No longer used.
    retired: Vec<(Arc<Connection>, bool)>,
    /// Had not been made yet.
    given_up: Vec<Arc<Connection>>,
    /// What waited there.
    waiting: VecDeque<u8>,
}

impl ConnectionTable {
    /// The peer of a connection has said who it is. `kept` was read from it besides; who receives
    /// reads the rest.
    pub(super) fn welcome(&self, connection: &Arc<Connection>, peer: Peer, kept: Vec<u8>) {
        let mut outcome = Outcome::default();
        let mut state = self.state();
        let Some(gate) = state.connections.get(&connection.id).map(|new| new.gate) else {
            return;
        };
        let announced = state.gates.iter().find(|known| known.id == gate);
        let port = announced.map_or(0, |gate| gate.announced);
        match peer {
            Peer::Own(hello) => {
                let rivals = self.rivals(&state, connection, &hello);
                if rivals.iter().any(|rival| has_its_name(connection, rival)) {
                    drop(state);
                    return self.end(connection, &Fault::Impostor);
                }
                self.answer(connection, hello.channel, port);
                connection.know(peer);
                connection.prove();
                self.settle(&mut state, connection, &hello, rivals, &mut outcome);
            }
            Peer::Stranger => connection.know(peer),
        }
        let Some(known) = state.connections.get_mut(&connection.id) else {
            return;
        };
        known.stage = Stage::Running;
        if connection.is_proven() || connection.dialled.is_some() {
            known.until = None;
        }
        if known.sends {
            state.attach(connection);
        }
        let gate = state.gates.iter().find(|known| known.id == gate);
        let inbox = gate.map(|gate| Arc::clone(gate.inbox(connection)));
        if let (Some(inbox), Some(known)) = (&inbox, state.connections.get_mut(&connection.id)) {
            known.inbox = Arc::downgrade(inbox);
        }
        drop(state);
        self.announce_word();
        self.follow(connection, outcome);
        if let Some(inbox) = inbox {
            connection.let_porter_read(false);
            inbox.add(Arc::clone(connection), kept);
        }
        if let Peer::Own(hello) = peer {
            self.accompany(connection, &hello, port);
            self.tell(hello.name);
        }
    }

    /// Says who we are to whoever has dialled, before anybody can send by the connection: whoever
    /// begins with anything else is taken for another product.
    fn answer(&self, connection: &Connection, channel: Channel, port: u16) {
        if connection.dialled.is_some() {
            return;
        }
        let answer = Hello {
            name: self.name,
            channel,
            port,
        };
        // If it has ended, whoever sends next finds out.
        let _ = connection.enqueue(&answer.encode());
    }

    fn follow(&self, connection: &Connection, outcome: Outcome) {
        let (first, second) = outcome.waiting.as_slices();
        // If it has ended, whoever sends next finds out.
        let _ = connection.enqueue(first);
        let _ = connection.enqueue(second);
        self.retire(outcome.retired);
        for given_up in outcome.given_up {
            given_up.close();
        }
    }

    /// A peer that cannot dial us can send us user data only if we dial it for that, too.
    fn accompany(&self, connection: &Arc<Connection>, hello: &Hello, port: u16) {
        let meta = connection.dialled == Some(Channel::Meta);
        if port != 0 || !meta || hello.name == self.name {
            return;
        }
        let link = self.link(Target::At(connection.remote), Channel::User);
        if let Some(known) = self.state().connections.get_mut(&connection.id) {
            known.companion = Some(link);
        }
    }

    /// The other connections to the same peer, for the same purpose.
    fn rivals(&self, state: &State, new: &Connection, hello: &Hello) -> Vec<Arc<Connection>> {
        let gate = state.connections.get(&new.id).map(|known| known.gate);
        let channel = new.dialled.unwrap_or(hello.channel);
        let rivals = state.connections.values().filter(|known| {
            let other = &known.connection;
            other.id != new.id
                && known.sends
                && Some(known.gate) == gate
                && other.channel() == Some(channel)
                && hello.name != self.name
                && is_same_peer(new, hello, other)
        });
        rivals.map(|known| Arc::clone(&known.connection)).collect()
    }

    /// Decides between a connection whose peer is known now and the others to the same peer.
    fn settle(
        &self,
        state: &mut State,
        connection: &Arc<Connection>,
        hello: &Hello,
        rivals: Vec<Arc<Connection>>,
        outcome: &mut Outcome,
    ) {
        if hello.name == self.name {
            self.keep_apart(state, connection);
            return;
        }
        for rival in rivals {
            let Some(known) = state.connections.get_mut(&rival.id) else {
                continue;
            };
            let connecting = known.stage == Stage::Connecting || !rival.is_open();
            let newer_wins = match (connection.dialled, rival.dialled) {
                (None, Some(_)) => connecting || hello.name.0 < self.name.0,
                (Some(_), None) => self.name.0 < hello.name.0,
                (Some(_), Some(_)) | (None, None) => true,
            };
            match newer_wins {
                true if connecting => {
                    outcome.waiting.extend(rival.take_waiting(Hello::SIZE));
                    state.connections.remove(&rival.id);
                    outcome.given_up.push(Arc::clone(&rival));
                    state.replace(&rival, connection);
                }
                true => {
                    known.sends = false;
                    // Of two that different ends have dialled, whoever has dialled the one that is
                    // left over closes it.
                    if rival.dialled.is_some() || connection.dialled.is_none() {
                        outcome.retired.push(known.retire(false));
                    }
                    state.replace(&rival, connection);
                }
                false => {
                    state.replace(connection, &rival);
                    if let Some(new) = state.connections.get_mut(&connection.id) {
                        new.sends = false;
                    }
                    if connection.dialled.is_some() {
                        outcome.retired.push((Arc::clone(connection), false));
                    }
                }
            }
        }
    }

    /// A connection to ourselves: each end of it leads in one direction.
    fn keep_apart(&self, state: &mut State, connection: &Connection) {
        if let Some(known) = state.connections.get_mut(&connection.id) {
            known.sends = connection.dialled.is_some();
        }
    }
}

/// Whether another host's connection has the name that this one claims. A name is only a claim: it
/// takes nothing away from who has it.
fn has_its_name(connection: &Connection, rival: &Connection) -> bool {
    let called = connection.dialled.is_none() && rival.dialled.is_none();
    called && rival.remote.ip() != connection.remote.ip()
}

/// Whether another connection has the same participant's same port at its other end, as far as it
/// can be known.
fn is_same_peer(connection: &Connection, hello: &Hello, other: &Connection) -> bool {
    match other.hello() {
        // Of callers the name counts alone: what leads back to one must not lead to another.
        Some(known) if connection.dialled.is_none() && other.dialled.is_none() => {
            known.name == hello.name
        }
        Some(known) => (known.name, known.port) == (hello.name, hello.port),
        None if other.dialled.is_none() => false,
        None => {
            let target = Target::At(other.remote);
            target.is_reached_by(connection)
        }
    }
}

impl State {
    /// What led by one connection leads by another.
    fn replace(&mut self, old: &Connection, new: &Arc<Connection>) {
        for held in self.links.values() {
            if held.link.is_by(old) {
                held.link.take(new);
            }
        }
    }

    /// Links that have no way, or one that was made for another purpose, take this connection.
    fn attach(&mut self, connection: &Arc<Connection>) {
        let wants = |held: &&mut Held| {
            let PeerLink {
                target, channel, ..
            } = &*held.link;
            let suits = connection.channel() == Some(*channel)
                || matches!(target, Target::Caller(_))
                || connection.hello().is_none();
            let current = held.link.current();
            let free = current.is_none_or(|current| {
                current.channel() != Some(*channel) && connection.channel() == Some(*channel)
            });
            suits && free && target.is_reached_by(connection)
        };
        for held in self.links.values_mut().filter(wants) {
            held.link.take(connection);
        }
    }
}
