//! The names under which participants listen, and who is found by them.
//!
//! Anybody can take any name, also one that says our user. So the kernel is asked who made each
//! socket, before any is counted: however many names others take, our own are found beside them.
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};
use rustix::net::{recv, send, socket_with};

use crate::Error;
use crate::hello::Identity;

/// So many are listed.
const MOST: usize = 4096;

/// What all names begin with.
const VERSION: &str = "dunlin-shm-1.";

pub(crate) fn name(group: u32, identity: &Identity) -> String {
    let user = rustix::process::geteuid().as_raw();
    let number = u128::from_be_bytes(*identity);
    format!("{VERSION}{user}.{group:08x}.{number:032x}")
}

/// The identities of our user that listen in a group, in the network namespace of this process; at
/// most 4096. Names that others have taken are passed over where the kernel tells whose they are
/// (sock_diag, Linux 5.3); elsewhere the list is a hint.
///
/// # Errors
/// `System` if the kernel tells of no names.
pub fn neighbours(group: u32) -> Result<Vec<Identity>, Error> {
    let user = rustix::process::geteuid().as_raw();
    listed(group, |named, owner| {
        named == user && owner.is_none_or(|owner| owner == user)
    })
}

/// The identities that other users have in a group, in the network namespace of this process; at
/// most 4096. For people who wonder why nobody is found: they share no memory with us.
///
/// # Errors
/// `System` if the kernel tells of no names.
pub fn strangers(group: u32) -> Result<Vec<Identity>, Error> {
    let user = rustix::process::geteuid().as_raw();
    listed(group, |named, owner| {
        named != user && owner.is_none_or(|owner| owner == named)
    })
}

/// `wanted` is given the user that a name says, and the one that has it, if the kernel tells.
fn listed(group: u32, wanted: impl Fn(u32, Option<u32>) -> bool) -> Result<Vec<Identity>, Error> {
    let infix = format!(".{group:08x}.");
    let mut found = Vec::new();
    let mut take = |name: &[u8], owner: Option<u32>| {
        found.extend(
            parse(name, &infix)
                .filter(|(named, _)| wanted(*named, owner))
                .map(|(_, identity)| identity),
        );
    };
    if ask_kernel(&mut take).is_err() {
        // Without sock_diag, or not all of it was told. Names may come twice.
        let table = std::fs::read("/proc/net/unix")?;
        for line in table.split(|&byte| byte == b'\n') {
            let name = line.rsplit(|&byte| byte == b' ').next();
            if let Some(name) = name.and_then(|name| name.strip_prefix(b"@")) {
                take(name, None);
            }
        }
    }
    // Each connection that was accepted has the listener's name, too.
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST);
    Ok(found)
}

/// The user and the identity that a name of the group says.
fn parse(name: &[u8], infix: &str) -> Option<(u32, Identity)> {
    let name = std::str::from_utf8(name).ok()?.strip_prefix(VERSION)?;
    let at = name.find('.')?;
    let (user, rest) = name.split_at_checked(at)?;
    let digits = rest.strip_prefix(infix).filter(|rest| rest.len() == 32)?;
    let number = u128::from_str_radix(digits, 16).ok()?;
    Some((user.parse().ok()?, number.to_be_bytes()))
}

// linux/netlink.h, linux/sock_diag.h and linux/unix_diag.h.
const HEADER: usize = 16;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const REQUEST_DUMP: u16 = 0x301;
const LISTENING: u32 = 1 << 10;
const SHOW_NAME_AND_UID: u32 = 0x41;
/// Before the attributes of a socket.
const UNIX_DIAG_MSG: usize = 16;
const UNIX_DIAG_NAME: u16 = 0;
const UNIX_DIAG_UID: u16 = 7;
/// More than the kernel puts into one part of its answer.
const LONGEST_PART: usize = 64 << 10;

/// Has the kernel name all sockets that listen, with their owners. Names in the abstract namespace
/// come without their leading zero.
fn ask_kernel(take: &mut impl FnMut(&[u8], Option<u32>)) -> Result<(), Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let kind = (AddressFamily::NETLINK, SocketType::RAW);
    let socket = socket_with(kind.0, kind.1, flags, Some(netlink::SOCK_DIAG))?;
    send(&socket, &request(), SendFlags::empty())?;
    let mut part = vec![0; LONGEST_PART];
    loop {
        // The kernel makes the parts as they are taken, so there is no waiting.
        let (length, _) = recv(&socket, &mut *part, RecvFlags::TRUNC)?;
        let mut rest = part.get(..length).ok_or(Errno::MSGSIZE)?;
        if rest.is_empty() {
            return Err(Errno::PROTO);
        }
        while let Some(message) = next(&mut rest, |head| u32_at(head, 0)) {
            match u16_at(message, 4) {
                Some(NLMSG_DONE) => return Ok(()),
                Some(SOCK_DIAG_BY_FAMILY) => tell(message, take),
                Some(NLMSG_ERROR) | None => return Err(Errno::NOTSUP),
                Some(_) => {}
            }
        }
    }
}

fn request() -> Vec<u8> {
    const LENGTH: u32 = 40;
    let mut bytes = Vec::new();
    bytes.extend(LENGTH.to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST_DUMP.to_ne_bytes());
    // Number and sender, which nobody asks for.
    bytes.extend([0; 8]);
    // AF_UNIX, and a protocol and padding of zero.
    bytes.extend([1, 0, 0, 0]);
    // States, any inode, what to show, and a cookie that is not used.
    for word in [LISTENING, 0, SHOW_NAME_AND_UID, 0, 0] {
        bytes.extend(word.to_ne_bytes());
    }
    bytes
}

/// One socket's name and owner.
fn tell(message: &[u8], take: &mut impl FnMut(&[u8], Option<u32>)) {
    let mut rest = message.get(HEADER + UNIX_DIAG_MSG..).unwrap_or(&[]);
    let (mut name, mut owner) = (None, None);
    while let Some(attribute) = next(&mut rest, |head| u16_at(head, 0).map(u32::from)) {
        match u16_at(attribute, 2) {
            Some(UNIX_DIAG_NAME) => name = attribute.get(4..),
            Some(UNIX_DIAG_UID) => owner = u32_at(attribute, 4),
            _ => {}
        }
    }
    if let Some(name) = name.and_then(|name| name.strip_prefix(&[0])) {
        take(name, owner);
    }
}

/// Takes what is as long as its head says, and what pads it to four bytes.
fn next<'a>(rest: &mut &'a [u8], length: impl FnOnce(&[u8]) -> Option<u32>) -> Option<&'a [u8]> {
    let length = usize::try_from(length(rest)?).ok();
    let length = length.filter(|length| *length >= 4)?;
    let this = rest.get(..length)?;
    *rest = rest.get(length.next_multiple_of(4)..).unwrap_or(&[]);
    Some(this)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let (bytes, _) = bytes.get(at..)?.split_first_chunk()?;
    Some(u16::from_ne_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let (bytes, _) = bytes.get(at..)?.split_first_chunk()?;
    Some(u32::from_ne_bytes(*bytes))
}
