//! Word from the kernel that interfaces or their addresses have changed (rtnetlink(7)).
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use socket2::{Domain, Protocol, SockAddr, Type};

/// A socket that is readable when an interface of this network namespace, or one of its IPv4
/// addresses, may have come, changed or gone.
///
/// What has changed is not read from it: [`crate::interfaces`] tells what there is now, also if the
/// kernel had no room for all that it had to say.
#[derive(Debug)]
pub struct AddressChanges {
    inner: socket2::Socket,
}

impl AddressChanges {
    /// Tells of what changes from now on.
    pub fn new() -> io::Result<Self> {
        let domain = Domain::from(libc::AF_NETLINK);
        let protocol = Protocol::from(libc::NETLINK_ROUTE);
        let inner = socket2::Socket::new(domain, Type::RAW, Some(protocol))?;
        inner.bind(&groups()?)?;
        inner.set_nonblocking(true)?;
        Ok(Self { inner })
    }

    /// True if something may have changed since this was asked last.
    pub fn take(&self) -> bool {
        let mut some = false;
        let mut message = [0; 4096];
        loop {
            match io::Read::read(&mut &self.inner, &mut message) {
                Ok(_) => some = true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It had more to say than there was room for.
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => some = true,
                Err(_) => return some,
            }
        }
    }
}

impl AsFd for AddressChanges {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

/// The groups of messages about interfaces and about IPv4 addresses.
fn groups() -> io::Result<SockAddr> {
    // SAFETY: the closure writes one whole `sockaddr_nl`, which the storage has room for, and
    // states its size; all zeroes is one.
    let (_, address) = unsafe {
        SockAddr::try_init(|storage, length| {
            let mut address: libc::sockaddr_nl = std::mem::zeroed();
            address.nl_family = libc::AF_NETLINK as u16;
            address.nl_groups = (libc::RTMGRP_LINK | libc::RTMGRP_IPV4_IFADDR) as u32;
            storage.cast::<libc::sockaddr_nl>().write(address);
            *length = size_of::<libc::sockaddr_nl>() as libc::socklen_t;
            Ok(())
        })?
    };
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_before_something_changes() {
        assert!(!AddressChanges::new().unwrap().take());
    }
}
