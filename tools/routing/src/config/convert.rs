//! A plan as a configuration in either language. Converting the result again changes nothing.
use crate::plan::Plan;
use std::time::Duration as StdDuration;

mod policies;
mod toml;
mod xml;

/// A language of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The XML of RTI Routing Service.
    Xml,
    /// The short form.
    Toml,
}

/// A configuration, and what it cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The configuration. What has no counterpart in its language is in comments.
    pub text: String,
    /// What has no counterpart, in sentences.
    pub lost: Vec<String>,
}

/// Writes a plan.
pub fn convert(plan: &Plan, language: Language) -> Converted {
    match language {
        Language::Xml => xml::write(plan),
        Language::Toml => toml::write(plan),
    }
}

/// A time as the short form has it.
fn time(duration: dunlin::Duration) -> String {
    match StdDuration::try_from(duration) {
        Ok(time) => humantime::format_duration(time).to_string(),
        Err(_) => "infinite".to_owned(),
    }
}
