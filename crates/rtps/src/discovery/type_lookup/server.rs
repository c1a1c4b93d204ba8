//! What others ask of us.
//!
//! Each participant may ask so often; what it asks beyond that waits, and what finds no room to wait
//! is passed over. All together are answered so often as well, in turns.
use crate::Time;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use bytes::Bytes;
use core::ops::Bound::{Excluded, Unbounded};
use dunlin_qos::Duration;
use dunlin_wire::GuidPrefix;
use dunlin_xtypes::TypeIdentifier;
use dunlin_xtypes::lookup::{
    Call, Dependencies, RemoteException, Reply, Request, Return, SampleIdentity, TypeObjectPair,
    TypeStore, Types, limits,
};

/// One participant gets so many replies at once ...
const BURST: i64 = 40;
/// ... and another one after each of these.
const PAUSE: Duration = Duration::from_millis(50);
/// All together get so many at once ...
const BURST_OF_ALL: i64 = 256;
/// ... and another one after each of these.
const PAUSE_OF_ALL: Duration = Duration::from_millis(5);
/// So many requests of one participant wait.
const MOST_WAITING: usize = 8;
/// One that acknowledges nothing is told no more for so long.
const FULL: Duration = Duration::from_secs(1);

/// The requests that wait, and how often they may be answered.
#[derive(Debug)]
pub(super) struct Server {
    peers: BTreeMap<GuidPrefix, Asking>,
    all: Allowance,
    /// Whose turn it was last.
    turn: GuidPrefix,
}

/// A participant that asks.
#[derive(Debug)]
struct Asking {
    waiting: VecDeque<Waiting>,
    allowance: Allowance,
    /// It has to acknowledge first what it was told, or it is tried again then.
    full_until: Option<Time>,
}

/// A request; of the types that it names those of ours.
#[derive(Debug)]
struct Waiting {
    id: SampleIdentity,
    call: Call,
}

/// How often something may be said: so often at once, and then once after each pause.
#[derive(Debug)]
struct Allowance {
    burst: i64,
    pause: Duration,
    /// All that was said is paid for then.
    paid: Time,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            peers: BTreeMap::new(),
            all: Allowance::new(BURST_OF_ALL, PAUSE_OF_ALL),
            turn: GuidPrefix::UNKNOWN,
        }
    }
}

impl Server {
    /// A participant asks.
    pub(super) fn take(
        &mut self,
        from: GuidPrefix,
        request: Request,
        store: &TypeStore<GuidPrefix>,
    ) {
        let peer = self.peers.entry(from).or_insert_with(|| Asking {
            waiting: VecDeque::new(),
            allowance: Allowance::new(BURST, PAUSE),
            full_until: None,
        });
        let is_known = peer.waiting.iter().any(|known| known.id == request.id);
        if is_known || peer.waiting.len() >= MOST_WAITING {
            return;
        }
        let (id, call) = (request.id, kept(request.call, store));
        peer.waiting.push_back(Waiting { id, call });
    }

    /// The next reply that may go, and to whom. `done` has to say what became of it.
    pub(super) fn next(
        &self,
        now: Time,
        store: &TypeStore<GuidPrefix>,
    ) -> Option<(GuidPrefix, Bytes)> {
        if self.all.due() > now {
            return None;
        }
        let behind = self.peers.range((Excluded(self.turn), Unbounded));
        let mut in_turn = behind.chain(&self.peers);
        let (prefix, asking) = in_turn.find(|(_, peer)| peer.due().is_some_and(|t| t <= now))?;
        Some((*prefix, reply(asking.waiting.front()?, store)))
    }

    /// The reply that `next` gave was sent, or waits for acknowledgements.
    pub(super) fn done(&mut self, now: Time, peer: GuidPrefix, is_sent: bool) {
        self.turn = peer;
        let Some(asking) = self.peers.get_mut(&peer) else {
            return;
        };
        if is_sent {
            asking.waiting.pop_front();
            asking.allowance.spend(now);
            self.all.spend(now);
        } else {
            asking.full_until = Some(now.after(FULL));
        }
    }

