//! Writes moving shapes.
use crate::Stop;
use crate::options::{FinalState, Options};
use crate::report;
use crate::shape::{Motion, ShapeType};
use dunlin::{DataWriter, DomainParticipant, Duration, Publisher, Result};
use std::time::Duration as Span;

/// How long the end waits for readers.
const FAREWELL: Duration = Duration::from_secs(1);

/// One writer for each topic.
pub(crate) struct Publishers {
    writers: Vec<(String, DataWriter<ShapeType>)>,
    colors: Vec<String>,
    motion: Motion,
    size: u32,
    publisher: Publisher,
}

impl Publishers {
    pub(crate) fn new(participant: &DomainParticipant, options: &Options) -> Result<Self> {
        let publisher = participant.create_publisher(options.publisher_qos());
        let mut writers = Vec::new();
        for name in options.topics() {
            report::topic(&name);
            let topic = participant.create_topic::<ShapeType>(&name, Default::default())?;
            report::writer(&name, options.color());
            let writer = publisher.create_datawriter(&topic, options.writer_qos())?;
            writers.push((name, writer));
        }
        Ok(Self {
            writers,
            colors: options.colors(),
            motion: Motion::random(),
            size: options.size,
            publisher,
        })
    }

    /// Writes until it is told to end; never waits for a reader.
    pub(crate) fn run(&mut self, options: &Options, stop: &Stop) -> Result<()> {
        let mut turns = 0;
        while !stop.is_asked() {
            self.motion.step();
            self.grow(options);
            let turn_of_set = options.turns_of_a_set().map(|most| (turns % most, most));
            if let Some((0, _)) = turn_of_set {
                println!("Started Coherent Set");
                self.publisher.begin_coherent_changes();
            }
            self.write(options)?;
            if turn_of_set.is_some_and(|(turn, most)| turn + 1 == most) {
                println!("Finished Coherent Set");
                self.publisher.end_coherent_changes()?;
            }
            turns += 1;
            if turns == options.num_iterations {
                break;
            }
            stop.sleep(Span::from_millis(options.write_period.into()));
        }
        self.finish(options)
    }

    fn grow(&mut self, options: &Options) {
        if options.size > 0 {
            return;
        }
        self.size = match options.size_modulo {
            0 => self.size + 1,
            modulo => self.size % modulo + 1,
        };
    }

    fn write(&self, options: &Options) -> Result<()> {
        let payload = vec![255; options.additional_payload_size as usize];
        for (topic, writer) in &self.writers {
            for color in &self.colors {
                let shape = ShapeType {
                    color: color.clone(),
                    x: self.motion.x,
                    y: self.motion.y,
                    shapesize: i32::try_from(self.size).unwrap_or(i32::MAX),
                    additional_payload_size: payload.clone(),
                };
                writer.write(&shape)?;
                if options.prints {
                    report::sample(topic, &shape);
                }
            }
        }
        Ok(())
    }

    fn finish(&self, options: &Options) -> Result<()> {
        for (_, writer) in &self.writers {
            for color in &self.colors {
                let key = ShapeType {
                    color: color.clone(),
                    ..Default::default()
                };
                match options.final_instance_state {
                    None => {}
                    Some(FinalState::Unregister) => drop(writer.unregister_instance(&key)?),
                    Some(FinalState::Dispose) => drop(writer.dispose(&key)?),
                }
            }
        }
        for (_, writer) in &self.writers {
            // A reader that is slow is not waited for any longer.
            let _ = writer.wait_for_acknowledgments(FAREWELL);
        }
        Ok(())
    }
}
