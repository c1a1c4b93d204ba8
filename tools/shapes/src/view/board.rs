//! What is on the screen, and what keys do to it.
use crate::shape::Motion;
use std::collections::BTreeMap;

/// The topics of all shapes demos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Square,
    Circle,
    Triangle,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Square, Self::Circle, Self::Triangle];

    pub(super) fn topic(self) -> &'static str {
        match self {
            Self::Square => "Square",
            Self::Circle => "Circle",
            Self::Triangle => "Triangle",
        }
    }
}

/// The colors of all shapes demos.
pub(super) const COLORS: [&str; 8] = [
    "BLUE", "RED", "GREEN", "YELLOW", "ORANGE", "CYAN", "MAGENTA", "PURPLE",
];
const SIZES: std::ops::RangeInclusive<i32> = 10..=100;
const SIZE_STEP: i32 = 5;

/// A shape that comes from anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) size: i32,
}

/// A shape that is published from here.
#[derive(Clone, Debug)]
pub(super) struct Mine {
    pub(super) motion: Motion,
    pub(super) size: i32,
}

/// Which shape: there is at most one of a kind and color.
pub(super) type Name = (Kind, String);

/// What a person may want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    NextColor,
    PreviousColor,
    NextKind,
    PreviousKind,
    Publish,
    Subscribe,
    Larger,
    Smaller,
    Pause,
    Quit,
}

pub(super) struct Board {
    pub(super) domain: u32,
    kind: usize,
    color: usize,
    pub(super) size: i32,
    pub(super) paused: bool,
    ended: bool,
    pub(super) mine: BTreeMap<Name, Mine>,
    pub(super) seen: BTreeMap<Name, Seen>,
    subscribed: [bool; 3],
    /// How many writers and readers of others are matched, for each kind.
    pub(super) matched: [(usize, usize); 3],
}

impl Board {
    /// Everything is subscribed to, nothing published.
    pub(super) fn new(domain: u32) -> Self {
        Self {
            domain,
            kind: 0,
            color: 0,
            size: 30,
            paused: false,
            ended: false,
            mine: BTreeMap::new(),
            seen: BTreeMap::new(),
            subscribed: [true; 3],
            matched: [(0, 0); 3],
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The kind that is chosen.
    pub(super) fn kind(&self) -> Kind {
        Kind::ALL.get(self.kind).copied().unwrap_or(Kind::Square)
    }

    /// The color that is chosen.
    pub(super) fn color(&self) -> &'static str {
        COLORS.get(self.color).copied().unwrap_or("BLUE")
    }

    pub(super) fn subscribes(&self, kind: Kind) -> bool {
        self.subscribed.get(kind as usize).copied().unwrap_or(false)
    }

    pub(super) fn press(&mut self, key: Key) {
        match key {
            Key::NextColor => self.color = (self.color + 1) % COLORS.len(),
            Key::PreviousColor => self.color = (self.color + COLORS.len() - 1) % COLORS.len(),
            Key::NextKind => self.kind = (self.kind + 1) % Kind::ALL.len(),
            Key::PreviousKind => self.kind = (self.kind + Kind::ALL.len() - 1) % Kind::ALL.len(),
            Key::Publish => self.toggle_shape(),
            Key::Subscribe => self.toggle_subscription(),
            Key::Larger => self.resize(SIZE_STEP),
            Key::Smaller => self.resize(-SIZE_STEP),
            Key::Pause => self.paused = !self.paused,
            Key::Quit => self.ended = true,
        }
    }

    /// The shape that is chosen begins, or ends.
    fn toggle_shape(&mut self) {
        let name = (self.kind(), self.color().to_owned());
        if self.mine.remove(&name).is_none() {
            let mine = Mine {
                motion: Motion::random(),
                size: self.size,
            };
            self.mine.insert(name, mine);
        }
    }

    fn toggle_subscription(&mut self) {
        let kind = self.kind();
        if let Some(subscribed) = self.subscribed.get_mut(kind as usize) {
            *subscribed = !*subscribed;
        }
        self.seen.retain(|(of, _), _| *of != kind);
    }

    /// Of what comes next, and of the shape that is chosen if it is there.
    fn resize(&mut self, change: i32) {
        self.size = (self.size + change).clamp(*SIZES.start(), *SIZES.end());
        let name = (self.kind(), self.color().to_owned());
        if let Some(mine) = self.mine.get_mut(&name) {
            mine.size = self.size;
        }
    }

    /// Own shapes move on.
    pub(super) fn step(&mut self) {
        if !self.paused {
            self.mine.values_mut().for_each(|mine| mine.motion.step());
        }
    }

    /// Somebody's shape is there now.
    pub(super) fn see(&mut self, name: Name, seen: Seen) {
        self.seen.insert(name, seen);
    }

    /// A shape has nobody any more who moves it.
    pub(super) fn lose(&mut self, name: &Name) {
        self.seen.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_choose_begin_end_and_resize() {
        let mut board = Board::new(0);
        board.press(Key::PreviousColor);
        board.press(Key::NextKind);
        assert_eq!((board.kind(), board.color()), (Kind::Circle, "PURPLE"));
        board.press(Key::Publish);
        let name = (Kind::Circle, "PURPLE".to_owned());
        assert_eq!(board.mine[&name].size, 30);
        (0..100).for_each(|_| board.press(Key::Larger));
        assert_eq!(board.mine[&name].size, 100);
        board.press(Key::Publish);
        assert!(board.mine.is_empty() && !board.has_ended());
        board.press(Key::Quit);
        assert!(board.has_ended());
    }

    #[test]
    fn what_is_not_subscribed_to_vanishes_and_what_is_paused_rests() {
        let mut board = Board::new(0);
        let name = (Kind::Square, "RED".to_owned());
        let (x, y, size) = (1, 2, 3);
        board.see(name.clone(), Seen { x, y, size });
        board.press(Key::Subscribe);
        assert!(board.seen.is_empty() && !board.subscribes(Kind::Square));
        board.press(Key::Publish);
        board.press(Key::Pause);
        let place = |board: &Board| board.mine.values().map(|m| (m.motion.x, m.motion.y)).next();
        let before = place(&board);
        board.step();
        assert_eq!(place(&board), before);
        board.press(Key::Pause);
        board.step();
        assert_ne!(place(&board), before);
    }
}
