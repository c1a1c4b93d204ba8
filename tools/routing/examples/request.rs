//! Sends a request to a Routing Service over DDS and prints the reply:
//! `request DOMAIN ACTION PATH [BODY]`.
use dunlin::{DataReaderQos, DataWriterQos, DomainParticipant, Duration, Reliability};
use dunlin_routing::administration::{REPLY_TOPIC, REQUEST_TOPIC, Reply, Request};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().unwrap_or_default();
    let participant = DomainParticipant::new(next().parse()?)?;
    let request = Request {
        id: std::process::id().to_string(),
        action: next(),
        path: next(),
        body: next(),
    };
    let reader = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let replies = participant.reader_with::<Reply>(REPLY_TOPIC, reader)?;
    let writer = DataWriterQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let requests = participant.writer_with::<Request>(REQUEST_TOPIC, writer)?;
    requests.wait_for_matched(1, Duration::from_secs(10))?;
    replies.wait_for_matched(1, Duration::from_secs(10))?;
    requests.write(&request)?;
    let mut found = None;
    while found.is_none() {
        replies.wait_for_data(Duration::from_secs(10))?;
        replies.take_each(|sample| {
            let reply = sample.into_data().filter(|reply| reply.id == request.id);
            found = reply.or(found.take());
        });
    }
    if let Some(reply) = found {
        println!("{} {}", reply.code, reply.text.trim_end());
    }
    Ok(())
}
