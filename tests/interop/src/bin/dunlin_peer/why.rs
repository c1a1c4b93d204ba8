//! A third role that only this peer has: an observer that prints who is in the domain, and why they
//! do not hear each other.
use dunlin::observe::{host, process, vendor_name};
use dunlin::why::Cause;
use dunlin::{DomainParticipant, Duration, ParticipantConfig, Result};
use std::thread;
use std::time::{Duration as Span, Instant};

/// For both sides to be discovered.
const LONG: Span = Span::from_secs(20);

pub(crate) fn main(topic: &str) -> Result<()> {
    let config = ParticipantConfig {
        name: "observer".into(),
        interfaces: vec!["lo".into()],
        ..Default::default()
    };
    let participant = DomainParticipant::with_config(0, config)?;
    let end = Instant::now() + LONG;
    let findings = loop {
        let findings = participant.why(topic, Duration::from_millis(100));
        let missing = |cause| matches!(cause, Cause::Topic | Cause::Nobody | Cause::Unanswering);
        let all_there = !findings.iter().any(|finding| missing(finding.cause));
        if all_there || Instant::now() > end {
            break findings;
        }
        thread::sleep(Span::from_millis(50));
    };
    for other in participant.domain().participants {
        let vendor = vendor_name(other.data.vendor).unwrap_or("unknown");
        let process = process(&other.data).unwrap_or("untold");
        let host = host(&other.data).is_some();
        println!(
            "participant vendor={vendor} process={process} host={host} answers={}",
            other.answers
        );
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    Ok(())
}
