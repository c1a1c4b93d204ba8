//! A writer or a reader in one call.
mod common;

use common::*;
use dunlin::*;

#[test]
fn a_writer_and_a_reader_are_made_in_one_call_each() {
    let net = Net::new(0.0);
    let (here, there) = (net.participant(), net.participant());
    let (writes, reads) = reliable_all();
    let reader = there.reader_with::<Keyed>("T", reads).unwrap();
    let writer = here.writer_with::<Keyed>("T", writes).unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    let sample = Keyed {
        name: "a".into(),
        number: 1,
    };
    writer.write(&sample).unwrap();
    reader.wait_for_data(SOON).unwrap();
    assert_eq!(reader.take_next_sample().unwrap().data(), Some(&sample));
    let nothing = reader.wait_for_data(Duration::from_millis(1));
    assert!(matches!(nothing, Err(Error::Timeout { .. })), "{nothing:?}");
    let why = nothing.unwrap_err().to_string();
    assert!(
        why.contains("topic \"T\"") && why.contains("writers that match: 1"),
        "{why}"
    );
    let alone = writer.wait_for_matched(2, Duration::from_millis(1));
    let why = alone.unwrap_err().to_string();
    assert!(why.contains("1 of 2 readers match"), "{why}");
}

#[test]
fn endpoints_made_in_one_call_share_their_topic_and_have_the_default_qos() {
    let net = Net::new(0.0);
    let here = net.participant();
    let writer = here.writer::<Keyed>("T").unwrap();
    let reader = here.reader::<Keyed>("T").unwrap();
    assert_eq!(writer.qos(), DataWriterQos::default());
    assert_eq!(reader.qos(), DataReaderQos::default());
    let other = here.writer::<common::Plain>("T").map(|_| ());
    let Err(Error::PreconditionNotMet(why)) = other else {
        panic!("{other:?}");
    };
    assert!(why.contains("\"T\""), "{why}");
}
