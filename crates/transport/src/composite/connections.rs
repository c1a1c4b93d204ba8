//! A receiver of datagrams that has connections beside it.
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_wire::Locator;

use super::Waits;
use crate::tcp::{Connections, TcpReceiver, TcpTransport};
use crate::traits::{
    Listen, ReceiveStatistics, Received, ReceivedLoan, Receiver, Reception, Wait, Waker,
};

/// Looks at datagrams for one at the connections, while nothing comes by these.
const LOOKS: u32 = 256;

/// One receiver of both.
pub(super) struct WithConnections {
    datagrams: Box<dyn Waits>,
    /// Where a port for connections is opened.
    connections: Connections,
    /// That port, once the receiver listens at one.
    stream: Option<TcpReceiver>,
    /// At datagrams, since the last at the connections.
    looks: u32,
    /// Something came by a connection when they were looked at last.
    busy: bool,
}

impl WithConnections {
    pub(super) fn new(datagrams: Box<dyn Waits>, tcp: &TcpTransport) -> Self {
        Self {
            datagrams,
            connections: tcp.connections(),
            stream: None,
            looks: 0,
            busy: false,
        }
    }

    fn by_connection(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Received>> {
        self.looks = 0;
        let Some(stream) = &mut self.stream else {
            return Ok(None);
        };
        let received = stream.receive(buffer, Wait::Poll)?;
        self.busy = received.is_some();
        Ok(received)
    }

    /// Connections have their turn if datagrams have had theirs, so that neither hides the other.
    fn is_turn_of_connections(&self) -> bool {
        self.stream.is_some() && self.looks >= if self.busy { 1 } else { LOOKS }
    }

    fn announced_by_stream(&self) -> usize {
        self.stream.as_ref().map_or(0, Receiver::announced)
    }

    fn poll(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Received>> {
        // Who has asked for a larger buffer gets it.
        if self.announced_by_stream() > 0 {
            return self.by_connection(buffer);
        }
        if self.datagrams.announced() > 0 || !self.is_turn_of_connections() {
            self.looks = self.looks.saturating_add(1);
            let received = self.datagrams.receive(buffer, Wait::Poll)?;
            let is_over = received.is_none() && self.datagrams.announced() == 0;
            if !(is_over && self.is_turn_of_connections()) {
                return Ok(received);
            }
        }
        self.by_connection(buffer)
    }

    /// Looks everywhere.
    fn sweep(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Received>> {
        let received = self.datagrams.sweep(buffer)?;
        if received.is_some() || self.datagrams.announced() > 0 {
            return Ok(received);
        }
        self.by_connection(buffer)
    }

    fn wait(
        &mut self,
        buffer: &mut BytesMut,
        deadline: Option<Instant>,
    ) -> io::Result<Option<Received>> {
        loop {
            let received = self.sweep(buffer)?;
            if received.is_some() || self.announced() > 0 || self.datagrams.was_woken() {
                return Ok(received);
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            match &mut self.stream {
                None => self.datagrams.sleep(&[], left)?,
                Some(stream) => {
                    let most = stream.longest_sleep();
                    let left = left.into_iter().chain(most).min();
                    self.datagrams.sleep(&stream.descriptors(), left)?;
                    stream.rouse();
                }
            }
        }
    }
}

impl Receiver for WithConnections {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let received = self.poll(buffer)?;
        match wait {
            Wait::Until(deadline) if received.is_none() && self.announced() == 0 => {
                self.wait(buffer, deadline)
            }
            _ => Ok(received),
        }
    }

    fn listen_at(&mut self, place: Listen) -> io::Result<()> {
        if self.stream.is_some() {
            let why = "this receiver listens at a port for connections already";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        self.stream = Some(self.connections.listen(place)?);
        Ok(())
    }

    fn watch_addresses(&mut self) {
        self.datagrams.watch_addresses();
    }

    fn announced(&self) -> usize {
        match self.announced_by_stream() {
            0 => self.datagrams.announced(),
            announced => announced,
        }
    }

    fn flows(&mut self) -> bool {
        let flows = self.stream.as_mut().is_some_and(Receiver::flows);
        self.datagrams.flows() || flows
    }

    fn is_ready(&self) -> bool {
        self.datagrams.is_ready() || self.stream.as_ref().is_some_and(Receiver::is_ready)
    }

    /// Of the last one that came by no connection.
    fn was_multicast(&self) -> bool {
        self.datagrams.was_multicast()
    }

    fn rest_groups(&mut self, pause: Duration) {
        self.datagrams.rest_groups(pause);
    }

    fn loan(&mut self) -> Option<ReceivedLoan> {
        self.datagrams.loan()
    }

    fn waker(&self) -> Arc<dyn Waker> {
        self.datagrams.waker()
    }

    fn locators(&self) -> Vec<Locator> {
        let mut all = self.datagrams.locators();
        all.extend(self.stream.iter().flat_map(Receiver::locators));
        all
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        let datagrams = self.datagrams.statistics();
        match &self.stream {
            None => datagrams,
            Some(stream) => Arc::new(Both {
                datagrams,
                stream: stream.statistics(),
            }),
        }
    }
}

/// Datagrams are lost if their queue is too short, so its size is the one that is told.
struct Both {
    datagrams: Arc<dyn ReceiveStatistics>,
    stream: Arc<dyn ReceiveStatistics>,
}

impl ReceiveStatistics for Both {
    fn read(&self) -> Reception {
        let (datagrams, stream) = (self.datagrams.read(), self.stream.read());
        Reception {
            dropped: datagrams.dropped + stream.dropped,
            oversized: datagrams.oversized + stream.oversized,
            ..datagrams
        }
    }
}
