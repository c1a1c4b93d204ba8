use super::site::{AGAIN, ANSWER, DOUBT, GATHER, NEWS, SILENCE};
use super::*;
use crate::listing::Listing;
use dunlin::EntityKind;

const fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn writer(zid: &str, topic: &str, number: u32) -> Endpoint {
    let entity = EntityId::user(number, EntityKind::WriterWithKey);
    let data = WriterData::new(Guid::new(prefix(zid), entity), topic, "Shape");
    Endpoint::Writer(Box::new(data))
}

/// A site that can be asked.
struct Peer {
    zid: &'static str,
    listing: Listing,
}

impl Peer {
    fn new(zid: &'static str) -> Self {
        let listing = Listing::default();
        Self { zid, listing }
    }

    /// It has these writers of these topics from now on; returns the hash.
    fn has(&mut self, all: &[(&str, u32)]) -> u64 {
        let mut topics: BTreeMap<Key, Vec<Endpoint>> = BTreeMap::new();
        for (topic, number) in all {
            let of = topics.entry((Direction::Offer, (*topic).to_owned()));
            of.or_default().push(writer(self.zid, topic, *number));
        }
        let encode = |(key, all): (Key, Vec<Endpoint>)| (key, record::encode(all.iter()));
        self.listing.set(topics.into_iter().map(encode).collect());
        self.listing.hash()
    }

    /// What it tells all others, who know of it what has this hash.
    fn news(&self, known: u64) -> Bytes {
        let question = Question { known, after: None };
        let answer = self.listing.answer(&question);
        News { known, answer }.encode().into()
    }

    /// All that is asked of it now is answered; returns how often it was asked.
    fn answers(&mut self, now: Duration, directory: &mut Directory) -> usize {
        let mut count = 0;
        loop {
            let asked = directory.poll(now);
            if asked.is_empty() {
                return count;
            }
            for (zid, question) in asked {
                assert_eq!(zid, self.zid);
                let answer = self.listing.answer(&question).encode();
                directory.answer(now, &zid, &question, &answer);
                count += 1;
            }
        }
    }
}

fn kinds(directory: &mut Directory) -> Vec<&'static str> {
    let all = directory.take_events();
    let of = |event: &DiscoveryEvent| match event {
        DiscoveryEvent::Writer(EntityChange::Added(_)) => "added",
        DiscoveryEvent::Writer(EntityChange::Changed(_)) => "changed",
        DiscoveryEvent::Writer(EntityChange::Gone(_)) => "gone",
        _ => "other",
    };
    all.iter().map(of).collect()
}

/// A site with one writer.
fn known() -> (Directory, Peer) {
    let (mut directory, mut peer) = (Directory::default(), Peer::new("a1"));
    let hash = peer.has(&[("Square", 1)]);
    directory.token(secs(0), "a1", hash, true);
    assert_eq!(directory.poll(secs(0)), [], "it may change once more");
    assert_eq!(directory.due(), Some(GATHER));
    let asked = [("a1".to_owned(), Question::default())];
    assert_eq!(directory.poll(GATHER), asked);
    assert_eq!(directory.poll(GATHER), []);
    directory.refused(secs(1), "a1", &asked[0].1);
    assert_eq!(directory.due(), Some(secs(1) + AGAIN));
    assert_eq!(directory.poll(secs(2)), asked, "there was no answer");
    let answer = peer.listing.answer(&asked[0].1).encode();
    for _ in 0..2 {
        directory.answer(secs(2), "a1", &asked[0].1, &answer);
    }
    assert_eq!(kinds(&mut directory), ["added"]);
    assert_eq!(directory.poll(secs(9)), []);
    (directory, peer)
}

#[test]
fn a_site_is_asked_once_for_all_it_has_and_then_for_changes() {
    let (mut directory, mut peer) = (Directory::default(), Peer::new("a1"));
    let names: Vec<String> = (0..300).map(|n| format!("T{n}")).collect();
    let mut all: Vec<(&str, u32)> = names.iter().map(|name| (&**name, 1)).collect();
    let before = peer.has(&all);
    directory.token(secs(0), "a1", before, true);
    directory.beat(secs(0), "a1", before);
    assert_eq!(peer.answers(secs(1), &mut directory), 1);
    assert_eq!(kinds(&mut directory).len(), 300);
    assert_eq!(directory.take_changes().len(), 300);
    all[7].1 = 2;
    let after = peer.has(&all);
    directory.token(secs(2), "a1", after, true);
    directory.token(secs(2), "a1", before, false);
    directory.beat(secs(2), "a1", after);
    let (_, question) = directory.poll(secs(3)).remove(0);
    assert_eq!(question.known, before);
    let answer = peer.listing.answer(&question).encode();
    assert!(answer.len() < 1000, "{}", answer.len());
    directory.answer(secs(3), "a1", &question, &answer);
    assert_eq!(kinds(&mut directory), ["gone", "added"]);
    let changes = directory.take_changes();
    assert_eq!(changes["T7"].writers.len(), 2);
    assert_eq!((changes.len(), directory.poll(secs(9))), (1, vec![]));
    assert_eq!(directory.writers("T7").count(), 1);
    let guid = directory.writers("T7").next().unwrap().guid;
    assert_eq!(directory.writer("T7", guid).unwrap().guid, guid);
    assert_eq!(directory.site_of(guid.prefix), Some("a1"));
}

