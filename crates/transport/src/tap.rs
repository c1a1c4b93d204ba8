//! A wrapper that writes what any transport carries to a pcap file, for Wireshark and tshark.
use crate::panics::log;
use crate::properties::TransportProperties;
use std::fs::File;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use bytes::BytesMut;
use dunlin_wire::Locator;

use crate::pcap;
use crate::send_path::SendPath;
use crate::traits::{
    Begun, Listen, Outgoing, Reach, ReceiveStatistics, Received, Receiver, Sent, Transport, Wait,
    Waker, Watcher,
};

/// A transport with its datagrams written down, those sent and those received.
///
/// Each is in the file as soon as it was sent or received, so that the capture of a killed process
/// is whole. A datagram sent shows the first locator that was opened as its source; one received
/// shows the first locator of its receiver as its destination. If the file cannot be written, the
/// capture ends with a warning and traffic goes on.
#[derive(Debug)]
pub struct Tap<T> {
    inner: T,
    capture: Arc<Capture>,
}

impl<T: Transport> Tap<T> {
    /// Writes to a new file at `path`; one that is there is replaced.
    pub fn create(inner: T, path: &Path) -> io::Result<Self> {
        Self::new(inner, File::create(path)?)
    }

    /// Writes to `file` from where it stands.
    pub fn new(inner: T, mut file: File) -> io::Result<Self> {
        file.write_all(&pcap::file_header())?;
        let writer = Writer {
            file: Some(file),
            record: Vec::new(),
        };
        Ok(Self {
            inner,
            capture: Arc::new(Capture {
                writer: Mutex::new(writer),
                source: OnceLock::new(),
            }),
        })
    }
}

impl<T: Transport> Transport for Tap<T> {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        for datagram in datagrams {
            self.capture.sent(datagram);
        }
        self.inner.send(datagrams)
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        let inner = self.inner.open(listen)?;
        let locators = inner.locators();
        let unicast = locators.iter().find(|l| !l.is_multicast());
        if let Some(source) = unicast {
            self.capture.source.get_or_init(|| pcap::endpoint(source));
        }
        let local = unicast.or(locators.first());
        Ok(Box::new(TapReceiver {
            inner,
            local: local.map_or(NOWHERE, pcap::endpoint),
            capture: Arc::clone(&self.capture),
        }))
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }

    fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
        self.inner.leads_to(to, peer)
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        self.inner.lane(to)
    }

    fn begin(&self, to: &Locator, known: usize) -> Begun {
        self.inner.begin(to, known)
    }

    fn want(&self, to: &[Locator]) {
        self.inner.want(to);
    }

    fn neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        self.inner.neighbours(group, most, known, waits)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.inner.watch(watcher);
    }

    fn follow_addresses(&self) -> bool {
        self.inner.follow_addresses()
    }

    fn relocated(&self, locators: &[Locator]) -> Vec<Locator> {
        self.inner.relocated(locators)
    }

    fn failed(&self) -> u64 {
        self.inner.failed()
    }

    fn refused(&self) -> u64 {
        self.inner.refused()
    }

    fn refused_connections(&self) -> u64 {
        self.inner.refused_connections()
    }

    fn hints(&self) -> Vec<String> {
        self.inner.hints()
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

struct TapReceiver {
    inner: Box<dyn Receiver>,
    local: SocketAddrV4,
    capture: Arc<Capture>,
}

impl Receiver for TapReceiver {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let before = buffer.len();
        let received = self.inner.receive(buffer, wait)?;
        if let (Some(received), Some(bytes)) = (&received, buffer.get(before..)) {
            let from = pcap::endpoint(&received.from);
            self.capture.write(from, self.local, &[bytes]);
        }
        Ok(received)
    }

    fn listen_at(&mut self, place: Listen) -> io::Result<()> {
        self.inner.listen_at(place)
    }

    fn watch_addresses(&mut self) {
        self.inner.watch_addresses();
    }

    fn was_multicast(&self) -> bool {
        self.inner.was_multicast()
    }

    fn rest_groups(&mut self, pause: Duration) {
        self.inner.rest_groups(pause);
    }

    fn waker(&self) -> Arc<dyn Waker> {
        self.inner.waker()
    }

    fn locators(&self) -> Vec<Locator> {
        self.inner.locators()
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        self.inner.statistics()
    }
}

const NOWHERE: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0);

#[derive(Debug)]
struct Capture {
    writer: Mutex<Writer>,
    /// Whom to show as the sender of what we send.
    source: OnceLock<SocketAddrV4>,
}

#[derive(Debug)]
struct Writer {
    /// Until it fails.
    file: Option<File>,
    /// Kept for its capacity.
    record: Vec<u8>,
}

impl Capture {
    fn sent(&self, datagram: &Outgoing<'_>) {
        let from = self.source.get().copied().unwrap_or(NOWHERE);
        let parts = [datagram.head, datagram.payload, datagram.tail];
        self.write(from, pcap::endpoint(&datagram.to), &parts);
    }

    fn write(&self, from: SocketAddrV4, to: SocketAddrV4, parts: &[&[u8]]) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Writer { file, record } = &mut *writer;
        let Some(open) = file else { return };
        // The time is read under the lock, so that times in the file only grow.
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        if !pcap::record(record, time, from, to, parts) {
            return;
        }
        if let Err(error) = open.write_all(record) {
            log::warn!(%error, "the capture ends here");
            *file = None;
        }
    }
}
