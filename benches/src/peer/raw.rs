//! The floor: plain connected UDP sockets on loopback, and nothing else.
//!
//! A sample that does not fit into a datagram is cut into pieces of 60 KB, each beginning with the
//! number of the sample, and received at its final place.
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv, sockopt};

use crate::Outcome;
use crate::figures::{Usage, now};
use crate::lifeline::wait_for_close;
use crate::options::{Options, Role};
use crate::ping::{Next, PATIENCE, Rally};
use crate::stream::{self, Tally};

const FIRST_PORT: u16 = 17_400;
const SECOND_PORT: u16 = 17_401;
const PIECE: usize = 60 * 1024;
const LARGEST_DATAGRAM: usize = 65_507;
/// As many bytes as Dunlin asks for.
const BUFFER: usize = 8 << 20;
/// Empty polls between two looks at the clock.
const POLLS: u32 = 64;
const NUMBER: usize = size_of::<u64>();

/// Runs one side.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    let (mine, theirs) = match options.role {
        Role::Ping | Role::Send => (FIRST_PORT, SECOND_PORT),
        Role::Pong | Role::Receive => (SECOND_PORT, FIRST_PORT),
        Role::Match => return Err("raw sockets do not match".into()),
    };
    let mut link = Link::open(mine, theirs, options)?;
    match options.role {
        Role::Ping => ping(&mut link, options),
        Role::Pong => {
            let before = Usage::now();
            let counted = Arc::new(Tally::default());
            let thread = Arc::clone(&counted);
            std::thread::spawn(move || pong(&mut link, &thread));
            wait_for_close();
            println!("samples={} {}", counted.count(), before.since_then());
            Ok(())
        }
        Role::Send => {
            link.wait_for_peer()?;
            let mut sample = vec![0; options.size];
            let write = |number| link.send_piece(number, &mut sample);
            Ok(stream::send(options, write, || Ok(()))?)
        }
        _ => {
            let tally = Arc::new(Tally::default());
            let thread = Arc::clone(&tally);
            std::thread::spawn(move || count(&mut link, &thread));
            tally.watch(options);
            Ok(())
        }
    }
}

fn ping(link: &mut Link, options: &Options) -> Outcome<()> {
    link.wait_for_peer()?;
    let mut sample = vec![0; options.size];
    let mut rally = Rally::new(options);
    let mut next = Next::Ping(rally.serve());
    while next != Next::Done {
        if let Next::Ping(number) = next {
            link.send(number, &mut sample)?;
        }
        next = match link.receive(&mut sample, now() + PATIENCE)? {
            Some(number) => rally.pong(number),
            None => rally.repeat().map_or(Next::Nothing, Next::Ping),
        };
        if rally.is_hopeless() {
            return Err("no pong since long ago".into());
        }
    }
    rally.report(options)
}

/// Echoes for ever.
fn pong(link: &mut Link, counted: &Tally) {
    let mut sample = vec![0; link.size];
    loop {
        let echoed = link.receive(&mut sample, u64::MAX).and_then(|number| {
            number.map_or(Ok(()), |number| {
                counted.received(number);
                link.send(number, &mut sample)
            })
        });
        if let Err(error) = echoed {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

fn count(link: &mut Link, tally: &Tally) {
    let mut sample = vec![0; link.size];
    loop {
        match link.receive(&mut sample, u64::MAX) {
            Ok(Some(number)) => tally.received(number),
            Ok(None) => {}
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }
}

/// One side's socket.
struct Link {
    socket: UdpSocket,
    size: usize,
    /// Length of a datagram, except the last one of a sample.
    piece: usize,
    flags: RecvFlags,
}

impl Link {
    fn open(mine: u16, theirs: u16, options: &Options) -> io::Result<Self> {
        let home = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let socket = UdpSocket::bind(home(mine))?;
        socket.connect(home(theirs))?;
        // Without privileges the plain option has to do, as for everybody.
        sockopt::set_socket_recv_buffer_size_force(&socket, BUFFER)
            .or_else(|_| sockopt::set_socket_recv_buffer_size(&socket, BUFFER))?;
        sockopt::set_socket_send_buffer_size(&socket, BUFFER)?;
        socket.set_read_timeout(Some(Duration::from_millis(200)))?;
        let whole = options.size <= LARGEST_DATAGRAM;
        Ok(Self {
            socket,
            size: options.size,
            piece: if whole { options.size } else { PIECE },
            flags: if options.blocking {
                RecvFlags::empty()
            } else {
                RecvFlags::DONTWAIT
            },
        })
    }

    /// Returns when somebody listens at the other end: until then, each datagram provokes an error
    /// for the next one.
    fn wait_for_peer(&self) -> io::Result<()> {
        for _ in 0..5_000 {
            let first = self.socket.send(&[]);
            std::thread::sleep(Duration::from_millis(1));
            if first.is_ok() && self.socket.send(&[]).is_ok() {
                return Ok(());
            }
        }
        Err(io::ErrorKind::ConnectionRefused.into())
    }

    fn send(&self, number: u64, sample: &mut [u8]) -> io::Result<()> {
        sample
            .chunks_mut(self.piece)
            .try_for_each(|piece| self.send_piece(number, piece))
    }

    fn send_piece(&self, number: u64, piece: &mut [u8]) -> io::Result<()> {
        if let Some(place) = piece.first_chunk_mut::<NUMBER>() {
            *place = number.to_le_bytes();
        }
        match self.socket.send(piece) {
            Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => Err(error),
            _ => Ok(()),
        }
    }

    /// Receives a whole sample and gives its number; `None` at the deadline.
    fn receive(&self, sample: &mut [u8], deadline: u64) -> io::Result<Option<u64>> {
        let mut filled = 0;
        let mut current = None;
        while filled < sample.len() {
            let end = sample.len().min(filled + self.piece);
            let Some(length) = self.receive_piece(&mut sample[filled..end], deadline)? else {
                return Ok(None);
            };
            let Some(number) = sample[filled..]
                .first_chunk::<NUMBER>()
                .filter(|_| length > NUMBER)
            else {
                continue;
            };
            let number = u64::from_le_bytes(*number);
            if current != Some(number) {
                // The rest of the sample before was lost.
                sample.copy_within(filled..filled + length, 0);
                (current, filled) = (Some(number), 0);
            }
            filled += length;
        }
        Ok(current)
    }

    fn receive_piece(&self, place: &mut [u8], deadline: u64) -> io::Result<Option<usize>> {
        let mut polls = 0u32;
        loop {
            match recv(&self.socket, &mut *place, self.flags) {
                Ok((length, _)) => return Ok(Some(length)),
                Err(Errno::AGAIN | Errno::INTR | Errno::CONNREFUSED) => {}
                Err(error) => return Err(error.into()),
            }
            polls = polls.wrapping_add(1);
            let look = !self.flags.contains(RecvFlags::DONTWAIT) || polls.is_multiple_of(POLLS);
            if look && now() >= deadline {
                return Ok(None);
            }
        }
    }
}
