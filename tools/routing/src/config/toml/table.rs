//! Tables of TOML whose keys and values know where they stand.
use crate::config::values;
use dunlin::Duration;
use dunlin_document::{Problem, Problems, SourceId, Span, did_you_mean, quoted};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A table.
pub(super) struct Table<'t> {
    /// What people call it: `route 2`.
    pub(super) what: String,
    /// Where it begins.
    pub(super) span: Span,
    /// Its keys and values, in the order of the file.
    pub(super) items: Vec<Item<'t>>,
}

/// A key and its value.
#[derive(Clone, Copy)]
pub(super) struct Item<'t> {
    /// The key.
    pub(super) key: &'t str,
    /// Where the key stands.
    pub(super) key_span: Span,
    /// Where the value stands.
    pub(super) span: Span,
    value: &'t DeValue<'t>,
}

impl<'t> Table<'t> {
    pub(super) fn new(
        source: SourceId,
        what: impl Into<String>,
        table: &'t DeTable<'t>,
        range: Range<usize>,
    ) -> Self {
        let mut items: Vec<_> = table
            .iter()
            .map(|(key, value)| Item {
                key: key.get_ref(),
                key_span: Span::new(source, key.span()),
                span: Span::new(source, value.span()),
                value: value.get_ref(),
            })
            .collect();
        items.sort_by_key(|item| item.key_span.start);
        Self {
            what: what.into(),
            span: Span::new(source, range),
            items,
        }
    }

    /// The item of this key.
    pub(super) fn get(&self, key: &str) -> Option<Item<'t>> {
        self.items.iter().copied().find(|item| item.key == key)
    }

    /// Reports each key that is none of `known`.
    pub(super) fn allow(&self, known: &[&str], problems: &mut Problems) {
        for item in self.items.iter().filter(|item| !known.contains(&item.key)) {
            let message = format!("{} has no key {}", self.what, quoted(item.key));
            let all = || format!("its keys are {}", known.join(", "));
            let help = did_you_mean(item.key, known.iter().copied()).unwrap_or_else(all);
            problems.push(Problem::error(item.key_span, message).help(help));
        }
    }
}

impl<'t> Item<'t> {
    fn kind(&self) -> &'static str {
        match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a floating-point number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        }
    }

    /// Reports that the value is of another kind than `expected`.
    pub(super) fn wrong_kind(&self, expected: &str, problems: &mut Problems) {
        let message = format!("{} is {}", quoted(self.key), self.kind());
        problems.push(Problem::error(self.span, message).help(format!("write {expected}")));
    }

    /// Reports what is wrong with the value.
    pub(super) fn wrong(&self, message: impl Into<String>, problems: &mut Problems) {
        problems.push(Problem::error(self.span, message));
    }

    /// A text that is not empty.
    pub(super) fn text(&self, expected: &str, problems: &mut Problems) -> Option<&'t str> {
        match self.value {
            DeValue::String(text) if text.is_empty() => {
                self.wrong(format!("{} is empty", quoted(self.key)), problems);
                None
            }
            DeValue::String(text) => Some(text),
            _ => {
                self.wrong_kind(expected, problems);
                None
            }
        }
    }

    /// The text, if the value is one.
    pub(super) fn as_text(&self) -> Option<&'t str> {
        match self.value {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value, if it is `true` or `false`.
    pub(super) fn as_boolean(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn boolean(&self, problems: &mut Problems) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => {
                self.wrong_kind("true or false", problems);
                None
            }
        }
    }

    /// A whole number within a range.
    pub(super) fn integer(
        &self,
        range: std::ops::RangeInclusive<i64>,
        problems: &mut Problems,
    ) -> Option<i64> {
        let DeValue::Integer(integer) = self.value else {
            let expected = format!("a number from {} to {}", range.start(), range.end());
            self.wrong_kind(&expected, problems);
            return None;
        };
        let value = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            let (from, to) = (range.start(), range.end());
            let text = quoted(integer.as_str());
            self.wrong(
                format!("{} is {text}; it is {from} to {to}", quoted(self.key)),
                problems,
            );
        }
        value
    }

    /// A number, whole or not.
    pub(super) fn as_number(&self) -> Option<f64> {
        match self.value {
            DeValue::Integer(value) => {
                let whole = i64::from_str_radix(value.as_str(), value.radix()).ok();
                whole.map(|whole| whole as f64)
            }
            DeValue::Float(value) => value.as_str().parse().ok(),
            _ => None,
        }
    }

    /// A time: a text such as `100 ms`, or seconds.
    pub(super) fn duration(&self, problems: &mut Problems) -> Option<Duration> {
        let read = match (self.as_text(), self.as_number()) {
            (Some(text), _) => values::duration(text),
            (None, Some(seconds)) => values::seconds(seconds),
            (None, None) => {
                self.wrong_kind("a time such as \"100 ms\", or seconds", problems);
                return None;
            }
        };
        read.map_err(|message| self.wrong(message, problems)).ok()
    }

    /// One text, or several in an array, each with its place.
    pub(super) fn texts(
        &self,
        expected: &str,
        problems: &mut Problems,
    ) -> Option<Vec<(&'t str, Span)>> {
        match self.value {
            DeValue::String(_) => Some(vec![(self.text(expected, problems)?, self.span)]),
            DeValue::Array(array) => {
                let mut texts = Vec::new();
                for value in array.iter() {
                    let span = Span::new(self.span.source, value.span());
                    let item = Item {
                        span,
                        value: value.get_ref(),
                        ..*self
                    };
                    texts.push((item.text(expected, problems)?, span));
                }
                Some(texts)
            }
            _ => {
                self.wrong_kind(expected, problems);
                None
            }
        }
    }

    /// A table, named for people by its key.
    pub(super) fn table(&self, problems: &mut Problems) -> Option<Table<'t>> {
        self.table_called(self.key, problems)
    }

    /// A table.
    pub(super) fn table_called(
        &self,
        what: impl Into<String>,
        problems: &mut Problems,
    ) -> Option<Table<'t>> {
        match self.value {
            DeValue::Table(table) => {
                let table = Table::new(self.span.source, what, table, self.span.range());
                Some(Table {
                    span: self.key_span,
                    ..table
                })
            }
            _ => {
                let expected = format!("[{}] or {} = {{ .. }}", self.key, self.key);
                self.wrong_kind(&expected, problems);
                None
            }
        }
    }

    /// The table, if the value is one.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    /// Tables in an array, called `what 1`, `what 2`, ...
    pub(super) fn tables(&self, what: &str, problems: &mut Problems) -> Option<Vec<Table<'t>>> {
        let DeValue::Array(array) = self.value else {
            self.wrong_kind(&format!("[[{}]]", self.key), problems);
            return None;
        };
        let mut tables = Vec::new();
        for (index, value) in array.iter().enumerate() {
            let DeValue::Table(table) = value.get_ref() else {
                self.wrong_kind(&format!("[[{}]]", self.key), problems);
                return None;
            };
            let what = format!("{what} {}", index + 1);
            tables.push(Table::new(self.span.source, what, table, value.span()));
        }
        Some(tables)
    }
}
