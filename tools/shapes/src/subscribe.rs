//! Prints the shapes that come.
use crate::Stop;
use crate::options::Options;
use crate::report;
use crate::shape::ShapeType;
use dunlin::{
    DataReader, DomainParticipant, InstanceHandle, InstanceState, Result, Sample, Select,
    Subscriber, TopicDescription, Which,
};
use std::time::Duration as Span;

/// One reader for each topic.
pub(crate) struct Subscribers {
    readers: Vec<(String, DataReader<ShapeType>)>,
    subscriber: Subscriber,
}

impl Subscribers {
    pub(crate) fn new(participant: &DomainParticipant, options: &Options) -> Result<Self> {
        let subscriber = participant.create_subscriber(options.subscriber_qos());
        let mut readers = Vec::new();
        for name in options.topics() {
            report::topic(&name);
            let topic = participant.create_topic::<ShapeType>(&name, Default::default())?;
            let Some((expression, parameters)) = options.filter() else {
                readers.push(make(&subscriber, &topic, options)?);
                continue;
            };
            let part = format!("{name}_filtered");
            let part =
                participant.create_contentfilteredtopic(&part, &topic, &expression, &parameters);
            let part = part.inspect_err(|_| report::no_filter())?;
            readers.push(make(&subscriber, &part, options)?);
        }
        Ok(Self {
            readers,
            subscriber,
        })
    }

    /// Looks for samples from time to time until it is told to end.
    pub(crate) fn run(&mut self, options: &Options, stop: &Stop) -> Result<()> {
        let mut turns = 0;
        while !stop.is_asked() {
            if options.coherent {
                println!("Reading coherent sets, iteration {turns}");
            }
            if options.ordered {
                println!("Reading with ordered access, iteration {turns}");
            }
            self.subscriber.begin_access();
            for (topic, reader) in &self.readers {
                look(topic, reader, options);
            }
            self.subscriber.end_access()?;
            turns += 1;
            if turns == options.num_iterations {
                break;
            }
            stop.sleep(Span::from_millis(options.read_period.into()));
        }
        Ok(())
    }
}

/// A reader, and the name under which it shows what comes.
fn make(
    subscriber: &Subscriber,
    topic: &impl TopicDescription<ShapeType>,
    options: &Options,
) -> Result<(String, DataReader<ShapeType>)> {
    let name = topic.name().to_owned();
    report::reader(&name);
    let reader = subscriber.create_datareader(topic, options.reader_qos())?;
    Ok((name, reader))
}

fn look(topic: &str, reader: &DataReader<ShapeType>, options: &Options) {
    let get = |select: &Select| match options.reads {
        true => reader.read_with(select),
        false => reader.take_with(select),
    };
    if options.take_read {
        return show(topic, &get(&Select::default()));
    }
    let mut after = InstanceHandle::NIL;
    loop {
        let samples = get(&Select {
            instance: Some(Which::Next(after)),
            ..Select::default()
        });
        let Some(first) = samples.first() else {
            return;
        };
        after = first.info.instance;
        show(topic, &samples);
    }
}

fn show(topic: &str, samples: &[Sample<ShapeType>]) {
    for sample in samples {
        if let Some(shape) = sample.data() {
            report::sample(topic, shape);
        }
        if sample.info.instance_state != InstanceState::Alive {
            let color = sample.key().map_or("", |key| key.color.as_str());
            report::end(topic, color, sample.info.instance_state);
        }
    }
}
