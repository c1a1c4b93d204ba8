//! In how many datagrams participants tell each other of endpoints.
use crate::domain::{DELAY, Domain, MS, SECOND};
use crate::sample::Keyed;
use dunlin::{DataReader, DomainParticipant};

const TOPICS: usize = 10;

/// Participants that know each other; nobody says anything.
fn meet(count: usize) -> (Domain, Vec<DomainParticipant>) {
    let domain = Domain::new(DELAY);
    let all = (0..count).map(|_| domain.join(false)).collect();
    // The announcements after the last quick one are 3 s apart.
    domain.run_for(2 * SECOND);
    (domain, all)
}

fn make_readers(participant: &DomainParticipant) -> Vec<DataReader<Keyed>> {
    let all = (0..TOPICS).map(|number| participant.reader(&format!("topic {number}")));
    all.map(Result::unwrap).collect()
}

#[test]
fn few_are_told_of_each_endpoint_as_it_is_made() {
    let (domain, all) = meet(4);
    let tells = domain.link(&all[0]);
    tells.record();
    let readers = make_readers(&all[0]);
    assert_eq!(tells.record().len(), TOPICS * (all.len() - 1));
    drop(readers);
}

#[test]
fn many_are_told_together_of_endpoints_that_are_made_together() {
    let (domain, all) = meet(20);
    let tells = domain.link(&all[0]);
    tells.record();
    let readers = make_readers(&all[0]);
    assert!(tells.record().is_empty(), "it waits for what comes next");
    domain.run_for(10 * MS);
    assert_eq!(tells.record().len(), all.len() - 1);
    drop(readers);
}
