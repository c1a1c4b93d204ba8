//! The command line that all peers share.

use clap::{Parser, ValueEnum};
use dunlin::{
    BinaryProperty, DataRepresentation, Durability, Duration, History, Ownership, Partition,
    Properties, Reliability,
};

/// As many as `peer.c` has room for.
const MAX_INSTANCES: i64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Role {
    Pub,
    Sub,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Type {
    Plain,
    Keyed,
    Big,
    Appendable,
    Mutable,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum ReliabilityOption {
    Be,
    Reliable,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum DurabilityOption {
    Volatile,
    TransientLocal,
}

/// `peer pub|sub` and what follows; `peer.h` says what each option means.
#[derive(Debug, Parser)]
#[command(
    rename_all = "kebab-case",
    disable_help_subcommand = true,
    args_override_self = true
)]
pub(crate) struct Options {
    pub(crate) role: Role,
    #[arg(long)]
    pub(crate) topic: String,
    #[arg(long = "type", default_value = "plain")]
    pub(crate) sample_type: Type,
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=232))]
    pub(crate) domain: u32,
    #[arg(long, default_value = "be")]
    reliability: ReliabilityOption,
    #[arg(long, default_value = "volatile")]
    durability: DurabilityOption,
    #[arg(long, default_value = "keep-last:1", value_parser = parse_history)]
    pub(crate) history: History,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    xcdr: u8,
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(i32).range(0..=1_000_000))]
    pub(crate) count: i32,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=MAX_INSTANCES))]
    pub(crate) instances: i32,
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(0..=16 << 20))]
    pub(crate) size: u32,
    #[arg(long, default_value_t = 0)]
    pub(crate) period_us: u32,
    #[arg(long, default_value_t = 200)]
    pub(crate) settle_ms: u32,
    #[arg(long, default_value_t = 0)]
    deadline_ms: u32,
    #[arg(long)]
    lifespan_ms: Option<u32>,
    #[arg(long)]
    time_filter_ms: Option<u32>,
    #[arg(long, default_value_t = 0)]
    pub(crate) take_delay_ms: u32,
    #[arg(long, value_parser = clap::value_parser!(i32).range(0..=1_000_000))]
    strength: Option<i32>,
    #[arg(long)]
    partition: Option<String>,
    #[arg(long)]
    pub(crate) filter: Option<String>,
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub(crate) timeout_s: u32,
    #[arg(long, default_value_t = 1)]
    pub(crate) wait_match: i32,
    #[arg(long)]
    pub(crate) dispose: bool,
    #[arg(long)]
    pub(crate) unregister: bool,
    /// Deletes the writer in the end, which disposes its instances.
    #[arg(long)]
    pub(crate) delete: bool,
    #[arg(long)]
    pub(crate) hold: bool,
    #[arg(long)]
    pub(crate) expect_incompatible: bool,
    #[arg(long)]
    pub(crate) expect_nothing: bool,
    #[arg(long)]
    pub(crate) expect_deadline_missed: bool,
}

/// Nobody minds what we say of ourselves, texts and bytes.
pub(crate) fn property() -> Properties {
    let mut all = Properties::default().with("place", "mudflat");
    all.binary_values.push(BinaryProperty {
        name: "depth".into(),
        value: vec![0, 1, 2],
        propagate: true,
    });
    all
}

impl Options {
    pub(crate) fn reliability(&self) -> Reliability {
        match self.reliability {
            ReliabilityOption::Be => Reliability::BEST_EFFORT,
            ReliabilityOption::Reliable => Reliability {
                max_blocking_time: Duration::from_secs(5),
                ..Reliability::RELIABLE
            },
        }
    }

    pub(crate) fn durability(&self) -> Durability {
        match self.durability {
            DurabilityOption::Volatile => Durability::Volatile,
            DurabilityOption::TransientLocal => Durability::TransientLocal,
        }
    }

    pub(crate) fn representation(&self) -> DataRepresentation {
        match self.xcdr {
            1 => DataRepresentation::Xcdr1,
            _ => DataRepresentation::Xcdr2,
        }
    }

    pub(crate) fn deadline(&self) -> Duration {
        match self.deadline_ms {
            0 => Duration::INFINITE,
            ms => Duration::from_millis(ms),
        }
    }
}

impl Options {
    pub(crate) fn lifespan(&self) -> Duration {
        self.lifespan_ms
            .map_or(Duration::INFINITE, Duration::from_millis)
    }

    pub(crate) fn time_filter(&self) -> Duration {
        self.time_filter_ms
            .map_or(Duration::ZERO, Duration::from_millis)
    }

    pub(crate) fn ownership(&self) -> Ownership {
        match self.strength {
            Some(_) => Ownership::Exclusive,
            None => Ownership::Shared,
        }
    }

    pub(crate) fn strength(&self) -> i32 {
        self.strength.unwrap_or_default()
    }

    pub(crate) fn partition(&self) -> Partition {
        Partition(self.partition.iter().cloned().collect())
    }
}

fn parse_history(text: &str) -> Result<History, String> {
    if text == "keep-all" {
        return Ok(History::KeepAll);
    }
    let depth = text
        .strip_prefix("keep-last:")
        .and_then(|depth| depth.parse().ok());
    match depth {
        Some(depth @ 1..) => Ok(History::KeepLast(depth)),
        _ => Err("expected keep-all or keep-last:N with N from 1".into()),
    }
}
