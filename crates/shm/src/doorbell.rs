//! Sleeping until one of many senders has something, or a thread of this process wants us.
//!
//! A reader cannot sleep on a word of its own, since nobody else may write it, and a message
//! between its last look and its sleep would be missed. So it sleeps on the bells of all its
//! senders at once (`futex_waitv`, which works on memory that we can only read), each in that
//! sender's own segment, and on a private word for threads of this process. A sender counts up its
//! bell, and makes a system call, only for a reader that says that it sleeps.
//!
//! The kernel takes 128 words at most, and cannot wait for sockets and words at once. So there is a
//! second way, which has no limit and joins with other sockets: the reader says that it polls the
//! connections' sockets, and its senders send a byte. No way gives a peer something that other
//! peers need.
//!
//! The invariant of the `unsafe` blocks: the words whose addresses the kernel gets stay mapped
//! until the call returns, since the receivers and the doorbell that keep them are borrowed for it.
use std::borrow::BorrowMut;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

use arrayvec::ArrayVec;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::Errno;
use rustix::thread::futex::{self, Wait, WaitFlags, WaitPtr, WaitvFlags};
use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::{Error, Receiver, Sleep};

/// Words that the kernel waits for at once.
const WORDS: usize = 128;

const AWAKE: u32 = 0;
const IN_FUTEX: u32 = 1;
const IN_POLL: u32 = 2;

/// Why a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There may be messages, or one of the sockets is ready.
    Ready,
    /// A [`Waker`] was used.
    Waker,
    /// The time is over.
    Timeout,
}

/// What a reading thread sleeps on.
#[derive(Debug)]
pub struct Doorbell {
    waker: Waker,
    seen: u32,
    /// Of the sockets that were polled last, those that had something.
    ready: Vec<usize>,
}

/// Wakes the thread that sleeps on a [`Doorbell`], from any thread of its process.
#[derive(Clone, Debug)]
pub struct Waker(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    word: AtomicU32,
    asleep: AtomicU32,
    event: OwnedFd,
}

impl Waker {
    /// Ends the current wait, or the next one if there is none. No system call if nobody sleeps.
    pub fn wake(&self) {
        self.0.word.fetch_add(1, Ordering::SeqCst);
        // Pairs with the fence in `Doorbell::begin`: it sees the new word, or we see that it
        // sleeps.
        fence(Ordering::SeqCst);
        match self.0.asleep.load(Ordering::SeqCst) {
            IN_FUTEX => {
                let _ = futex::wake(&self.0.word, futex::Flags::PRIVATE, 1);
            }
            IN_POLL => {
                let _ = rustix::io::write(&self.0.event, &1_u64.to_ne_bytes());
            }
            _ => {}
        }
    }
}