#[test]
fn who_knows_nothing_of_the_last_change_is_told_all() {
    let (mut directory, mut peer) = known();
    peer.listing = Listing::default();
    let hash = peer.has(&[("Circle", 1)]);
    directory.beat(secs(9), "a1", hash);
    assert_eq!(peer.answers(secs(10), &mut directory), 1);
    let mut kinds = kinds(&mut directory);
    kinds.sort_unstable();
    assert_eq!(kinds, ["added", "gone"]);
}

#[test]
fn pages_between_which_a_site_changes_are_asked_for_again() {
    let (mut directory, mut peer) = (Directory::default(), Peer::new("a1"));
    let names: Vec<String> = (0..3000).map(|n| format!("T{n}")).collect();
    let all: Vec<(&str, u32)> = names.iter().map(|name| (&**name, 1)).collect();
    let hash = peer.has(&all);
    directory.token(secs(0), "a1", hash, true);
    let (_, question) = directory.poll(secs(1)).remove(0);
    let answer = peer.listing.answer(&question).encode();
    directory.answer(secs(1), "a1", &question, &answer);
    // A topic of the first page goes.
    let hash = peer.has(&all[1..]);
    directory.beat(secs(1), "a1", hash);
    assert!(peer.answers(secs(1), &mut directory) > 0);
    assert_eq!(directory.writers("T0").count(), 1);
    assert!(peer.answers(secs(5), &mut directory) > 0);
    assert_eq!(directory.writers("T0").count(), 0);
    assert_eq!(directory.records, 2999);
    assert_eq!(directory.by_topic.len(), 2999);
}

#[test]
fn many_sites_are_asked_in_turns_and_dead_ones_are_in_nobodys_way() {
    let mut directory = Directory::default();
    let count = 3 * MOST_ASKED;
    for n in 0..count {
        directory.token(secs(0), &format!("{n:x}"), 7, true);
    }
    let first = directory.poll(secs(1));
    assert_eq!(first.len(), MOST_ASKED);
    assert_eq!(directory.poll(secs(1)), []);
    // Two answer, and two others are asked.
    for (zid, question) in &first[..2] {
        let key = (Direction::Offer, "Square".to_owned());
        let mut listing = Listing::default();
        listing.set([(key, Bytes::new())].into());
        let answer = listing.answer(question).encode();
        directory.answer(secs(1), zid, question, &answer);
    }
    assert_eq!(directory.poll(secs(1)).len(), 2);
    // Nobody else does: they are asked again, and all others, too.
    let mut asked: BTreeSet<String> = BTreeSet::new();
    for second in 2..28 {
        let questions = directory.poll(secs(second));
        asked.extend(questions.into_iter().map(|(zid, _)| zid));
    }
    assert_eq!(asked.len(), count - 2);
}

#[test]
fn a_site_that_does_not_answer_is_asked_ever_more_rarely() {
    let mut directory = Directory::default();
    directory.token(secs(0), "a1", 7, true);
    let asked = directory.poll(secs(1));
    assert_eq!(
        directory.poll(secs(1) + ANSWER),
        asked,
        "an answer was lost"
    );
    directory.refused(
        secs(12),
        "a1",
        &Question {
            known: 1,
            after: None,
        },
    );
    assert_eq!(directory.poll(secs(15)), [], "it was not asked that");
    let (mut now, mut count) = (secs(15), 0);
    while now < secs(29) {
        for (zid, question) in directory.poll(now) {
            directory.refused(now, &zid, &question);
            count += 1;
        }
        now += AGAIN;
    }
    assert!((3..10).contains(&count), "{count}");
}

