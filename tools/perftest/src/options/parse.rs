//! The walk over the command line: names, values and ranges. What they mean together is checked
//! later.

use super::find::{Found, find};
use super::table::{OPTIONS, Spec, Support, Value};
use dunlin_campaign::spelling;

/// The options of one command line, in order, and what is to be said about them.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    given: Vec<(&'static Spec, String)>,
    /// All mistakes, not only the first.
    pub(crate) errors: Vec<String>,
    /// Remarks that do not stop the run.
    pub(crate) notes: Vec<String>,
}

/// Reads all arguments (without the name of the program).
pub(crate) fn parse(arguments: &[String]) -> Parsed {
    let mut parsed = Parsed::default();
    let mut rest = arguments.iter().map(String::as_str).peekable();
    while let Some(argument) = rest.next() {
        let Some(name) = argument.strip_prefix('-') else {
            parsed.error(stray(argument));
            continue;
        };
        let name = name.strip_prefix('-').unwrap_or(name);
        let (name, attached) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        if name.is_empty() {
            parsed.error(format!("'{argument}' names no option (see -help)"));
            continue;
        }
        let Some((spec, built_in)) = parsed.resolve(argument, name) else {
            // The value of an unknown option is not another mistake.
            rest.next_if(|next| is_value(next));
            continue;
        };
        let value = attached.or(built_in).or_else(|| match spec.value {
            Value::Flag => None,
            Value::MaybeNumber(..) | Value::MaybeList(_) => {
                rest.next_if(|next| begins_a_number(next.trim_start_matches('-')))
            }
            _ => rest.next_if(|next| is_value(next)),
        });
        parsed.take(spec, argument, value);
    }
    parsed
}

/// Whether a word is the value of the option before it. A negative number is one: no option begins
/// with a digit, and the option can say what it takes.
fn is_value(word: &str) -> bool {
    word.strip_prefix('-').is_none_or(begins_a_number)
}

fn begins_a_number(word: &str) -> bool {
    let digits = word.strip_prefix('.').unwrap_or(word);
    digits.starts_with(|first: char| first.is_ascii_digit())
}

/// What is wrong with a word that is neither an option nor the value of one.
fn stray(word: &str) -> String {
    let options = OPTIONS.iter().map(|spec| spec.name);
    match spelling::similar(word, options).as_slice() {
        [] => format!("'{word}' is not an option; options begin with a dash (see -help)"),
        similar => format!(
            "'{word}' is not an option; {}",
            spelling::hint(similar, "-")
        ),
    }
}

