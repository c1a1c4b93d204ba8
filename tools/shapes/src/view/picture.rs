//! Draws a board.
use super::board::{Board, COLORS, Kind, Seen};
use crate::shape::{HEIGHT, WIDTH};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::{Canvas, Circle, Context, Line as Stroke, Rectangle};
use ratatui::widgets::{Block, Paragraph};

/// Columns of the tables beside the field.
const SIDE: u16 = 30;
const KEYS: [&str; 2] = [
    "arrows choose shape and color   p publishes or ends it   + - size   s subscribes or not",
    "space pauses own shapes   q quits",
];

pub(super) fn draw(frame: &mut Frame<'_>, board: &Board) {
    let rows = Layout::vertical([Constraint::Min(8), Constraint::Length(KEYS.len() as u16)]);
    let [upper, lower] = rows.areas(frame.area());
    let columns = Layout::horizontal([Constraint::Min(20), Constraint::Length(SIDE)]);
    let [field, side] = columns.areas(upper);
    draw_field(frame, field, board);
    frame.render_widget(Paragraph::new(table(board)).block(Block::bordered()), side);
    let keys = KEYS.map(|line| Line::from(line).dim());
    frame.render_widget(Paragraph::new(keys.to_vec()), lower);
}

fn draw_field(frame: &mut Frame<'_>, area: Rect, board: &Board) {
    let title = format!(" domain {} ", board.domain);
    let field = Canvas::default()
        .block(Block::bordered().title(title))
        .marker(Marker::Braille)
        .x_bounds([0.0, f64::from(WIDTH)])
        .y_bounds([0.0, f64::from(HEIGHT)])
        .paint(|canvas| {
            for ((kind, color), seen) in &board.seen {
                outline(canvas, *kind, paint(color), seen);
            }
        });
    frame.render_widget(field, area);
}

/// The field's origin is at its upper left, the canvas's at its lower left.
fn outline(canvas: &mut Context<'_>, kind: Kind, color: Color, seen: &Seen) {
    let (x, y) = (f64::from(seen.x), f64::from(HEIGHT) - f64::from(seen.y));
    let half = f64::from(seen.size) / 2.0;
    match kind {
        Kind::Square => canvas.draw(&Rectangle {
            x: x - half,
            y: y - half,
            width: half * 2.0,
            height: half * 2.0,
            color,
        }),
        Kind::Circle => canvas.draw(&Circle {
            x,
            y,
            radius: half,
            color,
        }),
        Kind::Triangle => {
            let corners = [(x - half, y - half), (x + half, y - half), (x, y + half)];
            let ends = corners.iter().zip(corners.iter().cycle().skip(1));
            for ((x1, y1), (x2, y2)) in ends {
                canvas.draw(&Stroke {
                    x1: *x1,
                    y1: *y1,
                    x2: *x2,
                    y2: *y2,
                    color,
                });
            }
        }
    }
}

/// What is chosen, what is published, and who is there.
fn table(board: &Board) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from("shape").bold()];
    for kind in Kind::ALL {
        let chosen = kind == board.kind();
        let mark = if chosen { ">" } else { " " };
        let (writers, readers) = board
            .matched
            .get(kind as usize)
            .copied()
            .unwrap_or_default();
        let reads = match board.subscribes(kind) {
            true => format!("{writers} in"),
            false => "not read".into(),
        };
        let text = format!("{mark} {:9}{reads:9}{readers} out", kind.topic());
        let style = match chosen {
            true => Style::new().add_modifier(Modifier::BOLD),
            false => Style::new(),
        };
        lines.push(Line::styled(text, style));
    }
    lines.push(Line::default());
    lines.push(Line::from(format!("color, size {}", board.size)).bold());
    for color in COLORS {
        let mark = if color == board.color() { ">" } else { " " };
        let kinds = Kind::ALL
            .into_iter()
            .filter(|kind| board.mine.contains_key(&(*kind, color.to_owned())));
        let published: Vec<_> = kinds.map(Kind::topic).collect();
        lines.push(Line::from(vec![
            Span::raw(format!("{mark} ")),
            Span::styled(format!("{color:9}"), Style::new().fg(paint(color))),
            Span::raw(published.join(" ")),
        ]));
    }
    if board.paused {
        lines.push(Line::from("paused").reversed());
    }
    lines
}

/// Names of colors as all shapes demos have them; white for others.
fn paint(color: &str) -> Color {
    match color {
        "BLUE" => Color::LightBlue,
        "RED" => Color::LightRed,
        "GREEN" => Color::Green,
        "YELLOW" => Color::Yellow,
        "ORANGE" => Color::Rgb(255, 165, 0),
        "CYAN" => Color::Cyan,
        "MAGENTA" => Color::LightMagenta,
        "PURPLE" => Color::Rgb(160, 32, 240),
        _ => Color::White,
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Key;
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    #[test]
    fn a_picture_shows_shapes_where_they_are_and_what_the_keys_do() {
        let mut board = Board::new(7);
        board.press(Key::NextColor);
        board.press(Key::NextKind);
        board.press(Key::Publish);
        board.press(Key::Pause);
        board.matched = [(1, 0), (1, 2), (0, 0)];
        let shapes = [
            (Kind::Square, "BLUE", 60, 60, 60),
            (Kind::Circle, "RED", 180, 60, 80),
            (Kind::Triangle, "GREEN", 120, 200, 80),
        ];
        for (kind, color, x, y, size) in shapes {
            board.see((kind, color.to_owned()), Seen { x, y, size });
        }
        let mut terminal = Terminal::new(TestBackend::new(90, 22)).unwrap();
        terminal.draw(|frame| draw(frame, &board)).unwrap();
        let text = terminal.backend().to_string();
        let expected = include_str!("picture.txt");
        assert_eq!(text.trim_end(), expected.trim_end(), "\n{text}");
        let colors: Vec<Color> = terminal
            .backend()
            .buffer()
            .content
            .iter()
            .map(|c| c.fg)
            .collect();
        for color in [Color::LightBlue, Color::LightRed, Color::Green] {
            assert!(colors.contains(&color));
        }
    }
}
