//! What is wrong with a peer descriptor, and where.
use std::fmt;

/// Columns of text that are shown.
const WIDTH: usize = 300;

/// A mistake in a peer descriptor. Shown with the text, a line of carets under the part that is
/// wrong, and what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerError {
    text: String,
    /// Bytes of the text before the wrong part, and in it.
    at: usize,
    length: usize,
    why: String,
}

impl PeerError {
    /// What is expected, in a line.
    pub const FORM: &'static str = "[index@][class://]address[:port]";

    /// `part` lies in `text`.
    pub(super) fn new(text: &str, part: &str, why: impl Into<String>) -> Self {
        Self {
            at: (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize),
            length: part.len(),
            text: text.to_owned(),
            why: why.into(),
        }
    }

    /// As `new`, of something that is there; `why` follows its name.
    pub(super) fn of(text: &str, part: &str, why: impl fmt::Display) -> Self {
        Self::new(text, part, format!("{part:?} {why}"))
    }

    /// The first byte of the wrong part, counted from 1.
    pub fn byte(&self) -> usize {
        self.at.saturating_add(1)
    }

    /// The text as it is shown: one line, one column a character.
    fn line(&self) -> String {
        let shown = |c: char| if dunlin_qos::is_printable(c) { c } else { '?' };
        self.text.chars().take(WIDTH).map(shown).collect()
    }

    /// Columns before the carets, and carets: always under the line, or where it ends if something
    /// is missing there.
    fn columns(&self) -> (usize, usize) {
        let columns = |bytes: Option<&str>| bytes.map_or(0, |b| b.chars().count());
        let end = self.at.saturating_add(self.length);
        let before = columns(self.text.get(..self.at)).min(WIDTH);
        let under = columns(self.text.get(self.at..end));
        let room = WIDTH.saturating_sub(before).max(1);
        (before, under.clamp(1, room))
    }
}

impl fmt::Display for PeerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, under) = self.columns();
        writeln!(f, "peer descriptor, byte {}: {}", self.byte(), self.why)?;
        writeln!(f, "  {}", self.line())?;
        writeln!(f, "  {}{}", " ".repeat(before), "^".repeat(under))?;
        write!(
            f,
            "expected {}: index N (participants 0 to N), [N] (N alone) or [A-B]; class udpv4, shmem, tcpv4_lan, tcpv4_wan, tlsv4_lan or \
             tlsv4_wan; for example 4@udpv4://192.168.1.2",
            Self::FORM
        )
    }
}

impl std::error::Error for PeerError {}
