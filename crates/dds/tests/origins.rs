//! Samples that repeat others or answer them say so to readers, over the network and within the
//! process.
mod common;

use bytes::Bytes;
use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::untyped::{Piece, WriteOptions};
use dunlin::{
    ChangeKind, DataReader, DataWriter, DomainParticipant, Guid, Hops, ParticipantConfig,
    SampleIdentity, SampleOrigin, SequenceNumber, UntypedWriter,
};

fn origin(guid: Guid, number: i64) -> SampleOrigin {
    let identity = |sequence| SampleIdentity {
        writer: guid,
        sequence: SequenceNumber(sequence),
    };
    let mut hops = Hops::default();
    assert!(hops.push(77));
    SampleOrigin {
        original_writer: Some(identity(number)),
        related: Some(identity(3)),
        foreign_key_hash: false,
        hops,
    }
}

/// Two, of one process that needs no network between them, or of two.
fn participants(net: &Net, local: bool) -> [DomainParticipant; 2] {
    [(); 2].map(|()| match local {
        true => net.within(ParticipantConfig::default()),
        false => net.configured(ParticipantConfig::default()),
    })
}

/// `{name: "a", number: 5}` in XCDR1, little endian.
const SAMPLE: &[u8] = &[0, 1, 0, 0, 2, 0, 0, 0, b'a', 0, 0, 0, 5, 0, 0, 0];

#[test]
fn what_a_writer_says_of_a_sample_s_origin_reaches_readers() {
    for local in [false, true] {
        let net = Net::new(0.0);
        let [a, b] = participants(&net, local);
        let (wqos, rqos) = reliable_all();
        let reader: DataReader<Keyed> = reader(&b, "T", rqos);
        let writer = writer::<Keyed>(&a, "T", wqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let said = |number| WriteOptions {
            origin: Some(origin(reader.guid(), number)),
            ..WriteOptions::default()
        };
        let untyped: &UntypedWriter = &writer;
        untyped.write(ChangeKind::Alive, SAMPLE, &said(40)).unwrap();
        let (head, rest) = SAMPLE.split_at(8);
        let pieces = [Piece::Copied(head), Piece::Shared(Bytes::from_static(rest))];
        untyped
            .write_pieces(ChangeKind::Alive, &pieces, &said(41))
            .unwrap();
        untyped
            .try_write(ChangeKind::Alive, &pieces, &WriteOptions::default())
            .unwrap();
        untyped
            .write(ChangeKind::Disposed, &SAMPLE[..10], &said(42))
            .unwrap();
        let samples = take(&reader, 4);
        let origins: Vec<_> = samples.iter().map(|s| s.info.origin).collect();
        let expected = [40, 41, 42].map(|number| said(number).origin);
        assert_eq!(
            origins,
            [expected[0], expected[1], None, expected[2]],
            "{local}"
        );
        let [first, _, plain, _] = &samples[..] else {
            unreachable!()
        };
        let identity = expected[0].unwrap().original_writer;
        assert_eq!(first.info.original_writer(), identity);
        assert_eq!(Some(first.info.identity()), identity);
        assert_eq!(plain.info.identity().writer, writer.guid());
        assert_eq!(plain.info.identity().sequence, SequenceNumber(3));
        assert!(!first.info.foreign_key_hash);
    }
}

#[test]
fn a_sample_that_comes_by_itself_and_by_others_is_taken_once() {
    for local in [false, true] {
        let net = Net::new(0.0);
        let [a, b] = participants(&net, local);
        let (wqos, rqos) = reliable_all();
        let reader: DataReader<Keyed> = reader(&b, "T", rqos);
        let writers = [(); 3].map(|()| writer::<Keyed>(&a, "T", wqos.clone()));
        for writer in &writers {
            writer.wait_for_matched(1, SOON).unwrap();
        }
        reader.wait_for_matched(3, SOON).unwrap();
        let [source, routers @ ..] = &writers;
        let payload = |number: u8| {
            let mut payload = SAMPLE.to_vec();
            payload[12] = number;
            payload
        };
        let write = |writer: &DataWriter<Keyed>, number, origin| {
            let said = WriteOptions {
                origin,
                ..WriteOptions::default()
            };
            let untyped: &UntypedWriter = writer;
            untyped
                .write(ChangeKind::Alive, &payload(number), &said)
                .unwrap();
            writer.wait_for_acknowledgments(SOON).unwrap();
        };
        write(source, 1, None);
        write(source, 2, None);
        for number in 1..=3 {
            let origin = Some(origin(source.guid(), number.into()));
            routers
                .iter()
                .for_each(|writer| write(writer, number, origin));
        }
        write(source, 3, None);
        let taken: Vec<_> = take(&reader, 3)
            .iter()
            .map(|s| s.data().unwrap().number)
            .collect();
        assert_eq!(taken, [1, 2, 3], "{local}");
        assert!(reader.take_next_sample().is_none(), "{local}");
    }
}
