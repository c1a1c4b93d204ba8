//! Wait set: one thread waits for samples, for a change of a status, and for a word from another
//! thread.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Duration, GuardCondition, History,
    Reliability, Select, StatusKind, Topic, WaitSet,
};
use std::thread;

#[derive(Topic, Debug)]
struct Count {
    value: u32,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer_with::<Count>(
        "Counts",
        DataWriterQos {
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for value in 1..=3 {
        writer.write(&Count { value })?;
    }
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe() -> dunlin::Result<()> {
    let reader = DomainParticipant::new(0)?.reader_with::<Count>(
        "Counts",
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    let data = reader.read_condition(Select::default());
    let matched = reader.status_condition();
    matched.set_enabled_statuses(StatusKind::SubscriptionMatched.into());
    let stop = GuardCondition::new();

    let wait_set = WaitSet::new();
    wait_set.attach(data.clone());
    wait_set.attach(matched.clone());
    wait_set.attach(stop.clone());

    while !stop.trigger_value() {
        wait_set.wait(Duration::from_secs(30))?;
        if matched.trigger_value() {
            // Asking for the status resets the condition. A writer may come and go before this
            // thread runs, so this prints the count of all that came.
            let status = reader.subscription_matched_status();
            println!("writers so far: {}", status.total_count);
        }
        reader.take_each(|sample| {
            let Some(count) = sample.data() else { return };
            println!("{count:?}");
            if count.value == 3 {
                // Any thread may do this.
                let stop = stop.clone();
                thread::spawn(move || stop.set_trigger_value(true));
            }
        });
    }
    println!("told to stop");
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
