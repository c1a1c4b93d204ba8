//! Samples in fragments.
use super::*;
use dunlin_wire::{FragmentNumber, FragmentNumberSet, NackFrag};

fn nack_frag(sequence: i64, missing: &[u32], count: u32) -> NackFrag {
    let mut state = FragmentNumberSet::new(FragmentNumber(missing[0]));
    for n in missing {
        assert!(state.insert(FragmentNumber(*n)));
    }
    NackFrag {
        reader: reader_guid(1).entity,
        writer: writer_guid(1).entity,
        sequence: SequenceNumber(sequence),
        state,
        count,
    }
}

#[test]
fn fragments_go_out_and_are_repeated_one_by_one() {
    let config = WriterConfig {
        fragment_size: Some(10),
        ..keep_all(100)
    };
    let mut w = Writing::new(config);
    w.join(1, true, Durability::Volatile);
    assert_eq!(w.write(0, 25), ["FRAG 1.1", "FRAG 1.2", "FRAG 1.3"]);
    w.writer.handle_nack_frag(
        Time(0),
        reader_guid(1),
        &nack_frag(1, &[2, 3, 4], 1),
        &mut w.out,
    );
    let lengths = w.out.messages.iter().map(|(_, _, m)| match m {
        Message::Frag(_, _, bytes, ..) => bytes.len(),
        _ => 0,
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [10, 5, 0]);
    assert_eq!(
        w.out.said(),
        ["FRAG 1.2 !", "FRAG 1.3 !", "HEARTBEAT 1..1? !"]
    );
    w.hear(2, &[], 1);
    w.writer
        .handle_nack_frag(Time(0), reader_guid(1), &nack_frag(1, &[1], 2), &mut w.out);
    assert_eq!(w.out.said(), ["GAP 1..2 [] !", "HEARTBEAT 2..1? !"]);
}

#[test]
fn a_payload_in_pieces_is_said_as_one_in_one_piece() {
    let config = |fragment_size| WriterConfig {
        fragment_size: Some(fragment_size),
        ..keep_all(100)
    };
    let said = |fragment_size, change: &Change| {
        let mut w = Writing::new(config(fragment_size));
        w.join(1, true, Durability::Volatile);
        w.writer.write(Time(0), change, &mut w.out).unwrap();
        let (from, nack) = (reader_guid(1), nack_frag(1, &[1, 2, 3], 1));
        w.writer
            .handle_ack_nack(Time(0), from, &ack_nack(1, &[1], 1), &mut w.out);
        w.writer.handle_nack_frag(Time(0), from, &nack, &mut w.out);
        let (messages, retired) = (format!("{:?}", w.out.messages), w.writer.retired().len());
        w.hear(2, &[], 2);
        (messages, retired, w.writer.retired().len())
    };
    for fragment_size in [7, 10, 24, 25, 1000] {
        let expected = said(fragment_size, &sample(0, 1, 25)).0;
        for (start, end) in (0..25).flat_map(|start| (start..=25).map(move |end| (start, end))) {
            let (words, before, after) = said(fragment_size, &sample_around(0, 1, 25, start..end));
            assert_eq!(words, expected, "{start}..{end} in {fragment_size}");
            assert_eq!((before, after), (0, usize::from(start < end)));
        }
    }
}

#[test]
fn a_change_is_repeated_in_the_fragments_that_it_was_first_said_in() {
    let config = WriterConfig {
        fragment_size: Some(20),
        ..keep_all(100)
    };
    let mut w = Writing::new(config);
    w.join(1, true, Durability::Volatile);
    assert_eq!(w.write(0, 25), ["FRAG 1.1", "FRAG 1.2"]);
    w.writer.set_fragment_size(Some(10));
    assert_eq!(w.write(0, 25), ["FRAG 2.1", "FRAG 2.2", "FRAG 2.3"]);
    let said = w.hear(1, &[1, 2], 1).1;
    assert_eq!(
        said[..5],
        [
            "FRAG 1.1 !",
            "FRAG 1.2 !",
            "FRAG 2.1 !",
            "FRAG 2.2 !",
            "FRAG 2.3 !"
        ]
    );
    w.writer
        .handle_nack_frag(Time(0), reader_guid(1), &nack_frag(1, &[2], 2), &mut w.out);
    assert_eq!(w.out.said()[0], "FRAG 1.2 !");
}

#[test]
fn what_went_in_fragments_goes_whole_where_samples_do() {
    let config = WriterConfig {
        fragment_size: Some(20),
        ..keep_all(100)
    };
    let mut w = Writing::new(config);
    w.join(1, true, Durability::Volatile);
    assert_eq!(w.write(0, 25), ["FRAG 1.1", "FRAG 1.2"]);
    w.writer.set_fragment_size(None);
    assert_eq!(w.write(0, 500_000), ["DATA 2"]);
    let asked = |w: &mut Writing, at, sequence, lacks: &[u32], count| {
        let nack = nack_frag(sequence, lacks, count);
        w.writer
            .handle_nack_frag(Time(at), reader_guid(1), &nack, &mut w.out);
        w.out.said()
    };
    assert_eq!(
        asked(&mut w, 0, 1, &[2], 1),
        ["DATA 1 !", "HEARTBEAT 1..2? !"]
    );
    // Whoever lacks many fragments asks for them in several messages: one answer will do.
    assert!(asked(&mut w, 0, 1, &[1], 2).is_empty());
    let later = Duration::from_millis(10).as_nanos();
    assert_eq!(
        asked(&mut w, later, 1, &[1], 3),
        ["DATA 1 !", "HEARTBEAT 1..2? !"]
    );
    // Back again: the first is in the fragments that the reader knows, the second never had any.
    w.writer.set_fragment_size(Some(1 << 15));
    let said = w.hear(1, &[1, 2], 1).1;
    assert_eq!(said[..3], ["FRAG 1.1 !", "FRAG 1.2 !", "FRAG 2.1 !"]);
}

#[test]
fn large_changes_in_one_piece_are_not_asked_about_each_time() {
    let asked_at = |fragment_size, length| {
        let config = WriterConfig {
            fragment_size,
            ..keep_all(100)
        };
        let mut w = Writing::new(config);
        w.join(1, true, Durability::Volatile);
        let asks = |said: Vec<String>| said.iter().any(|one| one.starts_with("HEARTBEAT"));
        (1..=8)
            .filter(|_| asks(w.write(0, length)))
            .collect::<Vec<_>>()
    };
    let each: Vec<i32> = (1..=8).collect();
    assert_eq!(asked_at(Some(60_000), 1 << 20), each);
    assert_eq!(asked_at(None, 1 << 20), [4, 8]);
    assert_eq!(asked_at(None, 10 << 20), [2, 4, 6, 8]);
}
