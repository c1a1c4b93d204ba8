//! A table as text and as Markdown, with a verdict in each row that has a goal.

use serde::Serialize;

use crate::terminal;

/// Whether a goal was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Verdict {
    #[serde(rename = "")]
    None,
    #[serde(rename = "PASS")]
    Pass,
    #[serde(rename = "miss")]
    Miss,
}

impl Verdict {
    /// Of a condition.
    pub(crate) fn of(met: bool) -> Self {
        if met { Verdict::Pass } else { Verdict::Miss }
    }

    fn text(self) -> &'static str {
        match self {
            Verdict::None => "",
            Verdict::Pass => "PASS",
            Verdict::Miss => "miss",
        }
    }
}

/// Rows of cells under a title.
#[derive(Debug, Serialize)]
pub(crate) struct Grid {
    title: String,
    columns: Vec<String>,
    rows: Vec<(Vec<String>, Verdict)>,
    notes: Vec<String>,
}

impl Grid {
    /// An empty table; a column of verdicts is added.
    pub(crate) fn new(title: &str, columns: Vec<String>) -> Self {
        Self {
            title: title.into(),
            columns,
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, cells: Vec<String>, verdict: Verdict) {
        self.rows.push((cells, verdict));
    }

    /// A line below the table.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn met(&self) -> usize {
        self.count(Verdict::Pass)
    }

    pub(crate) fn missed(&self) -> usize {
        self.count(Verdict::Miss)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.1 == verdict).count()
    }

    /// For a terminal: the first two columns to the left, the others to the right.
    pub(crate) fn text(&self) -> String {
        let lines = self.lines();
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..=self.columns.len()).map(width).collect();
        let mut text = format!("\n{}\n", terminal::line(&self.title));
        for line in &lines {
            let cells = line.iter().zip(&widths).enumerate();
            let padded: Vec<String> = cells
                .map(|(column, (cell, width))| match column {
                    0 | 1 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            text.push_str(&terminal::line(padded.join("  ").trim_end()));
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&terminal::line(note));
            text.push('\n');
        }
        text
    }

    /// For a page of documentation, without its title; `field` makes text fit into a field.
    pub(crate) fn markdown(&self, field: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for (index, line) in self.lines().iter().enumerate() {
            let fields: Vec<_> = line.iter().map(|text| field(text)).collect();
            text.push_str(&format!("| {} |\n", fields.join(" | ")));
            if index == 0 {
                let columns = (0..line.len()).map(|column| if column < 2 { "---" } else { "---:" });
                text.push_str(&format!("|{}|\n", columns.collect::<Vec<_>>().join("|")));
            }
        }
        for note in &self.notes {
            text.push_str(&format!("\n{}\n", field(note)));
        }
        text
    }

    fn lines(&self) -> Vec<Vec<String>> {
        let head = self.columns.iter().cloned();
        let head = head.chain([String::from("verdict")]).collect();
        let rows = self.rows.iter().map(|(cells, verdict)| {
            let cells = cells.iter().cloned();
            cells.chain([verdict.text().to_string()]).collect()
        });
        std::iter::once(head).chain(rows).collect()
    }
}

/// A number with three significant digits, or a dash.
pub(crate) fn short(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(v) if v.abs() >= 99.95 => format!("{v:.0}"),
        Some(v) if v.abs() >= 9.995 => format!("{v:.1}"),
        Some(v) => format!("{v:.2}"),
    }
}

/// A count in thousands or millions.
pub(crate) fn large(value: f64) -> String {
    match value {
        v if v >= 9.995e5 => format!("{:.2} M", v / 1e6),
        v if v >= 1e4 => format!("{:.0} k", v / 1e3),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Grid {
        let mut table = Grid::new(
            "Title",
            ["case", "system", "p50"].map(String::from).to_vec(),
        );
        table.push(
            vec!["32 B".into(), "raw".into(), "1.70".into()],
            Verdict::None,
        );
        table.push(
            vec!["32 B".into(), "Dunlin".into(), "12.5".into()],
            Verdict::Miss,
        );
        table.note("note");
        table
    }

    #[test]
    fn columns_line_up() {
        let expected = "\nTitle\n\
            case  system   p50  verdict\n\
            32 B  raw     1.70\n\
            32 B  Dunlin  12.5     miss\n\
            note\n";
        assert_eq!(table().text(), expected);
        assert_eq!((table().met(), table().missed()), (0, 1));
    }

    #[test]
    fn markdown_has_a_rule_below_the_head() {
        let text = table().markdown(str::to_owned);
        assert!(text.contains("| case | system | p50 | verdict |\n|---|---|---:|---:|\n"));
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.123, 1.0, 12.34, 123.4].map(|v| short(Some(v)));
        assert_eq!(shown, ["0.12", "1.00", "12.3", "123"]);
        assert_eq!(
            [999.0, 12_345.0, 3.5e6].map(large),
            ["999", "12 k", "3.50 M"]
        );
        assert_eq!(short(None), "-");
    }
}
