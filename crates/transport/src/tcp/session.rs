//! One connection under TLS: keys are agreed first, by rustls; then records are sealed and opened.
//!
//! What concerns sending, and the making of keys, is a [`Session`], which belongs to whoever sends;
//! what has come and the keys to open it are [`Inward`], which belongs to whoever reads. Who reads
//! needs the session only until keys are agreed, and when they change.
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::kernel::KernelConnection;
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, EncodeError, UnbufferedStatus};
use rustls::{AlertDescription, Error, ExtractedSecrets};

use super::record::{self, Keys, Opened};
use super::socket;

/// Bytes that are received at once at most, whatever they are.
const ROOM: usize = 128 * 1024 + record::LONGEST;

/// The sending end, and the keys of both.
pub(super) struct Session {
    state: State,
    keys: Option<Keys>,
    /// The peer wants new keys, or these have served long enough.
    renews: bool,
}

enum State {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
    AgreedClient(KernelConnection<ClientConnectionData>),
    AgreedServer(KernelConnection<ServerConnectionData>),
    Failed,
}

/// What a step towards keys led to.
enum Step {
    Done,
    Wait,
    Agreed,
}

/// What is to be done with what has come.
pub(super) enum Next {
    /// Take the data.
    Data,
    /// Have the session make new keys.
    Renewal,
    /// Receive more, and have the session agree on keys.
    Keys,
    /// Receive more.
    More,
    /// Nothing more will come.
    End,
}

impl Session {
    pub(super) fn client(connection: UnbufferedClientConnection) -> Self {
        Self::new(State::Client(Box::new(connection)))
    }

    pub(super) fn server(connection: UnbufferedServerConnection) -> Self {
        Self::new(State::Server(Box::new(connection)))
    }

    fn new(state: State) -> Self {
        Self {
            state,
            keys: None,
            renews: false,
        }
    }

    /// Both have shown who they are.
    pub(super) fn is_ready(&self) -> bool {
        self.keys.is_some()
    }

    /// Does what is to be done with what has come: steps towards keys, or to new ones. Answers go
    /// into `queue`.
    pub(super) fn proceed(
        &mut self,
        inward: &mut Inward,
        queue: &mut VecDeque<u8>,
    ) -> Result<(), Error> {
        if let Some(wanted) = inward.renewal.take() {
            self.renews |= wanted;
            inward.keys = Some(Keys::new(self.state.renew(false)?)?);
            return Ok(());
        }
        loop {
            match self.step(inward, queue) {
                Ok(Step::Done) => {}
                Ok(Step::Wait) => return Ok(()),
                Ok(Step::Agreed) => return self.agree(inward),
                Err(error) => {
                    // Rustls has a word for the peer why.
                    let mut nothing = Inward::default();
                    while self.has_to_say() && self.step(&mut nothing, queue).is_ok() {}
                    self.state = State::Failed;
                    return Err(error);
                }
            }
        }
    }

    fn step(&mut self, inward: &mut Inward, queue: &mut VecDeque<u8>) -> Result<Step, Error> {
        let Inward {
            bytes,
            start,
            end,
            early,
            ended,
            ..
        } = inward;
        let come = bytes.get_mut(*start..*end).unwrap_or_default();
        let (used, step) = match &mut self.state {
            State::Client(client) => follow(client.process_tls_records(come), early, ended, queue),
            State::Server(server) => follow(server.process_tls_records(come), early, ended, queue),
            _ => return Err(Error::HandshakeNotComplete),
        };
        *start = start.saturating_add(used).min(*end);
        step
    }

    fn has_to_say(&self) -> bool {
        match &self.state {
            State::Client(client) => client.wants_write(),
            State::Server(server) => server.wants_write(),
            _ => false,
        }
    }

    fn agree(&mut self, inward: &mut Inward) -> Result<(), Error> {
        let (secrets, state) = match std::mem::replace(&mut self.state, State::Failed) {
            State::Client(client) => {
                let (secrets, kept) = client.dangerous_into_kernel_connection()?;
                (secrets, State::AgreedClient(kept))
            }
            State::Server(server) => {
                let (secrets, kept) = server.dangerous_into_kernel_connection()?;
                (secrets, State::AgreedServer(kept))
            }
            _ => return Err(Error::HandshakeNotComplete),
        };
        let ExtractedSecrets { tx, rx } = secrets;
        self.state = state;
        self.keys = Some(Keys::new(tx)?);
        inward.keys = Some(Keys::new(rx)?);
        Ok(())
    }

