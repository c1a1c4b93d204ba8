use super::*;
use dunlin_shm::{
    Class, Connection, Event, Incoming, Limits, LinkSize, Pool, Receiver, Rendezvous, Sender,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

/// Chunks of a writer's process: as many as a connection lends.
const CHUNKS: usize = 64;

/// Two ends of a connection: of a writer that lends, and of a reader.
struct Lender {
    pool: Pool,
    sender: Sender,
    receiver: Receiver,
    _ends: [Rendezvous; 2],
}

impl Lender {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0x80);
        let class = Class {
            capacity: 4096,
            count: CHUNKS as u32,
        };
        let pool = Pool::new(0, &[class]).unwrap();
        let size = LinkSize {
            loans: CHUNKS as u32,
            ..LinkSize::default()
        };
        let limits = Limits {
            dialled: size,
            accepted: size,
            ..Limits::default()
        };
        let group = std::process::id() << 8 | NEXT.fetch_add(1, Relaxed);
        let identities = [[1; 16], [2; 16]];
        let mut ends = identities.map(|own| Rendezvous::new(group, own, limits).unwrap());
        ends[0].add_pool(pool.clone()).unwrap();
        ends[0].dial(identities[1], Instant::now()).unwrap();
        let mut found: [Option<Connection>; 2] = [None, None];
        while found.iter().any(Option::is_none) {
            for (end, found) in ends.iter_mut().zip(&mut found) {
                for event in end.poll(Instant::now()) {
                    match event {
                        Event::Joined(connection) => *found = Some(*connection),
                        Event::Failed(_, error) => panic!("{error}"),
                    }
                }
            }
        }
        let [Some(one), Some(other)] = found else {
            panic!("not connected");
        };
        Self {
            pool,
            sender: one.sender,
            receiver: other.receiver,
            _ends: ends,
        }
    }

    /// A loan of bytes that are all 7.
    fn lend(&mut self, length: usize) -> Loan {
        self.sender.reclaim().unwrap();
        let mut chunk = self.pool.allocate(length).unwrap();
        chunk.bytes_mut().fill(7);
        let chunk = chunk.publish();
        let sent = self.sender.try_send_attached(&[b"-"], 1, chunk, 0..length);
        assert!(sent.is_ok());
        let mut message = [0; 64];
        let incoming = self.receiver.try_recv(&mut message).unwrap();
        assert!(matches!(incoming, Some(Incoming::Attached { .. })));
        self.receiver.hold_chunk().unwrap()
    }

    /// Loans that have not ended.
    fn lent(&mut self) -> usize {
        self.sender.reclaim().unwrap();
        CHUNKS - self.pool.free()
    }
}

fn put(table: &Arc<LoanTable>, head: &[u8], tail: &[u8], loan: Loan) -> Payload {
    table.put(head, tail, loan).unwrap().into()
}

fn counts(table: &LoanTable) -> (usize, usize) {
    let state = table.state.lock();
    (state.unused.len(), state.samples)
}

#[test]
fn a_payload_has_its_loan_between_head_and_tail() {
    let (table, mut lender) = (Arc::<LoanTable>::default(), Lender::new());
    for length in [1, 7, 8, 1000, 1003] {
        let payload = put(&table, b"head", b"tail!", lender.lend(length));
        let whole = [b"head", &vec![7; length][..], b"tail!"].concat();
        assert_eq!(payload.to_bytes().unwrap(), whole);
        assert_eq!(payload.len(), whole.len());
        let sample = LoanedSample::of(&payload).unwrap();
        assert_eq!((sample.at(), sample.head()), (4, &b"head"[..]));
        assert_eq!(sample.loan_len(), length);
        assert_eq!(sample.rest().len() % 8, (length + 9) % 8);
        assert!(sample.is_valid());
    }
    assert!(LoanedSample::of(&Payload::new()).is_none());
}

#[test]
fn the_loan_ends_with_the_last_reference_and_the_sample_is_used_again() {
    let (table, mut lender) = (Arc::<LoanTable>::default(), Lender::new());
    for _ in 0..10 {
        let payload = put(&table, b"h", b"", lender.lend(64));
        let other = payload.clone();
        drop(payload);
        assert_eq!((lender.lent(), counts(&table)), (1, (0, 1)));
        drop(other);
        assert_eq!((lender.lent(), counts(&table)), (0, (1, 1)));
    }
}

#[test]
fn a_full_table_gives_the_loan_back_and_loses_nothing() {
    let table = Arc::<LoanTable>::default();
    let mut lenders = [(); MAX_SAMPLES / CHUNKS].map(|()| Lender::new());
    let mut lender = Lender::new();
    let payloads: Vec<_> = (0..MAX_SAMPLES)
        .map(|n| put(&table, &n.to_le_bytes(), b"", lenders[n / CHUNKS].lend(9)))
        .collect();
    assert!(table.put(b"h", b"", lender.lend(9)).is_err());
    for (n, payload) in payloads.iter().enumerate() {
        assert_eq!(payload.to_bytes().unwrap()[..8], n.to_le_bytes());
    }
    assert_eq!(lenders.each_mut().map(Lender::lent), [CHUNKS; 2]);
    assert_eq!(lender.lent(), 0);
    drop(payloads);
    assert_eq!(lenders.each_mut().map(Lender::lent), [0; 2]);
    assert_eq!(counts(&table), (MAX_SAMPLES, MAX_SAMPLES));
    let longest = [1; MAX_REST - ALIGN];
    drop(put(&table, &longest, b"", lender.lend(9)));
    assert!(table.put(&longest, b"t", lender.lend(9)).is_err());
    assert_eq!(lender.lent(), 0);
}

#[test]
fn payloads_outlive_their_table() {
    let (table, mut lender) = (Arc::<LoanTable>::default(), Lender::new());
    let payload = put(&table, b"h", b"", lender.lend(3));
    drop(put(&table, b"h", b"", lender.lend(3)));
    drop(table);
    assert_eq!(payload.to_bytes().unwrap(), "h\u{7}\u{7}\u{7}");
    drop(payload);
    assert_eq!(lender.lent(), 0);
}

#[test]
fn loans_end_whoever_drops_the_last_reference() {
    let (table, mut lender) = (Arc::<LoanTable>::default(), Lender::new());
    for _ in 0..1000 {
        let payload = put(&table, b"h", b"", lender.lend(64));
        let other = payload.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || drop(other));
            drop(payload);
        });
        assert_eq!(lender.lent(), 0);
        let (unused, samples) = counts(&table);
        assert_eq!(unused, samples);
        assert!(samples <= 1);
    }
}

#[test]
fn loaned_bytes_are_read_within_their_bounds() {
    let (table, mut lender) = (Arc::<LoanTable>::default(), Lender::new());
    let payload = put(&table, b"h", b"", lender.lend(10));
    let sample = LoanedSample::of(&payload).unwrap();
    let mut some = [0; 3];
    sample.read(7, &mut some).unwrap();
    assert_eq!(some, [7; 3]);
    assert!(sample.read(8, &mut some).is_err());
    assert!(sample.read(usize::MAX, &mut some).is_err());
}
