//! The receiving end of one connection without a network, for the fuzz targets and for tests: what
//! comes by a stream goes the way that it goes in a participant (porter, session, inlet), and what
//! is answered can be looked at.
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use bytes::BytesMut;
use dunlin_wire::stream::Channel;
use rustix::event::epoll;

use super::TlsConfig;
use super::connection::Connection;
use super::connection_manager::{FIRST, identify};
use super::large::Budget;
use super::receive_channel::{Fault, Look, ReadBuffer, ReceiveChannel};
use super::session::Session;
use super::socket;
use super::tls::Tls;

/// Bytes that are put on the way at once, if the system holds so many.
const AT_ONCE: usize = 128 * 1024;
/// Memory for large messages.
const MEMORY: usize = 64 << 20;
/// Room that is there for each datagram, as in a participant.
const ROOM: usize = 64 * 1024;
/// Bytes of answers that may wait.
const QUEUE: usize = 1 << 20;

/// What makes connections secret.
pub struct Secrets(Tls);

impl Secrets {
    /// Fails as a transport does.
    pub fn new(config: &TlsConfig) -> io::Result<Self> {
        Tls::new(config).map(Self)
    }
}

/// One end of a connection.
pub struct IsolatedReceiver {
    connection: Arc<Connection>,
    read_buffer: ReadBuffer,
    /// What the peer says first.
    greeting: Vec<u8>,
    receive_channel: Option<ReceiveChannel>,
    /// Where datagrams land.
    buffer: BytesMut,
    /// The other end.
    far: OwnedFd,
    fault: Option<String>,
    budget: Arc<Budget>,
}

impl IsolatedReceiver {
    /// One that has been dialled, or has dialled, and that begins with `first`.
    pub fn new(secrets: Option<&Secrets>, dials: bool, first: &[u8]) -> io::Result<Self> {
        let nobody = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7400);
        let session = match (secrets, dials) {
            (None, _) => None,
            (Some(secrets), true) => Some(secrets.0.dial(nobody)?),
            (Some(secrets), false) => Some(secrets.0.accept()?),
        };
        Self::with(session, dials.then_some(Channel::Meta), first)
    }

    fn with(session: Option<Session>, dialled: Option<Channel>, first: &[u8]) -> io::Result<Self> {
        let (near, far) = UnixStream::pair()?;
        near.set_nonblocking(true)?;
        let events = Arc::new(epoll::create(epoll::CreateFlags::CLOEXEC)?);
        let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7400);
        let id = 1;
        let connection = Connection::new(
            id,
            (near.into(), at),
            session,
            dialled,
            first,
            QUEUE,
            &events,
        );
        let budget = Budget::new(MEMORY);
        let mut ear = Self {
            read_buffer: ReadBuffer::new(&budget),
            connection,
            greeting: Vec::new(),
            receive_channel: None,
            buffer: BytesMut::new(),
            far: far.into(),
            fault: None,
            budget,
        };
        if dialled.is_some()
            && let Err(refused) = ear.connection.open()
        {
            ear.fault = Some(refused.to_error().to_string());
        }
        Ok(ear)
    }

    /// The datagrams that these bytes complete. Nothing comes after a fault.
    pub fn hear(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut heard = Vec::new();
        for some in bytes.chunks(AT_ONCE) {
            let mut rest = some;
            while !rest.is_empty() && self.fault.is_none() {
                let Ok(written) = socket::send_piece(&self.far, rest) else {
                    break;
                };
                rest = rest.get(written..).unwrap_or_default();
                if let Err(fault) = self.listen(&mut heard) {
                    self.fault = Some(fault.to_string());
                }
            }
        }
        heard
    }

    /// Why nothing is heard any more.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// What was answered, or sent, since this was asked last.
    pub fn said(&mut self) -> Vec<u8> {
        let mut said = Vec::new();
        let mut room = [0; 4096];
        loop {
            let _ = self.connection.flush_queue();
            match socket::receive(&self.far, &mut room) {
                Ok(length @ 1..) => said.extend_from_slice(room.get(..length).unwrap_or_default()),
                _ => return said,
            }
        }
    }

    /// Sends these bytes, which are messages or are not.
    pub fn say(&mut self, bytes: &[u8]) {
        let _ = self.connection.enqueue(bytes);
    }

    /// Something can be sent: keys are agreed, if there are to be any.
    pub fn is_open(&self) -> bool {
        self.connection.is_open()
    }

    /// Bytes of memory for large messages that are under way.
    pub fn held(&self) -> usize {
        self.budget.used()
    }

    fn listen(&mut self, heard: &mut Vec<Vec<u8>>) -> Result<(), Fault> {
        let fresh = self.receive_channel.is_none();
        if fresh && !self.meet()? {
            return Ok(());
        }
        let Self {
            read_buffer,
            receive_channel,
            buffer,
            ..
        } = self;
        let Some(receive_channel) = receive_channel else {
            return Ok(());
        };
        buffer.reserve(ROOM);
        let mut look = match fresh {
            true => read_buffer.take_over(0, receive_channel, buffer)?,
            false => None,
        };
        loop {
            match look {
                Some(Look::Nothing) => return Ok(()),
                Some(Look::Datagram(_)) => {
                    heard.push(buffer.to_vec());
                    buffer.clear();
                    buffer.reserve(ROOM);
                }
                Some(Look::Larger(size)) => buffer.reserve(size),
                None => {}
            }
            look = match read_buffer.of {
                Some(_) => read_buffer.hand_out(receive_channel, buffer)?,
                None => Some(read_buffer.read(0, receive_channel, buffer)?),
            };
        }
    }

    /// As the porter does until it is known who speaks; false if more has to come.
    fn meet(&mut self) -> Result<bool, Fault> {
        let mut room = [0; FIRST];
        loop {
            let room = room.get_mut(self.greeting.len()..).unwrap_or_default();
            let length = match self.connection.read(room) {
                Ok(0) => return Err(Fault::Ended(None)),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(Fault::Ended(Some(error))),
            };
            self.greeting
                .extend_from_slice(room.get(..length).unwrap_or_default());
            if let Some((peer, length)) = identify(&self.greeting)? {
                self.connection.know(peer);
                let mut kept = std::mem::take(&mut self.greeting);
                kept.drain(..length.min(kept.len()));
                self.receive_channel =
                    Some(ReceiveChannel::new(Arc::clone(&self.connection), kept));
                return Ok(true);
            }
        }
    }
}