    /// Appends a record that carries as much as fits of `parts`; returns how much that is.
    pub(super) fn seal(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<usize, Error> {
        let keys = self.keys.as_mut().ok_or(Error::HandshakeNotComplete)?;
        if self.renews || keys.are_worn() {
            keys.seal_key_update(out)?;
            *keys = Keys::new(self.state.renew(true)?)?;
            self.renews = false;
        }
        keys.seal_data(parts, out)
    }

    /// Appends records that carry all of these bytes.
    pub(super) fn seal_all(
        &mut self,
        mut bytes: &[u8],
        queue: &mut VecDeque<u8>,
    ) -> Result<(), Error> {
        let mut sealed = Vec::new();
        while !bytes.is_empty() {
            let length = self.seal(&[bytes], &mut sealed)?;
            bytes = bytes.get(length..).unwrap_or_default();
            queue.extend(sealed.drain(..));
        }
        Ok(())
    }

    /// Says that nothing more comes, or why.
    pub(super) fn say(
        &mut self,
        alert: AlertDescription,
        queue: &mut VecDeque<u8>,
    ) -> Result<(), Error> {
        let mut sealed = Vec::new();
        if let Some(keys) = &mut self.keys {
            keys.seal_alert(alert, &mut sealed)?;
        }
        queue.extend(sealed);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn wear(&mut self) {
        self.keys.iter_mut().for_each(Keys::wear);
    }
}

impl State {
    /// New keys of one direction.
    fn renew(&mut self, sending: bool) -> Result<(u64, rustls::ConnectionTrafficSecrets), Error> {
        match (self, sending) {
            (Self::AgreedClient(kept), true) => kept.update_tx_secret(),
            (Self::AgreedClient(kept), false) => kept.update_rx_secret(),
            (Self::AgreedServer(kept), true) => kept.update_tx_secret(),
            (Self::AgreedServer(kept), false) => kept.update_rx_secret(),
            _ => Err(Error::HandshakeNotComplete),
        }
    }
}

/// Does what rustls wants; says how much of what has come is used up.
fn follow<D>(
    status: UnbufferedStatus<'_, '_, D>,
    early: &mut Vec<u8>,
    ended: &mut bool,
    queue: &mut VecDeque<u8>,
) -> (usize, Result<Step, Error>) {
    let mut used = status.discard;
    let step = match status.state {
        Err(error) => Err(error),
        Ok(ConnectionState::EncodeTlsData(mut data)) => {
            let mut out = vec![0; record::LONGEST];
            let written = match data.encode(&mut out) {
                Err(EncodeError::InsufficientSize(least)) => {
                    out.resize(least.required_size, 0);
                    data.encode(&mut out)
                }
                other => other,
            };
            let written = written.map_err(|error| Error::General(error.to_string()));
            written.map(|length| {
                queue.extend(out.get(..length).unwrap_or_default());
                Step::Done
            })
        }
        Ok(ConnectionState::TransmitTlsData(data)) => {
            data.done();
            Ok(Step::Done)
        }
        Ok(ConnectionState::ReadTraffic(mut traffic)) => {
            while let Some(Ok(some)) = traffic.next_record() {
                used = used.saturating_add(some.discard);
                early.extend_from_slice(some.payload);
            }
            Ok(Step::Done)
        }
        Ok(ConnectionState::PeerClosed) => {
            *ended = true;
            Ok(Step::Done)
        }
        Ok(ConnectionState::BlockedHandshake) => Ok(Step::Wait),
        Ok(ConnectionState::WriteTraffic(_)) => Ok(Step::Agreed),
        Ok(_) => Err(Error::HandshakeNotComplete),
    };
    (used, step)
}

/// What has come and is not taken yet.
#[derive(Default)]
pub(super) struct Inward {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Data in it that is opened.
    plain: std::ops::Range<usize>,
    /// Data that came with the last step towards keys.
    early: Vec<u8>,
    keys: Option<Keys>,
    /// The peer has new keys; `true`: we are to take some, too.
    renewal: Option<bool>,
    /// What is to be said when all data before it is taken.
    fault: Option<Error>,
    ended: bool,
}

impl Inward {
    /// Calls `put` with data that is opened, `most` bytes at most; returns how many there were.
    pub(super) fn take(&mut self, most: usize, put: &mut impl FnMut(&[u8])) -> usize {
        if !self.early.is_empty() {
            let length = self.early.len().min(most);
            put(self.early.get(..length).unwrap_or_default());
            self.early.drain(..length);
            return length;
        }
        let length = self.plain.len().min(most);
        let end = self.plain.start + length;
        put(self.bytes.get(self.plain.start..end).unwrap_or_default());
        self.plain.start = end;
        length
    }

    /// Opens the next record.
    pub(super) fn open(&mut self) -> Result<Next, Error> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if self.ended {
            return Ok(Next::End);
        }
        loop {
            let Some(keys) = &mut self.keys else {
                return Ok(Next::Keys);
            };
            let come = self.bytes.get_mut(..self.end).unwrap_or_default();
            let Some((opened, next)) = keys.open(come, self.start)? else {
                return Ok(Next::More);
            };
            self.start = next;
            match opened {
                Opened::Data(place) if place.is_empty() => {}
                Opened::Data(place) => {
                    self.plain = place;
                    return Ok(Next::Data);
                }
                Opened::KeyUpdate(wanted) => {
                    self.renewal = Some(wanted);
                    return Ok(Next::Renewal);
                }
                Opened::Other => {}
                Opened::End => {
                    self.ended = true;
                    return Ok(Next::End);
                }
            }
        }
    }

    /// To be said later.
    pub(super) fn put_off(&mut self, fault: Error) {
        self.fault = Some(fault);
    }

    /// Receives what there is, behind what is not opened yet; `false` at the end.
    pub(super) fn receive(&mut self, socket: &OwnedFd) -> io::Result<bool> {
        if self.bytes.is_empty() {
            self.bytes = vec![0; ROOM];
        }
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.bytes.len() - self.end < record::LONGEST {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let room = self.bytes.get_mut(self.end..).unwrap_or_default();
        if room.is_empty() {
            let text = "TLS: a message on the way to keys is too long";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let length = socket::receive(socket, room)?;
        self.end += length;
        Ok(length > 0)
    }
}
