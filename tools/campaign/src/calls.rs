//! System calls per sample, counted by strace in runs of their own: being counted makes each of
//! them many times slower.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bench::{Network, PUBLISHER, SUBSCRIBER};
use crate::command::this_program;
use crate::record::Measured;
use crate::side::{Program, Task};
use crate::systems::{Trouble, Turn};

/// Calls by name.
pub type Calls = BTreeMap<String, f64>;

/// With fewer samples than this between the runs, starting would be in the figures.
const FEWEST: f64 = 100.0;

/// The two runs of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Long,
}

/// Counts the calls of a cell where that is asked for, once and on this host, and adds them to its
/// cost; what cannot be counted is left out. `tasks` gives both sides of a run, `samples` how many
/// there were, by what they printed.
pub(crate) fn add(
    measured: &mut Measured,
    turn: &Turn<'_>,
    tasks: impl Fn(Length) -> [Task; 2],
    samples: impl Fn(&[String; 2]) -> Option<f64>,
) -> Result<(), Trouble> {
    let here = !matches!(turn.bench.network, Network::Hosts(_));
    if !(turn.bench.counts_calls && turn.repetition == 0 && here) {
        return Ok(());
    }
    if let Ok(sides) = counted(turn, tasks, samples)? {
        for (cost, calls) in measured.cost.iter_mut().zip(sides) {
            if let Some(cost) = cost {
                cost.system_calls = Some(calls.values().sum());
            }
        }
    }
    Ok(())
}

/// A run that has no other figures than its system calls.
pub(crate) fn only(
    turn: &Turn<'_>,
    tasks: impl Fn(Length) -> [Task; 2],
    samples: impl Fn(&[String; 2]) -> Option<f64>,
) -> Result<Measured, Trouble> {
    if let Network::Hosts(_) = turn.bench.network {
        return Err(Trouble::Failed("calls are counted on one host only".into()));
    }
    let sides = counted(turn, tasks, samples)?;
    Ok(Measured {
        calls: Some(sides.map_err(Trouble::Failed)?),
        ..Measured::default()
    })
}

/// Of a short run and a long one; the inner error says why nothing was counted.
fn counted(
    turn: &Turn<'_>,
    tasks: impl Fn(Length) -> [Task; 2],
    samples: impl Fn(&[String; 2]) -> Option<f64>,
) -> Result<Result<[Calls; 2], String>, Trouble> {
    let run = |length| match run(turn, tasks(length), &samples) {
        Ok(counted) => Ok(Ok(counted)),
        Err(Trouble::Failed(reason)) => Ok(Err(reason)),
        Err(other) => Err(other),
    };
    Ok(per_sample([run(Length::Short)?, run(Length::Long)?]))
}

fn run(
    turn: &Turn<'_>,
    tasks: [Task; 2],
    samples: impl Fn(&[String; 2]) -> Option<f64>,
) -> Result<(f64, [Calls; 2]), Trouble> {
    let files = [PUBLISHER, SUBSCRIBER].map(|side| place(turn, side));
    let [publisher, subscriber] = tasks;
    let tasks = [
        traced(publisher, &files[0])?,
        traced(subscriber, &files[1])?,
    ];
    let printed = turn.bench.both(tasks);
    let calls = files.each_ref().map(|file| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        // What is not there need not go.
        let _ = std::fs::remove_file(file);
        parse(&text)
    });
    let samples = samples(&printed?).ok_or("no samples were counted".to_string())?;
    Ok((samples, calls))
}

fn place(turn: &Turn<'_>, side: usize) -> PathBuf {
    let (_, log) = turn.histogram("calls");
    log.with_extension(format!("side{side}"))
}

fn traced(task: Task, file: &Path) -> Result<Task, String> {
    let mut words = vec!["-f".to_string(), "-c".into(), "-o".into()];
    words.push(file.to_string_lossy().into_owned());
    match &task.program {
        Program::Perftest => words.extend(this_program()?),
        Program::Other(path) => words.push(path.to_string_lossy().into_owned()),
    }
    words.extend(task.arguments);
    Ok(Task {
        program: Program::Other("strace".into()),
        arguments: words,
        environment: task.environment,
        log: task.log,
    })
}

/// Calls per sample, from a short run and a long one: what starting and stopping costs cancels out.
pub fn per_sample(
    [short, long]: [Result<(f64, [Calls; 2]), String>; 2],
) -> Result<[Calls; 2], String> {
    let ((few, before), (many, after)) = (short?, long?);
    let samples = many - few;
    if samples < FEWEST {
        return Err("too few samples under strace".into());
    }
    let mut sides = after;
    for (side, before) in sides.iter_mut().zip(before) {
        for (name, count) in side.iter_mut() {
            let before = before.get(name).copied().unwrap_or_default();
            *count = (*count - before).max(0.0) / samples;
        }
    }
    Ok(sides)
}

/// Reads strace's table: the fourth column is the count, the last one the name.
pub fn parse(text: &str) -> Calls {
    text.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let name = cells.last().filter(|name| **name != "total")?;
            let count = cells.get(3)?.parse().ok()?;
            Some(((*name).to_string(), count))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straces_table_is_read() {
        let text = "% time     seconds  usecs/call     calls    errors syscall\n\
                    ------ ----------- ----------- --------- --------- ----------------\n \
                    73.54    0.040210          13      3001           sendmsg\n \
                    26.46    0.014466           4      3010         5 recvmsg\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    100.00    0.054676           9      6011         5 total\n";
        let calls = parse(text);
        assert_eq!(
            (calls["sendmsg"], calls["recvmsg"], calls.len()),
            (3001.0, 3010.0, 2)
        );
    }

    #[test]
    fn what_starting_costs_cancels_out() {
        let calls = |send: f64, open: f64| -> [Calls; 2] {
            let side: Calls = [("sendto".into(), send), ("openat".into(), open)].into();
            [side.clone(), side]
        };
        let sides = per_sample([
            Ok((500.0, calls(510.0, 40.0))),
            Ok((2_500.0, calls(2_510.0, 38.0))),
        ]);
        let [publisher, subscriber] = sides.unwrap();
        assert_eq!((publisher["sendto"], publisher["openat"]), (1.0, 0.0));
        assert_eq!(publisher, subscriber);
        assert!(per_sample([Ok((5.0, calls(1.0, 1.0))), Ok((50.0, calls(1.0, 1.0)))]).is_err());
        assert!(per_sample([Err("gone".into()), Ok((50.0, calls(1.0, 1.0)))]).is_err());
    }
}
