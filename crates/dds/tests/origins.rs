//! Samples that repeat others or answer them say so to readers, over the network and within the
//! process.
mod common;

use bytes::Bytes;
use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::untyped::{Piece, WriteOptions};
use dunlin::{
    ChangeKind, DataReader, Guid, Hops, ParticipantConfig, SampleIdentity, SampleOrigin,
    SequenceNumber,
};

fn origin(guid: Guid) -> SampleOrigin {
    let identity = |sequence| SampleIdentity {
        writer: guid,
        sequence: SequenceNumber(sequence),
    };
    let mut hops = Hops::default();
    assert!(hops.push(77));
    SampleOrigin {
        original_writer: Some(identity(40)),
        related: Some(identity(3)),
        foreign_key_hash: false,
        hops,
    }
}

/// `{name: "a", number: 5}` in XCDR1, little endian.
const SAMPLE: &[u8] = &[0, 1, 0, 0, 2, 0, 0, 0, b'a', 0, 0, 0, 5, 0, 0, 0];

#[test]
fn what_a_writer_says_of_a_sample_s_origin_reaches_readers() {
    for local in [false, true] {
        let net = Net::new(0.0);
        let config = ParticipantConfig::default();
        let participant = || match local {
            true => net.within(config.clone()),
            false => net.configured(config.clone()),
        };
        let (a, b) = (participant(), participant());
        let (wqos, rqos) = reliable_all();
        let reader: DataReader<Keyed> = reader(&b, "T", rqos);
        let writer = writer::<Keyed>(&a, "T", wqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let said = WriteOptions {
            origin: Some(origin(reader.guid())),
            ..WriteOptions::default()
        };
        let untyped: &dunlin::UntypedWriter = &writer;
        untyped.write(ChangeKind::Alive, SAMPLE, &said).unwrap();
        let (head, rest) = SAMPLE.split_at(8);
        let pieces = [Piece::Copied(head), Piece::Shared(Bytes::from_static(rest))];
        untyped
            .write_pieces(ChangeKind::Alive, &pieces, &said)
            .unwrap();
        untyped
            .try_write(ChangeKind::Alive, &pieces, &WriteOptions::default())
            .unwrap();
        untyped
            .write(ChangeKind::Disposed, &SAMPLE[..10], &said)
            .unwrap();
        let samples = take(&reader, 4);
        let origins: Vec<_> = samples.iter().map(|s| s.info.origin).collect();
        let expected = said.origin;
        assert_eq!(origins, [expected, expected, None, expected], "{local}");
        let [first, _, plain, _] = &samples[..] else {
            unreachable!()
        };
        let identity = said.origin.unwrap().original_writer;
        assert_eq!(first.info.original_writer(), identity);
        assert_eq!(Some(first.info.identity()), identity);
        assert_eq!(plain.info.identity().writer, writer.guid());
        assert_eq!(plain.info.identity().sequence, SequenceNumber(3));
        assert!(!first.info.foreign_key_hash);
    }
}
