//! `perftest compare`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use super::{parse, print, say_error};
use crate::compare::{Comparison, Outcome};
use crate::host::VERSION;
use crate::record::Directory;
use crate::summary::Summary;

/// It cannot be told.
const UNKNOWN: u8 = 2;

/// Says whether anything became slower: exit status 0 if not, 1 if so, 2 if it cannot be told.
#[derive(Parser)]
#[command(name = "perftest compare", version = VERSION)]
struct Options {
    /// The directory of the campaign before.
    before: PathBuf,
    /// The directory of the campaign after.
    after: PathBuf,
    /// Smaller changes are not looked at.
    #[arg(long, default_value = "5%", value_parser = share, allow_hyphen_values = true)]
    threshold: f64,
}

/// Runs `perftest compare` with these arguments.
pub fn compare(arguments: &[String]) -> ExitCode {
    let options = match parse::<Options>("perftest compare", arguments) {
        Ok(options) => options,
        Err(status) => return status,
    };
    match compared(&options) {
        Ok(Outcome::NoRegression) => ExitCode::SUCCESS,
        Ok(Outcome::Regression) => ExitCode::FAILURE,
        Ok(Outcome::Unknown) => ExitCode::from(UNKNOWN),
        Err(error) => {
            say_error(&error.to_string());
            ExitCode::from(UNKNOWN)
        }
    }
}

fn compared(options: &Options) -> Result<Outcome, String> {
    let read = |path: &PathBuf| {
        let summary = Summary::read(&Directory::at(path));
        summary.map_err(|error| error.to_string())
    };
    let (before, after) = (read(&options.before)?, read(&options.after)?);
    let comparison = Comparison::new(&before, &after, options.threshold);
    print(&comparison.text(options.threshold))?;
    Ok(comparison.outcome())
}

/// "5%", "5 %" or "0.05".
fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    let share = number.parse::<f64>().map(|number| number / unit);
    share
        .ok()
        .filter(|share| (0.0..100.0).contains(share))
        .ok_or_else(|| "a share, such as 5% or 0.05".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_a_share_or_a_percentage() {
        let shares = ["5%", "2.5 %", "0.05", "0"].map(|text| share(text).unwrap());
        assert_eq!(shares, [0.05, 0.025, 0.05, 0.0]);
        assert!(
            ["", "-1%", "a lot", "nan"]
                .iter()
                .all(|text| share(text).is_err())
        );
    }
}
