//! A connection: two links, both directions of messages between them, and the socket whose end is
//! the peer's death.
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use crate::hello::{Announcement, Identity};
use crate::inherited::Lifeline;
use crate::pool::MAX_POOLS;
use crate::socket::{self, Packet, RING};
use crate::{Error, Pool, PoolView, Receiver, Segment, Sender, Violation};

/// A packet that announces a pool; its file descriptor comes with it.
const POOL: u8 = 2;

/// What a peer has sent besides messages.
#[derive(Debug)]
pub enum Control {
    /// It wanted to wake us.
    Ring,
    /// Memory for its large messages, for [`Receiver::add_pool`].
    Pool(PoolView),
    /// It has closed the connection, or died.
    End,
}

/// The parts of a connection; each may live in another thread. When all of them and all loans are
/// gone, so is all memory.
#[derive(Debug)]
pub struct Connection {
    /// The peer's identity, which it chose itself.
    pub peer: Identity,
    /// Whether we have dialled; else the peer has.
    pub dialled: bool,
    /// Its process, as the kernel knows it; 0 if that is none of ours.
    pub process: u32,
    /// Messages to the peer.
    pub sender: Sender,
    /// Messages from the peer.
    pub receiver: Receiver,
    /// The socket.
    pub line: ControlSocket,
}

/// The socket of a connection: what is not urgent, and the end.
#[derive(Clone, Debug)]
pub struct ControlSocket {
    socket: Arc<Lifeline>,
}

impl ControlSocket {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self {
            socket: Arc::new(Lifeline::new(socket)),
        }
    }

    pub(crate) fn shared(&self) -> Arc<Lifeline> {
        self.socket.clone()
    }

    /// Takes one packet, if there is one; call it when the socket is readable.
    ///
    /// # Errors
    /// `Violation` for what no honest peer sends: drop the connection.
    pub fn control(&self) -> Result<Option<Control>, Error> {
        let mut bytes = [0; 16];
        match socket::receive_packet(&*self.socket, &mut bytes)? {
            Packet::Nothing => Ok(None),
            Packet::End => Ok(Some(Control::End)),
            Packet::Bytes(length, fds) => read(&bytes[..length], &fds).map(Some),
        }
    }

    /// Makes a pool known to the peer. Send its chunks after that only.
    ///
    /// # Errors
    /// `System` if the socket is full: the peer does not read it, or is gone.
    pub fn announce(&self, pool: &Pool) -> Result<(), Error> {
        let (file, length) = pool
            .file()
            .ok_or(Error::Argument("the pool has no segment"))?;
        let mut bytes = vec![POOL];
        bytes.extend((length as u64).to_le_bytes());
        socket::send_packet(&self.socket, &bytes, &[file.as_fd()])?;
        Ok(())
    }
}

impl AsFd for ControlSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn read(bytes: &[u8], fds: &[OwnedFd]) -> Result<Control, Error> {
    match (bytes, fds) {
        ([RING], []) => Ok(Control::Ring),
        ([POOL, size @ ..], [fd]) => {
            let size = size.try_into().map_err(|_| Violation::Header)?;
            let size = usize::try_from(u64::from_le_bytes(size)).map_err(|_| Violation::Segment)?;
            Ok(Control::Pool(PoolView::open(Segment::map(fd, size)?)?))
        }
        _ => Err(Violation::Header.into()),
    }
}

/// Maps what a hello has brought, and puts a connection together.
pub(crate) fn assemble(
    hello: &Announcement,
    fds: &[OwnedFd],
    own: Segment,
    socket: OwnedFd,
    process: u32,
    dialled: bool,
) -> Result<Connection, Error> {
    use crate::link::Layout;
    let ([link, pools @ ..], [link_size, pool_sizes @ ..]) = (fds, &*hello.sizes) else {
        return Err(Violation::Header.into());
    };
    if pools.len() != pool_sizes.len() || pools.len() > usize::from(MAX_POOLS) {
        return Err(Violation::Header.into());
    }
    let peer = Segment::map(link, *link_size)?;
    let peer_layout = Layout::open(&peer)?;
    // The descriptor is closed: the peer has its own, and the memory stays.
    let own = own.into_owner();
    let layout = Layout::open(&own)?;
    let line = ControlSocket::new(socket);
    let mut sender = Sender::new(own.clone(), layout, peer.clone(), peer_layout);
    sender.socket = Some(line.shared());
    let mut receiver = Receiver::new(own, layout, peer, peer_layout);
    for (fd, size) in pools.iter().zip(pool_sizes) {
        receiver.add_pool(PoolView::open(Segment::map(fd, *size)?)?)?;
    }
    Ok(Connection {
        peer: hello.identity,
        dialled,
        process,
        sender,
        receiver,
        line,
    })
}
