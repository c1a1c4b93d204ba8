//! What the kernel is told of a datagram besides its bytes: control messages, as they stand in
//! memory.
use std::ffi::c_void;
use std::mem;
use std::net::Ipv4Addr;

use crate::Egress;

/// The control messages of one message to the kernel, one behind the other as CMSG_NXTHDR finds
/// them.
#[repr(C, align(8))]
pub(crate) struct Control {
    bytes: [u8; ROOM],
    used: usize,
}

/// Bytes that a control message with `length` bytes of data takes.
const fn space(length: usize) -> usize {
    // SAFETY: it only computes.
    unsafe { libc::CMSG_SPACE(length as libc::c_uint) as usize }
}

const ROOM: usize = space(size_of::<libc::in_pktinfo>())
    + space(size_of::<libc::c_int>())
    + space(size_of::<u16>());

impl Control {
    pub(crate) const EMPTY: Self = Self {
        bytes: [0; ROOM],
        used: 0,
    };

    /// Nothing, if there is neither an interface nor a code point to tell.
    #[inline]
    pub(crate) fn set(&mut self, via: Option<Egress>, dscp: u8) {
        if let Some(via) = via {
            // SAFETY: numbers, for which zero is a value.
            let mut info: libc::in_pktinfo = unsafe { mem::zeroed() };
            info.ipi_ifindex = via.index as _;
            info.ipi_spec_dst = in_addr(via.source);
            self.push(libc::IPPROTO_IP, libc::IP_PKTINFO, info);
        }
        if dscp != 0 {
            // The low two bits of the byte belong to congestion notification (RFC 3168).
            let tos = libc::c_int::from(dscp & 0x3f) << 2;
            self.push(libc::IPPROTO_IP, libc::IP_TOS, tos);
        }
    }

    /// Has the kernel cut the bytes of the message into datagrams of `size` bytes (UDP_SEGMENT).
    pub(crate) fn set_segments(&mut self, size: u16) {
        self.push(libc::SOL_UDP, libc::UDP_SEGMENT, size);
    }

    /// Where the messages are, and how long they are; valid while `self` stays where it is.
    #[inline]
    pub(crate) fn place(&mut self) -> (*mut c_void, usize) {
        match self.used {
            0 => (std::ptr::null_mut(), 0),
            used => (self.bytes.as_mut_ptr().cast(), used),
        }
    }

    #[inline]
    fn push<T: Copy>(&mut self, level: libc::c_int, kind: libc::c_int, data: T) {
        let Some(room) = self
            .bytes
            .get_mut(self.used..self.used + space(size_of::<T>()))
        else {
            debug_assert!(false, "each kind is pushed once");
            return;
        };
        // SAFETY: numbers, for which zero is a value.
        let mut header: libc::cmsghdr = unsafe { mem::zeroed() };
        // SAFETY: it only computes.
        header.cmsg_len = unsafe { libc::CMSG_LEN(size_of::<T>() as libc::c_uint) } as _;
        header.cmsg_level = level;
        header.cmsg_type = kind;
        let at = room.as_mut_ptr();
        // SAFETY: `room` has the bytes for a header and the data behind it, with the padding that
        // CMSG_SPACE puts between and after them.
        unsafe {
            at.cast::<libc::cmsghdr>().write_unaligned(header);
            at.add(space(0)).cast::<T>().write_unaligned(data);
        }
        self.used += space(size_of::<T>());
    }
}

pub(crate) fn in_addr(ip: Ipv4Addr) -> libc::in_addr {
    libc::in_addr {
        s_addr: u32::from_ne_bytes(ip.octets()),
    }
}
