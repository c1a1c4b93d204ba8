//! What the kernel is told of a datagram besides its bytes: control messages, as they stand in
//! memory.
use std::ffi::c_void;
use std::mem;
use std::net::Ipv4Addr;

use crate::Egress;

/// IP_PKTINFO: the layout that CMSG_LEN and CMSG_SPACE describe.
#[repr(C)]
struct PacketInfo {
    header: libc::cmsghdr,
    info: libc::in_pktinfo,
}

/// IP_TOS, for this datagram alone.
#[repr(C)]
struct Mark {
    header: libc::cmsghdr,
    tos: libc::c_int,
}

/// The control messages of one datagram, one behind the other.
#[repr(C)]
pub(crate) struct Control {
    info: PacketInfo,
    mark: Mark,
    has_info: bool,
    has_mark: bool,
}

const _: () = {
    // SAFETY: it only computes.
    let space = unsafe { libc::CMSG_SPACE(size_of::<libc::in_pktinfo>() as libc::c_uint) };
    // The second message stands where the kernel looks for it.
    assert!(mem::offset_of!(Control, mark) == space as usize);
};

impl Control {
    pub(crate) const EMPTY: Self = {
        // SAFETY: numbers, and `false`.
        unsafe { mem::zeroed() }
    };

    /// Nothing, if there is neither an interface nor a code point to tell.
    #[inline]
    pub(crate) fn set(&mut self, via: Option<Egress>, dscp: u8) {
        if let Some(via) = via {
            self.info = packet_info(via);
            self.has_info = true;
        }
        if dscp != 0 {
            self.mark = mark(dscp);
            self.has_mark = true;
        }
    }

    /// Where the messages are, and how long they are; valid while `self` stays where it is.
    #[inline]
    pub(crate) fn place(&mut self) -> (*mut c_void, usize) {
        let all = size_of::<PacketInfo>() + size_of::<Mark>();
        match (self.has_info, self.has_mark) {
            (false, false) => (std::ptr::null_mut(), 0),
            (true, false) => ((&raw mut self.info).cast(), size_of::<PacketInfo>()),
            (false, true) => ((&raw mut self.mark).cast(), size_of::<Mark>()),
            (true, true) => ((&raw mut *self).cast(), all),
        }
    }
}

fn packet_info(via: Egress) -> PacketInfo {
    let mut message = Control::EMPTY.info;
    let length = mem::offset_of!(PacketInfo, info) + size_of::<libc::in_pktinfo>();
    message.header.cmsg_len = length as _;
    message.header.cmsg_level = libc::IPPROTO_IP;
    message.header.cmsg_type = libc::IP_PKTINFO;
    message.info.ipi_ifindex = via.index as _;
    message.info.ipi_spec_dst = in_addr(via.source);
    message
}

fn mark(dscp: u8) -> Mark {
    let mut message = Control::EMPTY.mark;
    let length = mem::offset_of!(Mark, tos) + size_of::<libc::c_int>();
    message.header.cmsg_len = length as _;
    message.header.cmsg_level = libc::IPPROTO_IP;
    message.header.cmsg_type = libc::IP_TOS;
    // The low two bits of the byte belong to congestion notification (RFC 3168).
    message.tos = libc::c_int::from(dscp & 0x3f) << 2;
    message
}

pub(crate) fn in_addr(ip: Ipv4Addr) -> libc::in_addr {
    libc::in_addr {
        s_addr: u32::from_ne_bytes(ip.octets()),
    }
}