#[test]
fn those_that_refuse_leave_their_turns_to_others() {
    let mut directory = Directory::default();
    for n in 0..10 * MOST_ASKED {
        directory.token(secs(0), &format!("{n:x}"), 7, true);
    }
    let mut asked: BTreeSet<String> = BTreeSet::new();
    for turn in 0..10 {
        let now = secs(1) + Duration::from_millis(turn);
        for (zid, question) in directory.poll(now) {
            directory.refused(now, &zid, &question);
            asked.insert(zid);
        }
    }
    assert_eq!(asked.len(), 10 * MOST_ASKED);
}

#[test]
fn sites_that_tell_what_is_new_are_asked_nothing() {
    let (mut directory, mut peer) = known();
    let before = peer.listing.hash();
    let hash = peer.has(&[("Square", 1), ("Circle", 2)]);
    // The token may come before the news.
    directory.token(secs(9), "a1", hash, true);
    directory.news(secs(9), "a1", &peer.news(before));
    directory.token(secs(9), "a1", before, false);
    assert_eq!(kinds(&mut directory), ["added"]);
    assert_eq!(peer.answers(secs(12), &mut directory), 0);
    // A site that begins tells all.
    let mut other = Peer::new("b2");
    let hash = other.has(&[("Square", 1)]);
    directory.news(secs(12), "b2", &other.news(0));
    directory.token(secs(12), "b2", hash, true);
    assert_eq!(kinds(&mut directory), ["added"]);
    assert_eq!(other.answers(secs(15), &mut directory), 0);
    assert_eq!(directory.sites(), ["a1", "b2"]);
    // One that has nothing any more goes.
    other.has(&[]);
    directory.news(secs(15), "b2", &other.news(hash));
    assert_eq!(kinds(&mut directory), ["gone"]);
    assert_eq!(other.answers(secs(18), &mut directory), 0);
}

#[test]
fn who_misses_news_asks() {
    let (mut directory, mut peer) = known();
    let missed = peer.has(&[("Circle", 2)]);
    let hash = peer.has(&[("Circle", 2), ("Triangle", 3)]);
    directory.news(secs(9), "a1", &peer.news(missed));
    directory.token(secs(9), "a1", hash, true);
    assert_eq!(directory.due(), Some(secs(9) + NEWS));
    assert_eq!(peer.answers(secs(10), &mut directory), 1);
    assert_eq!(kinds(&mut directory).len(), 3);
    // News that come while it is asked are as good as the answer, which comes too late.
    let next = peer.has(&[("Triangle", 3)]);
    directory.token(secs(11), "a1", next, true);
    let (_, question) = directory.poll(secs(12)).remove(0);
    let answer = peer.listing.answer(&question).encode();
    directory.news(secs(12), "a1", &peer.news(hash));
    directory.answer(secs(12), "a1", &question, &answer);
    assert_eq!(kinds(&mut directory), ["gone"]);
    assert_eq!(peer.answers(secs(20), &mut directory), 0);
    // What is damaged, or a part, is nothing.
    directory.news(secs(20), "a1", &Bytes::from_static(b"x"));
    let mut answer = Listing::default().answer(&Question::default());
    (answer.has_more, answer.hash) = (true, next);
    let part = News { known: 0, answer };
    directory.news(secs(20), "a1", &part.encode().into());
    assert_eq!(kinds(&mut directory), [""; 0]);
    assert_eq!(peer.answers(secs(22), &mut directory), 0);
}

#[test]
fn a_token_that_vanishes_with_a_link_and_comes_back_changes_nothing() {
    let (mut directory, peer) = known();
    let hash = peer.listing.hash();
    directory.token(secs(9), "a1", hash, false);
    directory.poll(secs(15));
    directory.token(secs(15), "a1", hash, true);
    directory.beat(secs(16), "a1", hash);
    assert_eq!(directory.poll(secs(29)), []);
    assert_eq!(kinds(&mut directory), [""; 0]);
}

#[test]
fn a_site_that_says_that_it_ends_goes_at_once() {
    let (mut directory, peer) = known();
    directory.token(secs(9), "a1", peer.listing.hash(), false);
    assert_eq!(kinds(&mut directory), [""; 0]);
    directory.beat(secs(9), "a1", 0);
    assert_eq!(kinds(&mut directory), ["gone"]);
    assert_eq!(directory.poll(secs(9)), []);
    assert_eq!(directory.sites(), [""; 0]);
}

