//! The interop peer on Dunlin: the command line, the output and the exit codes of `peer.h`.

mod options;
mod publisher;
mod run;
mod samples;
mod subscriber;
mod why;

use clap::Parser;
use dunlin::{DomainParticipant, DomainParticipantQos, ParticipantConfig};
use options::{Options, Role, Type};
use run::{Failure, Run};
use samples::{Appendable, Big, Keyed, Mutable, PeerSample, Plain};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, topic] = &words[..]
        && role == "why"
    {
        return match why::main(topic) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(64);
        }
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("{failure}");
            failure.exit_code()
        }
    }
}

fn serve(options: &Options) -> Result<(), Failure> {
    match options.sample_type {
        Type::Plain => serve_type::<Plain>(options),
        Type::Keyed => serve_type::<Keyed>(options),
        Type::Big => serve_type::<Big>(options),
        Type::Appendable => serve_type::<Appendable>(options),
        Type::Mutable => serve_type::<Mutable>(options),
    }
}

fn serve_type<T: PeerSample>(options: &Options) -> Result<(), Failure> {
    // Loopback is all there is in the namespace of a test.
    let config = ParticipantConfig {
        name: "dunlin_peer".into(),
        interfaces: vec!["lo".into()],
        qos: DomainParticipantQos {
            property: options::property(),
            ..Default::default()
        },
        ..Default::default()
    };
    let participant = DomainParticipant::with_config(options.domain, config)?;
    let topic = participant.create_topic::<T>(&options.topic, Default::default())?;
    let mut run = Run::new(options);
    match options.role {
        Role::Pub => {
            let writer = publisher::open(&participant, &topic, options)?;
            println!("ready");
            publisher::run(&mut run, &writer)
        }
        Role::Sub => {
            let reader = subscriber::open(&participant, &topic, options)?;
            println!("ready");
            subscriber::run(&mut run, &reader)
        }
    }
}
