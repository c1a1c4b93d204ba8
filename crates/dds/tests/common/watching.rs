//! A transport that shows a test what is sent.
use dunlin::Locator;
use dunlin::transport::{Listen, Outgoing, Reach, Receiver, Sent, Transport, TransportProperties};
use std::io;

/// Calls `sees` with each datagram before `inner` sends it. Only what must be is passed on, so
/// nothing goes by a lane.
pub(crate) struct Watching<T, F> {
    pub(crate) inner: T,
    pub(crate) sees: F,
}

impl<T: Transport, F: Fn(&Outgoing<'_>) + Send + Sync> Transport for Watching<T, F> {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        datagrams.iter().for_each(&self.sees);
        self.inner.send(datagrams)
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        self.inner.open(listen)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}