impl Parsed {
    /// Whether the option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(spec, _)| spec.name == name)
    }

    /// The text of the option; the last one wins.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let mut newest_first = self.given.iter().rev();
        newest_first
            .find(|(spec, _)| spec.name == name)
            .map(|(_, value)| value.as_str())
    }

    /// All values of a repeatable option, in order.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.given
            .iter()
            .filter(move |(spec, _)| spec.name == name)
            .map(|(_, value)| value.as_str())
    }

    /// The number of the option, if it was given with one.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(|text| text.parse().ok())
    }

    /// The seconds of the option, if it was given.
    pub(crate) fn seconds(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(|text| text.parse().ok())
    }

    /// The options that were given.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &'static Spec> {
        self.given.iter().map(|(spec, _)| *spec)
    }

    /// As if the option, which takes no value, had been given.
    pub(crate) fn imply(&mut self, name: &str) {
        if !self.has(name) {
            let spec = OPTIONS.iter().find(|spec| spec.name == name);
            self.given.extend(spec.map(|spec| (spec, String::new())));
        }
    }

    /// Adds a mistake.
    pub(crate) fn error(&mut self, text: String) {
        self.errors.push(text);
    }

    fn resolve(
        &mut self,
        argument: &str,
        name: &str,
    ) -> Option<(&'static Spec, Option<&'static str>)> {
        match find(name) {
            Found::Option(spec, value) => Some((spec, value)),
            Found::Guess(spec) => {
                self.notes
                    .push(format!("{argument} is taken as -{}", spec.name));
                Some((spec, None))
            }
            Found::Unknown(similar) => {
                let hint = match similar.as_slice() {
                    [] => "see -help".to_string(),
                    names => spelling::hint(names, "-"),
                };
                self.error(format!("unknown option {argument}; {hint}"));
                None
            }
        }
    }

    fn take(&mut self, spec: &'static Spec, argument: &str, value: Option<&str>) {
        match spec.support {
            Support::Works => {}
            Support::Ignored(why) => self.notes.push(format!("-{} is ignored: {why}", spec.name)),
            Support::Missing(why) => return self.error(format!("-{}: {why}", spec.name)),
        }
        match self.checked(spec, value) {
            Ok(value) => self.given.push((spec, value)),
            Err(text) if argument.trim_start_matches('-') == spec.name => self.error(text),
            Err(text) => self.error(format!("{text} (typed as {argument})")),
        }
    }

    fn checked(&mut self, spec: &Spec, value: Option<&str>) -> Result<String, String> {
        let name = spec.name;
        match (spec.value, value) {
            (Value::Flag, None) => Ok(String::new()),
            (Value::Flag, Some(_)) => Err(format!("-{name} takes no value")),
            (Value::MaybeNumber(..) | Value::MaybeList(_), None) => Ok(String::new()),
            (_, None) => Err(format!("missing value after -{name}: {}", spec.allowed())),
            (
                Value::Number(min, max)
                | Value::Limited(min, max, _)
                | Value::MaybeNumber(min, max),
                Some(text),
            ) => self.ranged(spec, text, min, max),
            (Value::Seconds(max), Some(text)) => self.seconds_within(spec, text, max),
            (Value::Text(_) | Value::MaybeList(_), Some(text)) => Ok(text.into()),
            (Value::Choice(words), Some(text)) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .map(|word| word.to_string())
                .ok_or_else(|| format!("-{name} '{text}' is none of {}", spec.allowed())),
        }
    }

    /// Seconds with decimals; what follows is dropped as for whole numbers.
    fn seconds_within(&mut self, spec: &Spec, text: &str, max: u64) -> Result<String, String> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, garbage) = text.split_at(end.unwrap_or(text.len()));
        let seconds: Option<f64> = number.parse().ok();
        let within = seconds.is_some_and(|seconds| (0.001..=max as f64).contains(&seconds));
        if !within {
            return Err(format!("-{} {text} is not {}", spec.name, spec.allowed()));
        }
        self.dropped(spec, text, number, garbage);
        Ok(number.into())
    }

    fn dropped(&mut self, spec: &Spec, text: &str, number: &str, garbage: &str) {
        if !garbage.is_empty() {
            self.notes.push(format!(
                "-{} {text} is read as {number}; '{garbage}' is dropped",
                spec.name
            ));
        }
    }

    /// A number; what follows the digits is dropped as the original does, but not silently.
    fn ranged(&mut self, spec: &Spec, text: &str, min: u64, max: u64) -> Result<String, String> {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (digits, garbage) = text.split_at(end);
        let wrong = || format!("-{} {text} is not {}", spec.name, spec.allowed());
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        if number < min || number > max {
            return Err(wrong());
        }
        self.dropped(spec, text, digits, garbage);
        Ok(number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Side;
    use super::*;

    fn parse_line(line: &str) -> Parsed {
        parse(
            &line
                .split_whitespace()
                .map(String::from)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn the_published_command_lines_parse() {
        let parsed = parse_line(
            "-domain 2 -datalen 32 -best -keyed -instances 100000 -pub -transport UDPv4 -noPrint -exec 20 \
             -latencyTest -noOutputHeaders -initialBurst 100 -noXML -nic 127.0.0.1 -peer 127.0.0.1",
        );
        assert_eq!(parsed.errors, [""; 0]);
        assert_eq!(parsed.number("dataLen"), Some(32));
        assert_eq!(parsed.number("executionTime"), Some(20));
        assert_eq!(parsed.number("instances"), Some(100_000));
        assert!(parsed.has("bestEffort") && parsed.has("noPrintIntervals"));
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let parsed = parse_line("-dataLen 27 -foo -outputFormat xml -domain 251");
        assert_eq!(parsed.errors.len(), 4, "{:?}", parsed.errors);
        assert!(parsed.errors[0].contains("from 28 to 2147482620"));
        assert!(parsed.errors[2].contains("csv, json, legacy"));
        assert_eq!(
            parsed.errors[3],
            "-domain 251 is not a number from 0 to 232: the ports of other domains are beyond 65535"
        );
        assert_eq!(parse_line("-domain 233").errors.len(), 1);
        assert_eq!(parse_line("-domain 232").errors.len(), 0);
    }

    #[test]
    fn an_option_is_no_value() {
        let parsed = parse_line("-sendQueueSize -pub");
        assert!(parsed.errors[0].contains("missing value after -sendQueueSize"));
        assert_eq!(parsed.errors.len(), 1);
        assert!(parsed.has("pub"));
    }

    /// Of each option that takes a number.
    #[test]
    fn a_negative_number_is_a_value_that_is_out_of_range() {
        let error = |line: &str| {
            let mut parsed = parse_line(line);
            super::super::options(&mut parsed);
            let errors: Vec<_> = parsed.errors;
            assert_eq!(errors.len(), 1, "{line}: {errors:?}");
            errors.into_iter().next().unwrap()
        };
        assert_eq!(
            error("-dataLen -5"),
            "-dataLen -5 is not a number from 28 to 2147482620"
        );
        for spec in OPTIONS {
            let side = match spec.side {
                Side::Pub => "-pub",
                _ => "-sub",
            };
            let rate = spec.name.starts_with("pubRate") || spec.name == "openLoop";
            match spec.value {
                Value::Number(..)
                | Value::Limited(..)
                | Value::Seconds(_)
                | Value::MaybeNumber(..)
                    if !matches!(spec.support, Support::Missing(_)) =>
                {
                    for number in ["-1", "-0.5", "-.5"] {
                        let text = error(&format!("{side} -{} {number}", spec.name));
                        let expected = format!("-{} {number} is not {}", spec.name, spec.allowed());
                        assert_eq!(text, expected);
                    }
                }
                Value::Text(_) if rate => {
                    let text = error(&format!("{side} -{} -3", spec.name));
                    let (name, range) = (format!("-{} -3 is n", spec.name), " to 1");
                    assert!(text.starts_with(&name) && text.contains(range), "{text}");
                }
                Value::MaybeList(_) => {
                    let text = error(&format!("{side} -{} -3", spec.name));
                    assert!(
                        text.starts_with(&format!("-{} -3 is no", spec.name)),
                        "{text}"
                    );
                }
                _ => {}
            }
        }
    }

    #[test]
    fn two_dashes_and_an_equals_sign_work() {
        let parsed = parse_line("--dataLen=64 --pub");
        assert_eq!(parsed.number("dataLen"), Some(64));
        assert!(parsed.has("pub"));
        assert!(!parse_line("--pub=yes").errors.is_empty());
    }

    #[test]
    fn the_last_value_wins_and_peers_keep_their_order() {
        let parsed = parse_line("-dataLen 64 -dataLen 128 -peer b -peer a");
        assert_eq!(parsed.number("dataLen"), Some(128));
        assert_eq!(parsed.all("peer").collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn optional_values_may_be_left_out() {
        let parsed = parse_line("-unbounded -scan 32:64 -pub");
        assert!(parsed.has("unbounded") && parsed.number("unbounded").is_none());
        assert_eq!(parsed.text("scan"), Some("32:64"));
    }

    #[test]
    fn trailing_garbage_is_dropped_with_a_note() {
        let parsed = parse_line("-dataLen 100k");
        assert_eq!(parsed.number("dataLen"), Some(100));
        assert_eq!(parsed.notes.len(), 1);
        assert!(!parse_line("-dataLen k").errors.is_empty());
    }

    #[test]
    fn seconds_may_be_parts_of_one() {
        let seconds = |line: &str| parse_line(line).seconds("executionTime");
        assert_eq!(seconds("-pub -exec 0.25"), Some(0.25));
        assert_eq!(seconds("-pub -exec 20s"), Some(20.0));
        for wrong in ["0", "0.0001", ".", "1.2.3", "x", "3000000000"] {
            let parsed = parse_line(&format!("-pub -exec {wrong}"));
            assert!(parsed.errors[0].contains("seconds from 0.001"), "{wrong}");
        }
    }

    #[test]
    fn words_that_are_no_option_are_named() {
        for line in ["-", "--", "stray", "-x", "-x -3", "-=3"] {
            assert_eq!(parse_line(line).errors.len(), 1, "{line}");
        }
        let forgotten = &parse_line("datalen 32").errors[0];
        assert_eq!(
            forgotten,
            "'datalen' is not an option; did you mean -dataLen?"
        );
    }
}
