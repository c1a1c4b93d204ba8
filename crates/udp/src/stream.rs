//! Receiving from a stream: straight into a buffer that grows with what arrives.
use std::io;
use std::os::fd::BorrowedFd;

use bytes::BytesMut;
use rustix::net::{RecvFlags, recv};

/// Appends up to `most` bytes that a connected socket has to the spare capacity of `buffer`, which
/// does not grow; returns how many, 0 at the end of the stream or without room. Fails with
/// [`io::ErrorKind::WouldBlock`] if there are none yet.
pub fn append_from(fd: BorrowedFd<'_>, buffer: &mut BytesMut, most: usize) -> io::Result<usize> {
    let spare = buffer.spare_capacity_mut();
    let room = spare.len().min(most);
    let room = spare.get_mut(..room).unwrap_or_default();
    let length = loop {
        match recv(fd, &mut *room, RecvFlags::DONTWAIT) {
            Ok(((written, _), _)) => break written.len(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    // SAFETY: the kernel wrote `length` bytes at the start of the spare capacity, which holds them.
    unsafe { buffer.set_len(buffer.len() + length) };
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::os::fd::AsFd;

    #[test]
    fn what_arrives_is_appended_up_to_the_limit() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (receiver, _) = listener.accept().unwrap();
        let mut buffer = BytesMut::with_capacity(100);
        let nothing = append_from(receiver.as_fd(), &mut buffer, 10);
        assert_eq!(nothing.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        sender.write_all(b"hello, world").unwrap();
        drop(sender);
        while buffer.len() < 5 {
            let left = 5 - buffer.len();
            match append_from(receiver.as_fd(), &mut buffer, left) {
                Ok(length) => assert!(length > 0),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
        assert_eq!(&buffer[..], b"hello");
        let rest = std::iter::from_fn(|| append_from(receiver.as_fd(), &mut buffer, 100).ok());
        assert!(rest.take_while(|length| *length > 0).sum::<usize>() <= 7);
    }
}
