//! A writer and its readers over a network that does to their messages what the bytes say.
use crate::script::Script;
use common::{Link, MS, World, reader_guid, reliable_reader, reliable_writer, sample, writer_guid};
use dunlin_qos::{Durability, ResourceLimits};
use dunlin_rtps::{ReaderConfig, WriteError, WriterConfig};

#[path = "../../crates/rtps/tests/common/mod.rs"]
mod common;

/// Beyond these, inputs only get slower.
const OPERATIONS: usize = 200;
const WRITES: u32 = 1000;

/// What every reliable reader of a KEEP_ALL writer gets in the end: all, once, in order, however it
/// was written, taken, lost and delayed, and whenever readers came.
pub fn conversation(data: &[u8]) {
    let mut script = Script::new(data);
    let (writer, readers) = configs(&mut script);
    let mut world = World::new(script.short().into(), Link::default());
    world.add_writer(&writer);
    // From which number on each reader has to get all, if it has come.
    let mut from = [None; 2];
    let mut written = 0;
    for _ in 0..OPERATIONS {
        if script.is_over() {
            break;
        }
        match script.choice(8) {
            0..3 => write(&mut script, &mut world, &mut written),
            3 | 4 => world.run_for(i64::from(script.byte()) * MS),
            5 => world.link = link(&mut script),
            6 => {
                world.takes = script.flag();
                let here = readers.iter().zip(from).filter(|(_, from)| from.is_some());
                for (reader, _) in here.filter(|_| script.flag()) {
                    world.take(reader.guid);
                }
            }
            _ => {
                let which = usize::from(script.choice(2));
                if from[which].is_none() {
                    world.add_reader(&readers[which]);
                    world.connect(&writer, &readers[which]);
                    let late = writer.durability == Durability::Volatile
                        || readers[which].durability == Durability::Volatile;
                    // With a limit, the history is what is left of it.
                    let kept = world.writers[&writer.guid].kept() as u32;
                    from[which] = Some(if late { written } else { written - kept });
                }
            }
        }
    }
    world.link = Link::default();
    world.takes = true;
    for (config, from) in readers.iter().zip(from) {
        let Some(from) = from else { continue };
        world.take(config.guid);
        world.settle();
        world.take(config.guid);
        let got = world.numbers(config.guid);
        assert!(
            got.iter().copied().eq(from..written),
            "{from}..{written}: {got:?}"
        );
    }
    assert_eq!(world.lost, 0);
}

fn configs(script: &mut Script<'_>) -> (WriterConfig, [ReaderConfig; 2]) {
    let durability = |script: &mut Script<'_>| match script.flag() {
        true => Durability::TransientLocal,
        false => Durability::Volatile,
    };
    let limits = |script: &mut Script<'_>| ResourceLimits {
        max_samples: script.limit(),
        ..ResourceLimits::default()
    };
    let writer = WriterConfig {
        history: dunlin_qos::History::KeepAll,
        durability: durability(script),
        resource_limits: limits(script),
        fragment_size: Some(20 + u16::from(script.byte())),
        heartbeat_window: u32::from(script.byte()),
        ..reliable_writer()
    };
    let readers = [1, 2].map(|n| ReaderConfig {
        guid: reader_guid(n),
        durability: durability(script),
        resource_limits: limits(script),
        max_pending: 1 + u32::from(script.byte()),
        ..reliable_reader()
    });
    (writer, readers)
}

fn write(script: &mut Script<'_>, world: &mut World, written: &mut u32) {
    let (count, size) = (1 + script.choice(40), script.byte());
    for _ in 0..count {
        let change = sample(u32::from(count % 3), *written, size.into());
        match world.write(writer_guid(1), &change) {
            Ok(_) => *written += 1,
            Err(WriteError::Full) => break,
            Err(error) => panic!("{error}"),
        }
        if *written == WRITES {
            break;
        }
    }
}

fn link(script: &mut Script<'_>) -> Link {
    Link {
        loss: u64::from(script.choice(101)),
        duplicate: u64::from(script.choice(50)),
        reorder: u64::from(script.choice(101)),
        delay: i64::from(script.byte()) * MS / 8,
        jitter: i64::from(script.byte()) * MS,
    }
}
