//! `dunlin qos diff`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use dunlin::{ReaderSide, WriterSide, check};
use dunlin_profiles::{Entity, Loader, Profiles};

use super::{Files, print};

#[derive(Args)]
pub(super) struct Options {
    /// A profile, Library::Profile, or a file.
    one: String,
    /// Another one.
    other: String,
    /// As they are for this topic, where the profiles have filters.
    #[arg(long)]
    topic: Option<String>,
    #[command(flatten)]
    files: Files,
}

pub(super) fn main(options: &Options) -> ExitCode {
    let files = [&options.one, &options.other].map(|name| Path::new(name).is_file());
    let compared = match files {
        [true, true] => two_files(options),
        [false, false] => match options.files.load() {
            Some(profiles) => two_profiles(&profiles, options),
            None => return ExitCode::from(2),
        },
        _ => Err("compare two profiles or two files, not one of each".to_owned()),
    };
    match compared {
        Ok(text) if text.is_empty() => ExitCode::SUCCESS,
        Ok(text) => {
            print(&text);
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn two_profiles(profiles: &Profiles, options: &Options) -> Result<String, String> {
    let topic = options.topic.as_deref();
    let (one, other) = (options.one.as_str(), options.other.as_str());
    let mut text = differences((profiles, one), (profiles, other), topic)?;
    text += &apart(profiles, one, other, topic)?;
    if one != other {
        text += &apart(profiles, other, one, topic)?;
    }
    Ok(text)
}

/// Policies that differ, with both values.
fn differences(
    one: (&Profiles, &str),
    other: (&Profiles, &str),
    topic: Option<&str>,
) -> Result<String, String> {
    let mut text = String::new();
    for entity in Entity::ALL {
        let lines = |(profiles, name): (&Profiles, &str)| {
            let settings = profiles.settings(name, entity, topic);
            let lines = settings.and_then(|settings| settings.policies(entity));
            lines.map_err(|problem| problem.message)
        };
        let (one, other) = (lines(one)?, lines(other)?);
        let pairs = one.iter().zip(&other);
        let mut pairs = pairs
            .filter(|(one, other)| one.value != other.value)
            .peekable();
        if pairs.peek().is_some() {
            let _ = writeln!(text, "{}", entity.element());
        }
        for (one, other) in pairs {
            let (element, one, other) = (one.element, &one.value, &other.value);
            let _ = writeln!(text, "  {element:<22} {one:<40} {other}");
        }
    }
    Ok(text)
}

/// What keeps writers of one profile and readers of another apart.
fn apart(
    profiles: &Profiles,
    writers: &str,
    readers: &str,
    topic: Option<&str>,
) -> Result<String, String> {
    let settings = |name: &str, entity| {
        let settings = profiles.settings(name, entity, topic);
        settings.map_err(|problem| problem.message)
    };
    let say = |problem: Box<dunlin_document::Problem>| problem.message;
    let writer = settings(writers, Entity::Writer)?.writer().map_err(say)?;
    let publisher = settings(writers, Entity::Publisher)?
        .publisher()
        .map_err(say)?;
    let reader = settings(readers, Entity::Reader)?.reader().map_err(say)?;
    let subscriber = settings(readers, Entity::Subscriber)?
        .subscriber()
        .map_err(say)?;
    let offered = WriterSide {
        writer: &writer,
        publisher: &publisher,
    };
    let requested = ReaderSide {
        reader: &reader,
        subscriber: &subscriber,
    };
    let mut text = String::new();
    for one in check(&offered, &requested) {
        let _ = writeln!(
            text,
            "writers of {writers} do not match readers of {readers}: {one}"
        );
    }
    if !publisher.partition.matches(&subscriber.partition) {
        let (one, other) = (&publisher.partition, &subscriber.partition);
        let _ = writeln!(
            text,
            "writers of {writers} do not match readers of {readers}: PARTITION: {one} and {other}"
        );
    }
    Ok(text)
}

/// Profiles that one file has and the other has not, and what differs in those that both have.
fn two_files(options: &Options) -> Result<String, String> {
    let load = |file: &str| {
        let loader = Loader::new().file(file);
        loader.load().map_err(|error| error.to_string())
    };
    let (one, other) = (load(&options.one)?, load(&options.other)?);
    let names = |profiles: &Profiles| {
        let own = profiles.files().to_vec();
        let all = profiles.profiles().into_iter();
        let own = all.filter(move |info| own.contains(&info.span.source));
        own.map(|info| info.name).collect::<Vec<_>>()
    };
    let (ones, others) = (names(&one), names(&other));
    let mut text = String::new();
    for name in ones.iter().filter(|name| !others.contains(name)) {
        let _ = writeln!(text, "only in {}: {name}", options.one);
    }
    for name in others.iter().filter(|name| !ones.contains(name)) {
        let _ = writeln!(text, "only in {}: {name}", options.other);
    }
    for name in ones.iter().filter(|name| others.contains(name)) {
        let differing = differences((&one, name), (&other, name), options.topic.as_deref())?;
        if !differing.is_empty() {
            let _ = write!(text, "{name}\n{differing}");
        }
    }
    Ok(text)
}
