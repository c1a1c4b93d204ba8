//! Variables in files: `$(NAME)`.

use std::collections::BTreeMap;

use crate::{Problem, Problems, Span, did_you_mean, quoted};

/// Values of `$(NAME)` in texts and attributes. A name that was given goes before one of the
/// environment, and that before a default of a file. What a value says is not looked at again.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    given: BTreeMap<String, String>,
    environment: BTreeMap<String, String>,
    defaults: BTreeMap<String, String>,
    /// How many bytes of values were put in.
    bytes: usize,
    /// The program has the option `-DNAME=value`.
    by_option: bool,
}

impl Variables {
    /// The most bytes of a value.
    pub const VALUE_BYTES: usize = 4 << 10;
    /// The most bytes of all values that are put into the files of a load.
    pub const TOTAL_BYTES: usize = 64 << 10;

    /// Those of the environment of this process, as far as they are UTF-8.
    pub fn of_environment() -> Self {
        let all = std::env::vars_os();
        let texts = all.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::with_environment(texts)
    }

    /// Those of an environment.
    pub fn with_environment(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            environment: variables.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The program has the option `-DNAME=value`, which users are told of.
    pub fn by_option(self) -> Self {
        Self {
            by_option: true,
            ..self
        }
    }

    /// Gives a value, as `-DNAME=value` does.
    pub fn give(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.given.insert(name.into(), value.into());
    }

    /// A value for when nobody gives one, as `<configuration_variables>` does. The first of a name
    /// counts.
    pub fn default_value(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.defaults
            .entry(name.into())
            .or_insert_with(|| value.into());
    }

    /// The value of a name.
    pub fn value(&self, name: &str) -> Option<&str> {
        let layers = [&self.given, &self.environment, &self.defaults];
        let found = layers.into_iter().find_map(|layer| layer.get(name));
        found.map(String::as_str)
    }

    /// A text with values in place of names; `None` if it has none, or after an error. `written` is
    /// the text as it stands in the file at `span`.
    pub fn expand(
        &mut self,
        text: &str,
        span: Span,
        written: &str,
        problems: &mut Problems,
    ) -> Option<String> {
        if !text.contains("$(") {
            return None;
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("$(") {
            let (before, from) = rest.split_at(at);
            let Some(end) = from.find(')') else {
                let message = "a variable has no end: write $(NAME)";
                problems.push(Problem::error(place(span, written, "$("), message));
                return None;
            };
            let (variable, behind) = from.split_at(end + 1);
            let name = variable.get(2..end).unwrap_or_default();
            let at = place(span, written, variable);
            let value = match self.checked(name, at) {
                Ok(value) => value,
                Err(problem) => {
                    problems.push(*problem);
                    return None;
                }
            };
            out.push_str(before);
            out.push_str(&value);
            rest = behind;
        }
        out.push_str(rest);
        Some(out)
    }

    fn checked(&mut self, name: &str, at: Span) -> Result<String, Box<Problem>> {
        let Some(value) = self.value(name) else {
            return Err(Box::new(self.undefined(name, at)));
        };
        let value = value.to_owned();
        if value.len() > Self::VALUE_BYTES {
            let most = Self::VALUE_BYTES;
            let message = format!(
                "the value of variable {} has {} bytes, at most {most} are taken",
                quoted(name),
                value.len()
            );
            return Err(Box::new(Problem::error(at, message)));
        }
        self.bytes += value.len();
        if self.bytes > Self::TOTAL_BYTES {
            let most = Self::TOTAL_BYTES;
            let message = format!("all variables together put in more than {most} bytes");
            return Err(Box::new(Problem::error(at, message)));
        }
        Ok(value)
    }

    fn undefined(&self, name: &str, at: Span) -> Problem {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            let message = format!("{} is no name of a variable", quoted(name));
            return Problem::error(at, message).help("names have letters, digits and _".to_owned());
        }
        let option = match self.by_option {
            true => format!("give -D{name}=.., "),
            false => String::new(),
        };
        let message = format!(
            "variable {} is not defined: {option}set it in the environment, or give it a default \
             in <configuration_variables>",
            quoted(name)
        );
        let known = self.given.keys().chain(self.defaults.keys());
        let near = did_you_mean(name, known.map(String::as_str));
        Problem::error(at, message).help(near)
    }
}

/// Where a part of a text stands.
fn place(span: Span, written: &str, part: &str) -> Span {
    match written.find(part) {
        Some(at) => {
            let start = span.range().start + at;
            Span::new(span.source, start..start + part.len())
        }
        None => span,
    }
}
