//! The floor of TLS: one TCP connection and the seals of its records, and nothing else.
//!
//! A sample is cut into the longest records that TLS has, each sealed with AES-128-GCM as a record
//! is (RFC 8446 section 5.2), the number of the sample in front. Nobody agrees on keys: they are
//! the same in every run.
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::error::Unspecified;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::Outcome;
use crate::options::{Options, Role};
use crate::stream::{self, Tally};

const PORT: u16 = 17_402;
/// Bytes that a record carries, and those around them.
const CARRIED: usize = 16 * 1024;
const HEAD: usize = 5;
const TAIL: usize = 17;
const RECORD: usize = HEAD + CARRIED + TAIL;
/// Records that are sent at once: more would not fit into one packet of loopback.
const TOGETHER: usize = 3;
/// Bytes that are received at once.
const ROOM: usize = 128 * 1024;
const NUMBER: usize = size_of::<u64>();

/// Runs one side.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    if !options.size.is_multiple_of(CARRIED) {
        return Err(format!("sizes are multiples of {CARRIED} here").into());
    }
    match options.role {
        Role::Send => {
            let mut sender = Sender::connect(options.size)?;
            Ok(stream::send(
                options,
                |number| sender.send(number),
                || Ok(()),
            )?)
        }
        Role::Receive => {
            let (socket, _) = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT))?.accept()?;
            let tally = Arc::new(Tally::default());
            let (thread, size) = (Arc::clone(&tally), options.size);
            std::thread::spawn(move || {
                if let Err(error) = count(&socket, size, &thread) {
                    eprintln!("{error}");
                    std::process::exit(1);
                }
            });
            tally.watch(options);
            Ok(())
        }
        _ => Err("sealed records are only streamed".into()),
    }
}

/// A key, and the number of the next record.
struct Keys {
    key: LessSafeKey,
    next: u64,
}

impl Keys {
    fn new() -> Result<Self, Unspecified> {
        let key = UnboundKey::new(&AES_128_GCM, &[7; 16])?;
        Ok(Self {
            key: LessSafeKey::new(key),
            next: 0,
        })
    }

    fn nonce(&mut self) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        if let Some(place) = nonce.last_chunk_mut() {
            *place = self.next.to_be_bytes();
        }
        self.next += 1;
        Nonce::assume_unique_for_key(nonce)
    }
}

fn broken(_: Unspecified) -> io::Error {
    io::Error::other("a seal is broken")
}

struct Sender {
    socket: TcpStream,
    keys: Keys,
    sample: Vec<u8>,
    sealed: Vec<u8>,
}

impl Sender {
    /// The receiver may still be about to listen.
    fn connect(size: usize) -> io::Result<Self> {
        let to = (Ipv4Addr::LOCALHOST, PORT);
        let mut left = 5_000;
        let socket = loop {
            match TcpStream::connect(to) {
                Err(_) if left > 0 => std::thread::sleep(Duration::from_millis(1)),
                outcome => break outcome?,
            }
            left -= 1;
        };
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            keys: Keys::new().map_err(broken)?,
            sample: vec![0; size],
            sealed: Vec::with_capacity(TOGETHER * RECORD),
        })
    }

    fn send(&mut self, number: u64) -> io::Result<()> {
        if let Some(place) = self.sample.first_chunk_mut::<NUMBER>() {
            *place = number.to_le_bytes();
        }
        for some in self.sample.chunks(TOGETHER * CARRIED) {
            self.sealed.clear();
            for carried in some.chunks(CARRIED) {
                let [high, low] = ((CARRIED + TAIL) as u16).to_be_bytes();
                let head = [23, 3, 3, high, low];
                self.sealed.extend_from_slice(&head);
                let start = self.sealed.len();
                self.sealed.extend_from_slice(carried);
                self.sealed.push(23);
                let nonce = self.keys.nonce();
                let plain = &mut self.sealed[start..];
                let seal = self
                    .keys
                    .key
                    .seal_in_place_separate_tag(nonce, Aad::from(head), plain);
                self.sealed
                    .extend_from_slice(seal.map_err(broken)?.as_ref());
            }
            let mut left = self.sealed.as_slice();
            while !left.is_empty() {
                match send(&self.socket, left, SendFlags::DONTWAIT) {
                    Ok(sent) => left = &left[sent..],
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }
}

/// Opens what comes and copies it into a sample, for ever or until the sender has gone.
fn count(socket: &TcpStream, size: usize, tally: &Tally) -> io::Result<()> {
    let mut keys = Keys::new().map_err(broken)?;
    let mut sample = vec![0; size];
    let mut filled = 0;
    let mut room = vec![0; ROOM];
    let mut end = 0;
    loop {
        match recv(socket, &mut room[end..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => return Ok(()),
            Ok((length, _)) => end += length,
            Err(Errno::AGAIN | Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let whole = end - end % RECORD;
        for record in room[..whole].chunks_mut(RECORD) {
            let (head, sealed) = record.split_at_mut(HEAD);
            let nonce = keys.nonce();
            let opened = keys.key.open_in_place(nonce, Aad::from(&*head), sealed);
            let opened = opened.map_err(broken)?;
            sample[filled..filled + CARRIED].copy_from_slice(&opened[..CARRIED]);
            filled += CARRIED;
            if filled == size {
                filled = 0;
                if let Some(number) = sample.first_chunk::<NUMBER>() {
                    tally.received(u64::from_le_bytes(*number));
                }
            }
        }
        room.copy_within(whole..end, 0);
        end -= whole;
    }
}
