//! Readers that tests look at a service with.
use crate::sample::Keyed;
use dunlin::untyped::{TypeSupport, UntypedReader, UntypedReaderOptions};
use dunlin::{DataReaderQos, DomainParticipant, SubscriberQos, TopicQos};

/// A reader that takes what comes by each way.
pub(crate) fn of_each_way(of: &DomainParticipant, qos: &DataReaderQos) -> UntypedReader {
    let support = TypeSupport::of::<Keyed>();
    let topic = of.create_untyped_topic("Square", &support, TopicQos::default());
    let options = UntypedReaderOptions {
        duplicates: None,
        ..UntypedReaderOptions::default()
    };
    let subscriber = of.create_subscriber(SubscriberQos::default());
    let qos = qos.clone();
    subscriber
        .create_untyped_datareader_with_options(&topic.unwrap(), qos, options, None::<()>)
        .unwrap()
}
