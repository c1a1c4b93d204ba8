//! The system calls that samples make, without the C library's wrappers around them: those are
//! points where a thread may be cancelled, and in a process with threads that costs more than the
//! rest of the wrapper.
use std::io;
use std::mem::MaybeUninit;

/// Sends `bytes` on a connected socket; returns at once.
#[inline]
pub(crate) fn send(fd: i32, bytes: &[u8]) -> io::Result<usize> {
    let no_address = std::ptr::null::<libc::sockaddr>();
    // SAFETY: the bytes are borrowed for the call, with their length; there is no address.
    let result = unsafe {
        libc::syscall(
            libc::SYS_sendto,
            fd,
            bytes.as_ptr(),
            bytes.len(),
            libc::MSG_DONTWAIT,
            no_address,
            0_usize,
        )
    };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Sends what `header` describes; returns at once.
///
/// # Safety
/// The pointers in `header` point to as much as it says, until the call returns.
#[inline]
pub(crate) unsafe fn send_message(fd: i32, header: &libc::msghdr) -> io::Result<usize> {
    let header = std::ptr::from_ref(header);
    // SAFETY: the header is borrowed for the call, and the caller answers for what it points to.
    let result = unsafe { libc::syscall(libc::SYS_sendmsg, fd, header, libc::MSG_DONTWAIT) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Receives into `room`; returns the length, which may be more than fits if `flags` has MSG_TRUNC,
/// and the sender.
#[inline]
pub(crate) fn receive_from(
    fd: i32,
    room: &mut [MaybeUninit<u8>],
    flags: libc::c_int,
) -> io::Result<(usize, libc::sockaddr_in)> {
    let mut name = MaybeUninit::<libc::sockaddr_in>::zeroed();
    let mut name_length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    // SAFETY: name and its length live in this frame; the room is borrowed by it, with its length.
    let length = unsafe {
        libc::syscall(
            libc::SYS_recvfrom,
            fd,
            room.as_mut_ptr(),
            room.len(),
            flags,
            name.as_mut_ptr(),
            &raw mut name_length,
        )
    };
    let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: zeroed above, and every bit pattern is a `sockaddr_in`.
    Ok((length, unsafe { name.assume_init() }))
}