    /// A participant acknowledged something.
    pub(super) fn make_way(&mut self, peer: GuidPrefix) {
        if let Some(asking) = self.peers.get_mut(&peer) {
            asking.full_until = None;
        }
    }

    pub(super) fn forget_peer(&mut self, peer: GuidPrefix) {
        self.peers.remove(&peer);
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        let due = self.peers.values().filter_map(Asking::due);
        Some(due.min()?.max(self.all.due()))
    }
}

impl Asking {
    /// When its next request may be answered, if there is one.
    fn due(&self) -> Option<Time> {
        let due = self.allowance.due();
        let due = self.full_until.map_or(due, |until| until.max(due));
        (!self.waiting.is_empty()).then_some(due)
    }
}

impl Allowance {
    fn new(burst: i64, pause: Duration) -> Self {
        Self {
            burst,
            pause,
            paid: Time(0),
        }
    }

    fn due(&self) -> Time {
        let credit = self.pause.as_nanos().saturating_mul(self.burst - 1);
        Time(self.paid.0.saturating_sub(credit))
    }

    fn spend(&mut self, now: Time) {
        self.paid = self.paid.max(now).after(self.pause);
    }
}

/// What is kept of a request: of types that are not ours there is nothing to tell.
fn kept(call: Call, store: &TypeStore<GuidPrefix>) -> Call {
    let ours = |types: Vec<TypeIdentifier>| {
        let types: BTreeSet<TypeIdentifier> = types.into_iter().collect();
        let ours = types.into_iter();
        ours.filter(|ty| store.local_object(ty).is_some()).collect()
    };
    match call {
        Call::GetTypes(types) => Call::GetTypes(ours(types)),
        Call::GetTypeDependencies {
            types,
            continuation_point,
        } => Call::GetTypeDependencies {
            types: ours(types),
            continuation_point,
        },
        other => other,
    }
}

/// The payload that answers a request.
fn reply(waiting: &Waiting, store: &TypeStore<GuidPrefix>) -> Bytes {
    let value = match &waiting.call {
        Call::GetTypes(types) => Ok(Return::Types(objects(types, store))),
        Call::GetTypeDependencies {
            types,
            continuation_point,
        } => dependencies(types, continuation_point, store),
        Call::Unknown(operation) => Err((RemoteException::UnknownOperation, *operation)),
        _ => Err((RemoteException::UnknownOperation, 0)),
    };
    let (exception, value) = match value {
        Ok(value) => (RemoteException::Ok, value),
        Err((exception, operation)) => (exception, Return::None { operation }),
    };
    let reply = Reply {
        related: waiting.id,
        exception,
        value,
    };
    // It is far from 4 GiB.
    reply.to_payload().unwrap_or_default()
}

/// Those of our types that fit into a reply, and at least one.
fn objects<'a>(types: &[TypeIdentifier], store: &'a TypeStore<GuidPrefix>) -> Types<'a> {
    let mut room = limits::REPLY;
    let mut told = Types::default();
    for identifier in types {
        let Some(object) = store.local_object(identifier) else {
            continue;
        };
        let identifier = identifier.clone();
        let pair = TypeObjectPair { identifier, object };
        match room.checked_sub(pair.reply_size()) {
            Some(rest) => room = rest,
            None if told.types.is_empty() => room = 0,
            None => continue,
        }
        told.types.push(pair);
    }
    told
}