#[test]
fn a_site_that_is_killed_goes_after_a_doubt_and_a_silent_one_too() {
    let (mut directory, peer) = known();
    directory.token(secs(9), "a1", peer.listing.hash(), false);
    directory.poll(secs(18));
    assert_eq!(directory.due(), Some(secs(9) + DOUBT));
    directory.poll(secs(19));
    assert_eq!(kinds(&mut directory), ["gone"]);
    let (mut directory, _) = known();
    let end = secs(2) + SILENCE;
    directory.poll(end - secs(1));
    assert_eq!(kinds(&mut directory), [""; 0]);
    directory.poll(end);
    assert_eq!(kinds(&mut directory), ["gone"]);
    assert_eq!((directory.records, directory.due()), (0, None));
    assert!(directory.by_topic.is_empty() && directory.by_prefix.is_empty());
}

/// Each of many sites beats more rarely, and is not taken for gone therefore.
#[test]
fn among_many_sites_silence_is_longer() {
    let mut directory = Directory::default();
    let names: Vec<String> = (0..210).map(|n| format!("{n:x}")).collect();
    for name in &names {
        directory.beat(secs(0), name, 0);
    }
    assert_eq!(directory.pace(), 4);
    directory.token(secs(0), "1", 0, true);
    directory.token(secs(1), "1", 0, false);
    directory.poll(DOUBT * 4);
    assert_eq!(directory.sites.len(), 210);
    directory.poll(secs(1) + DOUBT * 4);
    assert_eq!(directory.sites.len(), 209);
    directory.poll(SILENCE * 4 - secs(1));
    assert_eq!(directory.sites.len(), 209);
    directory.beat(SILENCE * 4 - secs(1), "2", 0);
    directory.poll(SILENCE * 4);
    assert_eq!((directory.sites.len(), directory.pace()), (1, 1));
}

#[test]
fn lost_and_leaked_tokens_heal_by_beats() {
    let (mut directory, mut peer) = known();
    let leaked = peer.listing.hash();
    // The token of this change is lost.
    let hash = peer.has(&[("Circle", 2)]);
    directory.beat(secs(9), "a1", hash);
    assert_eq!(peer.answers(secs(10), &mut directory), 1);
    assert_eq!(kinds(&mut directory).len(), 2);
    // One that is left over says what was: the site is asked, and right.
    directory.token(secs(11), "a1", leaked, true);
    assert_eq!(peer.answers(secs(12), &mut directory), 1);
    assert_eq!(peer.answers(secs(20), &mut directory), 0);
    assert_eq!(kinds(&mut directory), [""; 0]);
}

#[test]
fn a_site_speaks_for_itself_only() {
    let mut directory = Directory::default();
    // What it says is of another topic, or of another site, or nothing.
    let square = (Direction::Offer, "Square".to_owned());
    let foreign = record::encode([writer("a1", "Circle", 1)].iter());
    let of_b2 = record::encode([writer("b2", "Square", 1)].iter());
    for record in [foreign, of_b2, Bytes::from_static(&[0xff; 8])] {
        let mut listing = Listing::default();
        listing.set([(square.clone(), record)].into());
        directory.token(secs(0), "a1", listing.hash(), true);
        for (zid, question) in directory.poll(secs(1)) {
            let answer = listing.answer(&question).encode();
            directory.answer(secs(1), &zid, &question, &answer);
        }
        assert!(directory.take_events().is_empty());
        assert_eq!(directory.poll(secs(8)), [], "it is not asked again");
    }
    directory.answer(
        secs(1),
        "a1",
        &Question::default(),
        &Bytes::from_static(b"x"),
    );
    assert_eq!(directory.wanting("Square", &BTreeSet::new()), 0);
}

#[test]
fn what_is_believed_has_a_bound() {
    let mut directory = Directory::default();
    for n in 0..MOST_SITES + 10 {
        directory.token(secs(0), &format!("{n:x}"), 7, true);
    }
    assert_eq!(directory.sites.len(), MOST_SITES);
    for hash in 0..1000 {
        directory.token(secs(0), "1", hash, true);
    }
    directory.poll(SILENCE * MOST_RARELY as u32);
    assert_eq!((directory.sites.len(), directory.due()), (0, None));
    let mut peer = Peer::new("a1");
    let names: Vec<String> = (0..100).map(|n| format!("T{n}")).collect();
    let all: Vec<(&str, u32)> = names.iter().map(|name| (&**name, 1)).collect();
    let hash = peer.has(&all);
    directory.records = MOST_TOPICS - 10;
    directory.token(secs(40), "a1", hash, true);
    assert_eq!(peer.answers(secs(41), &mut directory), 1);
    assert_eq!(kinds(&mut directory).len(), 10);
    assert_eq!(peer.answers(secs(60), &mut directory), 0, "it knows that");
    assert_eq!(directory.records, MOST_TOPICS);
}
