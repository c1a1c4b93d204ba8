//! LIVELINESS, all three kinds: a lease ends to the nanosecond, on both sides.
use crate::participant::News;
use crate::stage::{DELAY, MS, SECOND, Stage};
use dunlin_qos::{Duration, Liveliness, LivelinessKind};
use dunlin_wire::Guid;

const LEASE: i64 = 700 * MS;

fn pair(kind: LivelinessKind) -> (Stage, Guid, Guid) {
    let liveliness = Liveliness {
        kind,
        lease_duration: Duration::from_nanos(LEASE),
    };
    let mut all = Stage::pair(|w, r| {
        w.liveliness = liveliness;
        r.liveliness = liveliness;
    });
    // That it came to life when it matched.
    all.0.news.clear();
    all
}

/// What the reader was told, and when; and when the writer was told that its lease ran out.
fn told(stage: &mut Stage) -> (Vec<(i64, bool)>, Vec<i64>) {
    let news = std::mem::take(&mut stage.news);
    let (mut changed, mut lost) = (Vec::new(), Vec::new());
    for (at, news) in news {
        match news {
            News::Liveliness { alive, .. } => changed.push((at, alive)),
            News::LivelinessLost { .. } => lost.push(at),
            _ => {}
        }
    }
    (changed, lost)
}

/// A sign of life now is all there is: the lease ends after it and not before, and the next sign
/// revives the writer.
fn ends_after_its_last_sign(kind: LivelinessKind, show: impl Fn(&mut Stage, Guid)) {
    let (mut stage, writer, _) = pair(kind);
    for _ in 0..5 {
        show(&mut stage, writer);
        stage.run_for(LEASE - 1);
    }
    // It may have been silent before the first sign.
    stage.news.retain(|(at, _)| *at > stage.now - 4 * LEASE);
    assert_eq!(told(&mut stage), (vec![], vec![]), "{kind}");
    show(&mut stage, writer);
    let last = stage.now;
    stage.run_until(last + LEASE - 1);
    assert_eq!(told(&mut stage), (vec![], vec![]), "{kind}");
    stage.run_until(last + LEASE);
    assert_eq!(told(&mut stage), (vec![], vec![last + LEASE]), "{kind}");
    let silent = last + DELAY + LEASE;
    stage.run_until(silent - 1);
    assert_eq!(told(&mut stage), (vec![], vec![]), "{kind}");
    stage.run_until(silent);
    assert_eq!(told(&mut stage), (vec![(silent, false)], vec![]), "{kind}");
    stage.run_for(5 * SECOND);
    assert_eq!(told(&mut stage), (vec![], vec![]), "{kind}: told once");
    show(&mut stage, writer);
    let heard = stage.now + DELAY;
    stage.run_until(heard);
    assert_eq!(told(&mut stage), (vec![(heard, true)], vec![]), "{kind}");
}

#[test]
fn liveliness_by_topic_ends_after_the_last_sign_to_the_nanosecond() {
    let kind = LivelinessKind::ManualByTopic;
    ends_after_its_last_sign(kind, |stage, writer| stage.sample(writer, 1, 1));
    ends_after_its_last_sign(kind, |stage, writer| {
        stage.of(writer).assert_liveliness(writer.entity);
        stage.run_for(0);
    });
}

#[test]
fn liveliness_by_participant_ends_after_the_last_sign_to_the_nanosecond() {
    let kind = LivelinessKind::ManualByParticipant;
    ends_after_its_last_sign(kind, |stage, writer| {
        stage.of(writer).entity().assert_liveliness();
        stage.run_for(0);
    });
}

#[test]
fn liveliness_by_participant_is_shown_by_any_of_its_writers() {
    let kind = LivelinessKind::ManualByParticipant;
    let (mut stage, writer, _) = pair(kind);
    let qos = stage.of(writer).writer_qos(writer.entity);
    let other = stage.writer_of(0, "Circle", qos, Default::default());
    stage.run_for(SECOND);
    stage.sample(other, 1, 1);
    stage.run_for(DELAY);
    told(&mut stage);
    for _ in 0..20 {
        stage.sample(other, 1, 1);
        stage.run_for(LEASE / 2);
    }
    let (changed, _) = told(&mut stage);
    assert_eq!(changed, [], "{writer} is not silent");
}

#[test]
fn liveliness_is_automatic_until_the_participant_is_not_heard_any_more() {
    let (mut stage, ..) = pair(LivelinessKind::Automatic);
    stage.run_for(10 * SECOND);
    assert_eq!(told(&mut stage), (vec![], vec![]));
    stage.cut(0);
    let cut = stage.now;
    stage.run_for(5 * SECOND);
    // What was on its way still came; the lease is that of the last that did.
    let (changed, lost) = told(&mut stage);
    assert_eq!(lost, []);
    let [(silent, false)] = changed[..] else {
        panic!("{changed:?}");
    };
    let last = silent - LEASE;
    assert!(stage.heard.contains(&(1, last)), "{last}");
    assert!(last <= cut + DELAY && silent > cut);
}