/// A page of what our types refer to. A continuation point is the number of those before it.
fn dependencies(
    types: &[TypeIdentifier],
    point: &[u8],
    store: &TypeStore<GuidPrefix>,
) -> Result<Return<'static>, (RemoteException, u32)> {
    let from = match point {
        [] => 0,
        [a, b, c, d] => u32::from_be_bytes([*a, *b, *c, *d]),
        _ => return Err((RemoteException::InvalidArgument, 0)),
    };
    let before = usize::try_from(from).unwrap_or(usize::MAX);
    let mut rest = store.local_dependencies(types, before);
    let page: Vec<_> = rest.by_ref().take(limits::PAGE).collect();
    let continuation_point = match rest.next() {
        Some(_) => from
            .saturating_add(limits::PAGE as u32)
            .to_be_bytes()
            .to_vec(),
        None => Vec::new(),
    };
    Ok(Return::Dependencies(Dependencies {
        types: page,
        continuation_point,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use dunlin_cdr::Extensibility::Appendable;
    use dunlin_xtypes::{LocalType, TypeIndex, TypeTreeBuilder};

    /// A structure of so many structures that differ.
    fn wide(members: usize) -> LocalType {
        let mut types = TypeTreeBuilder::new();
        let each: Vec<_> = (0..members)
            .map(|at| {
                let part = types.structure(&format!("Part{at}"), Appendable);
                part.member(&format!("x{at}"), TypeIndex::INT32).finish()
            })
            .collect();
        let mut whole = types.structure("Whole", Appendable);
        for (at, part) in each.into_iter().enumerate() {
            whole = whole.member(&format!("part{at}"), part);
        }
        let whole = whole.finish();
        LocalType::new(&types.build(whole).unwrap()).unwrap()
    }

    /// The reply to a participant that asks once.
    fn answered(call: Call, store: &TypeStore<GuidPrefix>) -> Bytes {
        let mut server = Server::default();
        let id = SampleIdentity {
            writer: [7; 16],
            sequence: 1,
        };
        let request = Request {
            id,
            instance_name: Default::default(),
            call,
        };
        let peer = GuidPrefix([7; 12]);
        server.take(peer, request, store);
        server.next(Time(1), store).unwrap().1
    }

    #[test]
    fn dependencies_come_page_after_page_and_each_once() {
        let ty = wide(2 * limits::PAGE + 7);
        let mut store = TypeStore::default();
        store.add_local(&ty);
        for half in [ty.complete(), ty.minimal()] {
            let (mut told, mut pages) = (BTreeSet::new(), Vec::new());
            let mut continuation_point = Vec::new();
            loop {
                let types = [half.identifier().clone()].to_vec();
                let call = Call::GetTypeDependencies {
                    types,
                    continuation_point,
                };
                let payload = answered(call, &store);
                let Return::Dependencies(of) = Reply::from_payload(&payload).unwrap().value else {
                    panic!("it was asked for dependencies");
                };
                pages.push(of.types.len());
                for one in of.types {
                    let object = store.local_object(&one.type_id).unwrap();
                    assert_eq!(one.typeobject_serialized_size as usize, object.len());
                    assert!(told.insert(one.type_id));
                }
                continuation_point = of.continuation_point;
                if continuation_point.is_empty() {
                    break;
                }
            }
            assert_eq!(pages, [limits::PAGE, limits::PAGE, 7]);
            assert!(!told.contains(half.identifier()));
        }
    }

    #[test]
    fn a_continuation_point_that_is_none_of_ours_is_refused() {
        let mut store = TypeStore::default();
        let ty = wide(3);
        store.add_local(&ty);
        for (continuation_point, exception) in [
            (&[][..], RemoteException::Ok),
            (&[0, 0, 0, 2], RemoteException::Ok),
            (&[255; 4], RemoteException::Ok),
            (&[0, 0, 1], RemoteException::InvalidArgument),
            (&[0; 32], RemoteException::InvalidArgument),
        ] {
            let call = Call::GetTypeDependencies {
                types: [ty.complete().identifier().clone()].to_vec(),
                continuation_point: continuation_point.to_vec(),
            };
            let payload = answered(call, &store);
            assert_eq!(Reply::from_payload(&payload).unwrap().exception, exception);
        }
    }
}
