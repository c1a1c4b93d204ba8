//! Shapes to and from DDS: a reader for each kind that is looked at, a writer for each kind that is
//! published.
use super::board::{Board, Kind, Name, Seen};
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, InstanceState,
    ParticipantConfig, Publisher, Result, Subscriber, Topic,
};
use std::collections::{BTreeMap, BTreeSet};

/// The type of the shapes demos: four members. What others have behind them is passed over.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "ShapeType", extensibility = "appendable")]
struct Shape {
    #[key]
    #[topic(bound = 128)]
    color: String,
    x: i32,
    y: i32,
    shapesize: i32,
}

/// The entities behind a board.
pub(super) struct Players {
    participant: DomainParticipant,
    publisher: Publisher,
    subscriber: Subscriber,
    readers: BTreeMap<Kind, DataReader<Shape>>,
    writers: BTreeMap<Kind, DataWriter<Shape>>,
    /// What was published last time.
    published: BTreeSet<Name>,
}

impl Players {
    pub(super) fn join(domain: u32) -> Result<Self> {
        let config = ParticipantConfig {
            name: "dunlin shapes".into(),
            ..ParticipantConfig::default()
        };
        let participant = DomainParticipant::with_config(domain, config)?;
        Ok(Self {
            publisher: participant.create_publisher(Default::default()),
            subscriber: participant.create_subscriber(Default::default()),
            participant,
            readers: BTreeMap::new(),
            writers: BTreeMap::new(),
            published: BTreeSet::new(),
        })
    }

    /// One turn: what the board wants is published, and what has come is put on it.
    pub(super) fn play(&mut self, board: &mut Board) -> Result<()> {
        board.step();
        self.publish(board)?;
        for kind in Kind::ALL {
            if board.subscribes(kind) {
                self.look(kind, board)?;
            } else {
                self.readers.remove(&kind);
            }
            let writers = self.readers.get(&kind).map(|r| r.matched_count());
            let readers = self.writers.get(&kind).map(|w| w.matched_count());
            let count = |of: Option<usize>| of.unwrap_or(0);
            if let Some(matched) = board.matched.get_mut(kind as usize) {
                *matched = (count(writers), count(readers));
            }
        }
        Ok(())
    }

    fn publish(&mut self, board: &Board) -> Result<()> {
        for ((kind, color), mine) in &board.mine {
            let shape = Shape {
                color: color.clone(),
                x: mine.motion.x,
                y: mine.motion.y,
                shapesize: mine.size,
            };
            self.writer(*kind)?.write(&shape)?;
        }
        let now: BTreeSet<Name> = board.mine.keys().cloned().collect();
        for (kind, color) in self.published.difference(&now) {
            let key = Shape {
                color: color.clone(),
                ..Default::default()
            };
            if let Some(writer) = self.writers.get(kind) {
                writer.dispose(&key)?;
            }
        }
        self.published = now;
        Ok(())
    }

    fn writer(&mut self, kind: Kind) -> Result<&DataWriter<Shape>> {
        if !self.writers.contains_key(&kind) {
            let topic = self.topic(kind)?;
            let qos = DataWriterQos::default();
            let writer = self.publisher.create_datawriter(&topic, qos)?;
            self.writers.insert(kind, writer);
        }
        let made = self.writers.get(&kind);
        made.ok_or_else(|| dunlin::Error::PreconditionNotMet("a writer that is not there".into()))
    }

    fn look(&mut self, kind: Kind, board: &mut Board) -> Result<()> {
        if !self.readers.contains_key(&kind) {
            let topic = self.topic(kind)?;
            // Best effort: whoever publishes is heard.
            let qos = DataReaderQos::default();
            let reader = self.subscriber.create_datareader(&topic, qos)?;
            self.readers.insert(kind, reader);
        }
        let Some(reader) = self.readers.get(&kind) else {
            return Ok(());
        };
        for sample in reader.take() {
            if let Some(Shape {
                color,
                x,
                y,
                shapesize: size,
            }) = sample.data()
            {
                let seen = Seen {
                    x: *x,
                    y: *y,
                    size: *size,
                };
                board.see((kind, color.clone()), seen);
            }
            if sample.info.instance_state != InstanceState::Alive
                && let Some(key) = sample.key()
            {
                board.lose(&(kind, key.color.clone()));
            }
        }
        Ok(())
    }

    fn topic(&self, kind: Kind) -> Result<dunlin::Topic<Shape>> {
        self.participant
            .create_topic(kind.topic(), Default::default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Key;
    use super::super::namespace::{LOOPBACK, in_namespace};
    use super::*;
    use crate::shape::ShapeType;
    use std::thread;
    use std::time::{Duration, Instant};

    /// Plays until it is so.
    fn until(players: &mut Players, board: &mut Board, mut done: impl FnMut(&Board) -> bool) {
        let end = Instant::now() + Duration::from_secs(30);
        while !done(board) {
            assert!(Instant::now() < end, "it never came to pass");
            players.play(board).unwrap();
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn shapes_come_from_the_programs_of_the_suite_and_go_there() {
        let test = "view::players::tests::shapes_come_from_the_programs_of_the_suite_and_go_there";
        in_namespace(test, LOOPBACK, || {
            let other = DomainParticipant::new(0).unwrap();
            let topic = other
                .create_topic::<ShapeType>("Square", Default::default())
                .unwrap();
            let publisher = other.create_publisher(Default::default());
            let writer = publisher
                .create_datawriter(&topic, Default::default())
                .unwrap();
            let subscriber = other.create_subscriber(Default::default());
            let reader = subscriber
                .create_datareader(&topic, Default::default())
                .unwrap();

            let mut players = Players::join(0).unwrap();
            let mut board = Board::new(0);
            let red = ShapeType {
                color: "RED".into(),
                x: 11,
                y: 22,
                shapesize: 33,
                additional_payload_size: vec![255; 9],
            };
            let name = (Kind::Square, "RED".to_owned());
            until(&mut players, &mut board, |board| {
                writer.write(&red).unwrap();
                board.seen.contains_key(&name)
            });
            assert_eq!(
                board.seen.get(&name),
                Some(&Seen {
                    x: 11,
                    y: 22,
                    size: 33
                })
            );
            assert_eq!(board.matched[0].0, 1);

            board.press(Key::Publish);
            let mut came = None;
            until(&mut players, &mut board, |_| {
                let samples = reader.take();
                came = samples
                    .iter()
                    .find_map(|s| s.data().filter(|d| d.color == "BLUE").cloned());
                came.is_some()
            });
            let blue = came.unwrap();
            assert_eq!(
                (blue.shapesize, blue.additional_payload_size.len()),
                (30, 0)
            );

            // Its own shapes come back to it as everybody's do, and go when they end.
            let own = (Kind::Square, "BLUE".to_owned());
            until(&mut players, &mut board, |board| {
                board.seen.contains_key(&own)
            });
            board.press(Key::Publish);
            until(&mut players, &mut board, |board| {
                !board.seen.contains_key(&own)
            });
            writer.dispose(&red).unwrap();
            until(&mut players, &mut board, |board| board.seen.is_empty());
        });
    }
}
