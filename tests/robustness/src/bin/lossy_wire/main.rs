//! Cables in one network namespace, each between two interfaces. They lose, double, reorder, delay
//! and corrupt what they carry, as a seed decides. For kernels without `netem`.
//!
//! `lossy_wire IF IF [IF IF]... [seed=N] [loss=PERCENT] [dup=P] [reorder=P] [corrupt=P] [delay=MS]
//! [jitter=MS] [rate=MBIT] [queue=KIB]` runs until its standard input ends. Lines on the input
//! change it meanwhile: `cut`, `heal`, or any of the settings; each is answered with one line of
//! counts.
//! Faults concern IPv4 alone, each direction for itself; everything else (ARP) passes, unless the
//! cable is cut.
//!
//! With a rate each direction carries so many millions of bits a second, all that goes round a
//! frame counted; a frame waits until those before it have left, and is lost if more than the queue
//! is before it [65,536 KiB]. 0 is no rate.
//!
//! The UDP checksum of what passes is cleared, which means "none" over IPv4: interfaces of the kind
//! `veth` leave it to a network card that does not exist, and a flipped bit is to reach the
//! receiver.
#![forbid(unsafe_code)]

mod cable;
mod dice;
mod frame;
mod line;
mod settings;

use cable::Cables;
use settings::Settings;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Sender, TryRecvError, channel};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = std::env::args().skip(1);
    let (words, names): (Vec<_>, Vec<_>) = words.partition(|word| word.contains('='));
    if names.is_empty() || names.len() % 2 != 0 {
        return Err("usage: lossy_wire INTERFACE INTERFACE... [setting=value]...".into());
    }
    let mut settings = Settings::default();
    words.iter().try_for_each(|word| settings.apply(word))?;
    let mut cables = Cables::open(&names, settings.seed)?;
    let (commands, lines) = channel();
    std::thread::spawn(move || read(&commands));
    println!("ready");
    loop {
        match lines.try_recv() {
            Ok(line) => obey(&line, &mut settings, &cables)?,
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
        cables.turn(&settings)?;
    }
}

fn read(commands: &Sender<String>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if commands.send(line).is_err() {
            return;
        }
    }
}

fn obey(
    line: &str,
    settings: &mut Settings,
    cables: &Cables,
) -> Result<(), Box<dyn std::error::Error>> {
    line.split_whitespace()
        .try_for_each(|word| settings.apply(word))?;
    println!("{}", cables.counts());
    std::io::stdout().flush()?;
    Ok(())
}
