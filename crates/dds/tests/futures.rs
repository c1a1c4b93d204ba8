//! Streams and futures on more than one executor: whoever receives wakes the task.
mod common;

use common::{Keyed, Net, reader, reliable_all, writer};
use dunlin::*;
use futures_util::{StreamExt, future};
use std::time::Duration as Span;

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

fn pair() -> (DataWriter<Keyed>, DataReader<Keyed>, [DomainParticipant; 2]) {
    let net = Net::new(0.0);
    let both = [net.participant(), net.participant()];
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&both[0], "T", wqos);
    let reader = reader::<Keyed>(&both[1], "T", rqos);
    (writer, reader, both)
}

async fn matched(writer: &DataWriter<Keyed>, reader: &DataReader<Keyed>) {
    let status = writer.status_condition();
    status.set_enabled_statuses(StatusKind::PublicationMatched.into());
    Condition::from(status).wait_async().await.unwrap();
    let status = reader.status_condition();
    status.set_enabled_statuses(StatusKind::SubscriptionMatched.into());
    Condition::from(status).wait_async().await.unwrap();
}

#[test]
fn samples_stream_on_a_small_executor() {
    let (writer, reader, _both) = pair();
    futures_executor::block_on(async {
        matched(&writer, &reader).await;
        let sender = std::thread::spawn({
            let writer = writer.clone();
            move || {
                for number in 0..100 {
                    writer.write(&bird(number)).unwrap();
                    if number % 10 == 0 {
                        std::thread::sleep(Span::from_millis(2));
                    }
                }
            }
        });
        let numbers: Vec<u32> = reader
            .stream()
            .filter_map(|sample| future::ready(sample.into_data().map(|data| data.number)))
            .take(100)
            .collect()
            .await;
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        sender.join().unwrap();
        writer
            .wait_for_acknowledgments_async()
            .unwrap()
            .await
            .unwrap();
    });
}

#[test]
fn ping_and_pong_are_two_tasks_of_one_thread() {
    let (ping, pinged, both) = pair();
    let (wqos, rqos) = reliable_all();
    let pong = writer::<Keyed>(&both[1], "U", wqos);
    let ponged = reader::<Keyed>(&both[0], "U", rqos);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let all = async {
        matched(&ping, &pinged).await;
        matched(&pong, &ponged).await;
        let echo = async {
            let mut stream = pinged.stream();
            for _ in 0..50 {
                let sample = stream.next().await.unwrap();
                pong.write(sample.data().unwrap()).unwrap();
            }
        };
        let ask = async {
            let mut stream = ponged.stream();
            for number in 0..50 {
                ping.write(&bird(number)).unwrap();
                let sample = stream.next().await.unwrap();
                assert_eq!(sample.data(), Some(&bird(number)));
            }
        };
        future::join(echo, ask).await;
        ping.wait_for_acknowledgments_async()
            .unwrap()
            .await
            .unwrap();
    };
    runtime.block_on(async {
        tokio::time::timeout(Span::from_secs(300), all)
            .await
            .unwrap();
        // What nobody writes does not come, and the stream can be given up.
        let mut stream = pinged.stream();
        let nothing = tokio::time::timeout(Span::from_millis(20), stream.next()).await;
        assert!(nothing.is_err());
    });
}

#[test]
fn streams_and_futures_end_with_their_entity() {
    let (writer, reader, _both) = pair();
    let mut stream = reader.stream();
    let condition = Condition::from(reader.read_condition(Select::default()));
    let subscriber = reader.subscriber().unwrap();
    let deleter = std::thread::spawn(move || {
        std::thread::sleep(Span::from_millis(50));
        subscriber.delete_datareader(&reader).unwrap();
    });
    futures_executor::block_on(async {
        let triggered = condition.wait_async().await;
        assert!(matches!(triggered, Err(Error::AlreadyDeleted { .. })));
        assert!(stream.next().await.is_none());
    });
    deleter.join().unwrap();
    drop(writer);
}
