//! Keys of zenoh's, and what sites tell each other by zenoh.
use bytes::Bytes;
use dunlin::GuidPrefix;

#[allow(dead_code, reason = "the adapter uses the rest")]
#[path = "../../tools/routing-zenoh/src/attachment.rs"]
mod attachment;
#[allow(dead_code, reason = "the adapter uses the rest")]
#[path = "../../tools/routing-zenoh/src/beat.rs"]
mod beat;
#[allow(dead_code, reason = "the adapter uses the rest")]
#[path = "../../tools/routing-zenoh/src/keys.rs"]
mod keys;
#[allow(dead_code, reason = "the adapter uses the rest")]
#[path = "../../tools/routing-zenoh/src/listing.rs"]
mod listing;
#[allow(dead_code, reason = "the adapter uses the rest")]
#[path = "../../tools/routing-zenoh/src/page.rs"]
mod page;
#[allow(dead_code, reason = "the adapter uses the rest")]
#[path = "../../tools/routing-zenoh/src/record.rs"]
mod record;

use attachment::Attachment;
use beat::{Beat, Claim};
use keys::{Direction, Keys, Token};
use listing::{Answer, News, Question};
use page::{Page, Request};

/// Bytes are a key of anybody's, or a name. A key that is understood is written and understood the
/// same; any name becomes a key that zenoh allows and no wildcard mistakes.
pub fn site_key(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    bounded(data, || {
        let keys = Keys::new("yard");
        if let Some((zid, Token::Here(hash))) = keys.parse_token(&text) {
            let again = keys.token(zid, hash);
            assert_eq!(keys.parse_token(&again), Some((zid, Token::Here(hash))));
        }
        if let Some((zid, _)) = keys.parse(&text) {
            assert!(text.contains(zid), "{zid}");
        }
        let partition = [text.to_string()];
        for key in [
            Keys::new(&text).data(&[], "Square"),
            keys.data(&partition, "Square"),
            keys.data(&[], &text),
        ] {
            assert!(key.split('/').all(is_chunk), "{key}");
            assert!(Keys::life(&key).ends_with("/@life"));
        }
    });
}

fn is_chunk(chunk: &str) -> bool {
    !chunk.is_empty() && !chunk.starts_with('@') && !chunk.contains(['*', '$', '?', '#'])
}

/// The first byte says what the rest is: an attachment, a beat, a claim, a question to a store or
/// its answer, the record of a topic, what is asked of a site, its answer, and news. What is
/// understood is written and understood the same. Memory stays within 64 times the bytes and
/// 64 KiB; answers and news take more, since a topic has three bytes at least.
pub fn site_data(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else {
        return;
    };
    let held = allocation_counter::measure(|| {
        is_understood(*kind, data);
    })
    .bytes_max;
    let times = if kind % KINDS >= ANSWER { 256 } else { 64 };
    assert_bounded(held, times, data);
}

/// The kind of an answer; news follow.
const ANSWER: u8 = 8;
const KINDS: u8 = 10;

fn is_understood(kind: u8, data: &[u8]) -> bool {
    match kind % KINDS {
        0 => Attachment::parse(data)
            .inspect(|read| assert_eq!(Attachment::parse(&read.encode()), Some(*read)))
            .is_some(),
        1 => Beat::parse(data)
            .inspect(|read| assert_eq!(read.encode(), data))
            .is_some(),
        2 => Claim::parse(data)
            .inspect(|read| assert_eq!(read.encode(), data))
            .is_some(),
        3 => Request::parse(data)
            .inspect(|read| assert_eq!(Request::parse(&read.encode()), Some(*read)))
            .is_some(),
        4 => Page::parse(&Bytes::copy_from_slice(data))
            .inspect(|read| assert_eq!(read.encode(), data))
            .is_some(),
        5 => endpoints(data, Direction::Offer),
        6 => endpoints(data, Direction::Want),
        7 => Question::parse(data)
            .inspect(|read| assert_eq!(Question::parse(&read.encode()).as_ref(), Some(read)))
            .is_some(),
        ANSWER => Answer::parse(&Bytes::copy_from_slice(data))
            .inspect(|read| assert_eq!(Answer::parse(&read.encode()).as_ref(), Some(read)))
            .is_some(),
        _ => News::parse(&Bytes::copy_from_slice(data))
            .inspect(|read| assert_eq!(News::parse(&read.encode().into()).as_ref(), Some(read)))
            .is_some(),
    }
}

fn endpoints(data: &[u8], direction: Direction) -> bool {
    let site = GuidPrefix([1; 12]);
    let Some(read) = record::parse(data, direction, "Square", site) else {
        return false;
    };
    let again = record::encode(read.iter());
    let again = record::parse(&again, direction, "Square", site);
    assert_eq!(again.as_ref(), Some(&read));
    !read.is_empty()
}

fn bounded(data: &[u8], check: impl FnOnce()) {
    let held = allocation_counter::measure(check).bytes_max;
    assert_bounded(held, 64, data);
}

fn assert_bounded(held: u64, times: u64, data: &[u8]) {
    let most = times * data.len() as u64 + (1 << 16);
    assert!(held <= most, "{held} bytes for {}", data.len());
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_seed_is_understood() {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/site_data");
        for entry in std::fs::read_dir(corpus).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let (kind, data) = bytes.split_first().unwrap();
            assert!(super::is_understood(*kind, data), "{}", path.display());
        }
    }
}
