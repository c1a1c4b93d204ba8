//! `dunlin shapes`: shapes on the terminal, one's own and those of others, for people.
//!
//! [`Board`] is what is on the screen and what keys do, without a terminal or a network;
//! [`players`] moves shapes to and from DDS; [`picture`] draws. This file ties them together, 30
//! times a second.
mod board;
#[cfg(test)]
#[path = "../../../../crates/transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;
mod picture;
mod players;

use crate::Stop;
use crate::options::domain_id;
use board::{Board, Key};
use clap::Parser;
use players::Players;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, IsTerminal, Stdout};
use std::process::ExitCode;
use std::time::Duration;

const WRONG_OPTION: u8 = 2;
const FAILED: u8 = 1;
/// Between two pictures.
const FRAME: Duration = Duration::from_millis(33);

/// Moving shapes on the terminal. Publishes what you start and shows what comes on the topics
/// Square, Circle and Triangle, as the shapes demos of other products have them. With -P or -S it
/// is the program of the OMG's interoperability suite.
#[derive(Parser, Debug)]
#[command(name = "dunlin shapes", allow_negative_numbers = true)]
struct Options {
    /// Domain
    #[arg(short, long, value_name = "ID", default_value = "0", value_parser = domain_id)]
    domain: u32,
}

pub(crate) fn main(arguments: Vec<String>) -> ExitCode {
    let name = "dunlin shapes".to_owned();
    let options = match Options::try_parse_from(std::iter::once(name).chain(arguments)) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { WRONG_OPTION } else { 0 });
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("dunlin shapes: {reason}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err("the view needs a terminal; with -P or -S shapes are printed in lines".into());
    }
    let broken = |error: io::Error| format!("the terminal: {error}");
    let stop = Stop::by_signal().map_err(broken)?;
    let mut players = Players::join(options.domain).map_err(|error| error.to_string())?;
    let mut board = Board::new(options.domain);
    let mut screen = Screen::open().map_err(broken)?;
    while !stop.is_asked() && !board.has_ended() {
        players
            .play(&mut board)
            .map_err(|error| error.to_string())?;
        let drawn = screen.0.draw(|frame| picture::draw(frame, &board));
        drawn.map_err(broken)?;
        // Keys that have come, or the time of a picture.
        let mut patience = FRAME;
        while event::poll(patience).map_err(broken)? {
            if let Event::Key(key) = event::read().map_err(broken)?
                && let Some(key) = key_of(&key)
            {
                board.press(key);
            }
            patience = Duration::ZERO;
        }
    }
    Ok(())
}

fn key_of(event: &KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    Some(match event.code {
        KeyCode::Char('c') if event.modifiers.contains(KeyModifiers::CONTROL) => Key::Quit,
        KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
        KeyCode::Left => Key::PreviousColor,
        KeyCode::Right => Key::NextColor,
        KeyCode::Up => Key::PreviousKind,
        KeyCode::Down | KeyCode::Tab => Key::NextKind,
        KeyCode::Char('p') | KeyCode::Enter => Key::Publish,
        KeyCode::Char('s') => Key::Subscribe,
        KeyCode::Char('+' | '=') => Key::Larger,
        KeyCode::Char('-') => Key::Smaller,
        KeyCode::Char(' ') => Key::Pause,
        _ => return None,
    })
}

/// The terminal. Dropping it gives it back as it was.
struct Screen(Terminal<CrosstermBackend<Stdout>>);

impl Screen {
    fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        if opened.is_err() {
            give_back();
        }
        opened.map(Self)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