impl Doorbell {
    /// Makes a doorbell for one thread.
    ///
    /// # Errors
    /// `System` if there is no file descriptor left.
    pub fn new() -> Result<Self, Error> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self {
            waker: Waker(Arc::new(Inner {
                word: AtomicU32::new(0),
                asleep: AtomicU32::new(AWAKE),
                event,
            })),
            seen: 0,
            ready: Vec::new(),
        })
    }

    /// For other threads of this process.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Sleeps until one of the receivers has something, a waker is used, or the time is over.
    ///
    /// A peer's death wakes nobody here: whoever watches the connections uses a waker.
    ///
    /// # Errors
    /// `Limit` for more than 127 receivers, `System` where the kernel has no `futex_waitv` (Linux
    /// before 5.16): use [`Self::wait_polling`] then.
    pub fn wait<R: BorrowMut<Receiver>>(
        &mut self,
        receivers: &mut [R],
        timeout: Duration,
    ) -> Result<Woken, Error> {
        if receivers.len() >= WORDS {
            return Err(Error::Limit("the kernel waits for 127 senders at once"));
        }
        let mut words = ArrayVec::<Wait, WORDS>::new();
        // The bells before we say that we sleep: one that rings after that differs from what the
        // kernel is told.
        for receiver in receivers.iter() {
            let (value, address) = receiver.borrow().bell();
            words.push(futex_word(address, value, WaitFlags::SIZE_U32));
        }
        let own = &self.waker.0.word;
        let flags = WaitFlags::SIZE_U32 | WaitFlags::PRIVATE;
        words.push(futex_word(own.as_ptr(), self.seen, flags));
        let woken = self.begin(receivers, Sleep::Futex, IN_FUTEX);
        let woken = woken.map_or_else(|| sleep(&words, timeout), Ok);
        self.end(receivers, woken)
    }

    /// The same by polling sockets: of the connections that the receivers belong to, and any
    /// others.
    ///
    /// The bytes that peers have sent to wake us wait in the connections that are
    /// [`Self::ready`]: see [`crate::ControlSocket::control`].
    ///
    /// # Errors
    /// `System` if the kernel refuses.
    pub fn wait_polling<R: BorrowMut<Receiver>>(
        &mut self,
        receivers: &mut [R],
        sockets: &[BorrowedFd<'_>],
        timeout: Duration,
    ) -> Result<Woken, Error> {
        self.ready.clear();
        let woken = self.begin(receivers, Sleep::Socket, IN_POLL);
        let woken = woken.map_or_else(|| self.poll(sockets, timeout), Ok);
        self.end(receivers, woken)
    }

    /// The places of those sockets in the list of the last [`Self::wait_polling`] that had
    /// something when it ended; none if it ended without asking.
    pub fn ready(&self) -> &[usize] {
        &self.ready
    }

    fn poll(&mut self, sockets: &[BorrowedFd<'_>], timeout: Duration) -> Result<Woken, Error> {
        let own = std::iter::once(self.waker.0.event.as_fd());
        let all = own.chain(sockets.iter().copied());
        let mut all: Vec<_> = all
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let limit = Timespec::try_from(timeout).ok();
        let polled = poll(&mut all, limit.as_ref());
        if let Ok(1..) = polled {
            let others = all.iter().skip(1).enumerate();
            let ready = others.filter(|(_, fd)| !fd.revents().is_empty());
            self.ready.extend(ready.map(|(place, _)| place));
        }
        match polled {
            Ok(0) => Ok(Woken::Timeout),
            Ok(_) if !all[0].revents().is_empty() => {
                let _ = rustix::io::read(&self.waker.0.event, &mut [0; 8]);
                Ok(Woken::Waker)
            }
            Ok(_) | Err(Errno::INTR) => Ok(Woken::Ready),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Tells everybody that we are about to sleep; returns why we need not.
    fn begin<R: BorrowMut<Receiver>>(
        &mut self,
        receivers: &mut [R],
        how: Sleep,
        state: u32,
    ) -> Option<Woken> {
        self.waker.0.asleep.store(state, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut ready = false;
        for receiver in receivers {
            ready |= receiver.borrow_mut().fall_asleep(how);
        }
        if self.waker.0.word.load(Ordering::SeqCst) != self.seen {
            return Some(Woken::Waker);
        }
        ready.then_some(Woken::Ready)
    }

    fn end<R: BorrowMut<Receiver>>(
        &mut self,
        receivers: &mut [R],
        woken: Result<Woken, Error>,
    ) -> Result<Woken, Error> {
        for receiver in receivers {
            receiver.borrow_mut().wake_up();
        }
        self.waker.0.asleep.store(AWAKE, Ordering::SeqCst);
        let word = self.waker.0.word.load(Ordering::SeqCst);
        let called = word != self.seen;
        self.seen = word;
        if called && woken.is_ok() {
            Ok(Woken::Waker)
        } else {
            woken
        }
    }
}

fn futex_word(address: *mut u32, value: u32, flags: WaitFlags) -> Wait {
    let mut wait = Wait::new();
    wait.val = value.into();
    wait.uaddr = WaitPtr::new(address.cast());
    wait.flags = flags;
    wait
}

fn sleep(words: &[Wait], timeout: Duration) -> Result<Woken, Error> {
    let now = clock_gettime(ClockId::Monotonic);
    let limit = Timespec::try_from(timeout)
        .ok()
        .and_then(|timeout| now.checked_add(timeout));
    match futex::waitv(
        words,
        WaitvFlags::empty(),
        limit.as_ref(),
        ClockId::Monotonic,
    ) {
        Ok(_) | Err(Errno::AGAIN | Errno::INTR) => Ok(Woken::Ready),
        Err(Errno::TIMEDOUT) => Ok(Woken::Timeout),
        Err(errno) => Err(errno.into()),
    }
}

/// Wakes whoever sleeps on a bell of ours in another process.
pub(crate) fn wake_shared(bell: *mut u32) {
    // SAFETY: a word of our own segment, aligned and mapped as long as the sender that calls us;
    // the kernel only uses its address.
    let bell = unsafe { AtomicU32::from_ptr(bell) };
    let _ = futex::wake(bell, futex::Flags::empty(), 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinkSize;
    use crate::ring::pair;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_message_ends_the_sleep_of_a_reader_of_many() {
        let mut ends: Vec<_> = (0..5).map(|_| pair(LinkSize::default())).collect();
        let mut receivers: Vec<_> = Vec::new();
        let mut senders = Vec::new();
        for [(sender, _), (_, receiver)] in ends.drain(..) {
            senders.push(sender);
            receivers.push(receiver);
        }
        let mut doorbell = Doorbell::new().unwrap();
        assert_eq!(
            doorbell
                .wait(&mut receivers, Duration::from_millis(1))
                .unwrap(),
            Woken::Timeout
        );
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            senders[3].try_send(&[b"hello"]).unwrap();
            senders[3].notify();
            senders
        });
        assert_eq!(doorbell.wait(&mut receivers, LONG).unwrap(), Woken::Ready);
        let _senders = writer.join().unwrap();
        assert!(receivers[3].is_ready());
        assert_eq!(
            doorbell.wait(&mut receivers, LONG).unwrap(),
            Woken::Ready,
            "there still is something"
        );
    }

    #[test]
    fn a_waker_ends_this_sleep_or_the_next() {
        let mut doorbell = Doorbell::new().unwrap();
        let waker = doorbell.waker();
        waker.wake();
        let mut none: [Receiver; 0] = [];
        assert_eq!(doorbell.wait(&mut none, LONG).unwrap(), Woken::Waker);
        for polling in [false, true] {
            let waker = waker.clone();
            let other = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                waker.wake();
            });
            let woken = if polling {
                doorbell.wait_polling(&mut none, &[], LONG)
            } else {
                doorbell.wait(&mut none, LONG)
            };
            assert_eq!(woken.unwrap(), Woken::Waker);
            other.join().unwrap();
        }
        assert_eq!(
            doorbell.wait(&mut none, Duration::from_millis(1)).unwrap(),
            Woken::Timeout
        );
    }

    #[test]
    fn more_than_the_kernel_takes_is_refused() {
        let one = |_| {
            let [_, (_, receiver)] = pair(LinkSize { slots: 2, loans: 0 });
            receiver
        };
        let mut receivers: Vec<_> = (0..128).map(one).collect();
        let mut doorbell = Doorbell::new().unwrap();
        assert!(matches!(
            doorbell.wait(&mut receivers, LONG),
            Err(Error::Limit(_))
        ));
        receivers.pop();
        assert_eq!(
            doorbell
                .wait(&mut receivers, Duration::from_millis(1))
                .unwrap(),
            Woken::Timeout
        );
    }
}
