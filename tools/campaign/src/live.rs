//! Progress as a picture: all cells with their medians, run by run. It is drawn between runs only,
//! so it costs no run anything.

use std::io::{self, Stderr};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Cell as Field, Gauge, Row, Table, TableState};
use ratatui::{Frame, text::Text};

use crate::drive::{Progress, View};
use crate::lines::{remaining, short};
use crate::record::{Campaign, Measured, Outcome, Run};

/// The heights of a sparkline's bars.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The picture on a terminal. Dropping it gives the terminal back.
pub(crate) struct Live {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    picture: Picture,
}

impl Live {
    /// Takes the terminal at stderr.
    pub(crate) fn open(campaign: &Campaign, runs: &[Run]) -> io::Result<Self> {
        let mut picture = Picture::new(campaign);
        runs.iter().for_each(|run| picture.add(run));
        execute!(io::stderr(), EnterAlternateScreen, Hide)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
        Ok(Self { terminal, picture })
    }

    fn draw(&mut self, progress: &Progress<'_>) {
        let picture = &self.picture;
        // A terminal that is gone does not stop a campaign.
        let _ = self.terminal.draw(|frame| picture.draw(frame, progress));
    }
}

impl View for Live {
    fn begins(&mut self, progress: &Progress<'_>) {
        self.draw(progress);
    }

    fn ended(&mut self, _: &Progress<'_>, run: &Run) {
        self.picture.add(run);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = execute!(io::stderr(), Show, LeaveAlternateScreen);
    }
}

/// What is drawn.
struct Picture {
    name: String,
    /// Name of each cell, its figures run by run, and what its last run said.
    rows: Vec<(String, Vec<f64>, String)>,
}

impl Picture {
    fn new(campaign: &Campaign) -> Self {
        let row = |cell: &crate::record::Cell| (cell.to_string(), vec![], String::new());
        Self {
            name: campaign.name.clone(),
            rows: campaign.cells.iter().map(row).collect(),
        }
    }

    fn add(&mut self, run: &Run) {
        let name = run.cell.to_string();
        if let Some((_, figures, last)) = self.rows.iter_mut().find(|(own, ..)| *own == name) {
            *last = short(&run.outcome);
            if let Outcome::Measured(measured) = &run.outcome {
                figures.extend(figure(measured));
            }
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, progress: &Progress<'_>) {
        let areas = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(1),
        ]);
        let [title, gauge, table] = areas.areas(frame.area());
        let left = remaining(progress.remaining);
        let (done, total, failed) = (progress.done, progress.total, progress.failed);
        let failed = match failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let text = format!(
            "perftest campaign {}: run {} of {total}{failed}, {left} left. Ctrl-C stops; --resume goes on.",
            self.name,
            done + 1
        );
        frame.render_widget(Line::from(text).bold(), title);
        let ratio = done as f64 / (total.max(1)) as f64;
        let bar = Gauge::default()
            .ratio(ratio.clamp(0.0, 1.0))
            .use_unicode(true);
        frame.render_widget(bar, gauge);
        self.draw_table(frame, table, progress);
    }

    fn draw_table(&self, frame: &mut Frame<'_>, area: Rect, progress: &Progress<'_>) {
        let current = progress.cell.to_string();
        let index = self.rows.iter().position(|(name, ..)| *name == current);
        let rows = self.rows.iter().map(|(name, figures, last)| {
            let style = match last.starts_with("failed") {
                true => Style::new().add_modifier(Modifier::BOLD).red(),
                false => Style::new(),
            };
            let field = |text: String| Field::from(Text::from(text));
            Row::new([
                field(name.clone()),
                field(sparkline(figures)),
                field(last.clone()),
            ])
            .style(style)
        });
        let widths = [
            Constraint::Percentage(50),
            Constraint::Length(12),
            Constraint::Percentage(50),
        ];
        let table = Table::new(rows, widths)
            .header(Row::new(["cell", "runs", "last run"]).dim())
            .row_highlight_style(Style::new().reversed());
        let mut state = TableState::new().with_selected(index);
        frame.render_stateful_widget(table, area, &mut state);
    }
}

/// What a sparkline shows of a run.
fn figure(measured: &Measured) -> Option<f64> {
    let latency = measured.latency.as_ref();
    let latency = latency.map(|latency| latency.percentiles[0] as f64);
    latency.or(Some(measured.throughput.as_ref()?.samples_per_second))
}

/// The last figures as bars from zero to the highest, so that noise looks as small as it is.
fn sparkline(figures: &[f64]) -> String {
    let highest = figures.iter().copied().fold(0.0, f64::max);
    let bar = |figure: &f64| {
        let height = (figure / highest * BARS.len() as f64).ceil() as usize;
        BARS.get(height.saturating_sub(1))
            .copied()
            .unwrap_or(BARS[0])
    };
    let first = figures.len().saturating_sub(12);
    figures.iter().skip(first).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ratatui::backend::TestBackend;

    use super::*;
    use crate::record::{Cell, FORMAT, Latency, Mode};

    #[test]
    fn bars_are_as_high_as_their_figures() {
        assert_eq!(sparkline(&[1.0, 4.0, 8.0]), "▁▄█");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[0.0]), "▁");
        assert_eq!(sparkline(&[1.0; 40]).chars().count(), 12);
    }

    #[test]
    fn the_picture_shows_where_the_campaign_is() {
        let cell = |size| Cell {
            system: "dunlin".into(),
            transport: "SHMEM".into(),
            mode: Mode::Latency,
            reliable: true,
            keyed: false,
            zero_copy: false,
            blocking: false,
            size,
            chapter: String::new(),
            variant: Default::default(),
        };
        let campaign = Campaign {
            format: FORMAT,
            name: "night".into(),
            started: String::new(),
            version: String::new(),
            seconds: 1.0,
            repetitions: 1,
            cells: (1..=50).map(|count| cell(count * 32)).collect(),
            skipped: vec![],
            network: String::new(),
            hosts: vec![],
            chapters: vec![],
        };
        let mut picture = Picture::new(&campaign);
        let latency = Latency {
            percentiles: [1_500; 5],
            ..Latency::default()
        };
        picture.add(&Run {
            cell: cell(32 * 50),
            repetition: 0,
            started: String::new(),
            outcome: Outcome::Measured(Box::new(Measured {
                latency: Some(latency),
                ..Measured::default()
            })),
        });
        let progress = Progress {
            done: 49,
            total: 50,
            failed: 0,
            remaining: Duration::from_secs(9),
            cell: &cell(32 * 50),
            repetition: 0,
        };
        let mut terminal = Terminal::new(TestBackend::new(120, 12)).unwrap();
        terminal
            .draw(|frame| picture.draw(frame, &progress))
            .unwrap();
        let text = terminal.backend().to_string();
        assert!(text.contains("night: run 50 of 50, 9 s left"), "{text}");
        assert!(text.contains("SHMEM, latency, 1600 bytes"), "{text}");
        assert!(text.contains("█") && text.contains("50 % 1.500"), "{text}");
    }
}
