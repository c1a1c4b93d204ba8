//! `dunlin qos show`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;
use dunlin_profiles::{Entity, PolicyLine, Profiles};
use serde_json::{Map, Value, json};

use super::{Files, print};

#[derive(Args)]
pub(super) struct Options {
    /// The profile, Library::Profile; without it, all are listed.
    profile: Option<String>,
    /// As it is for this topic, where the profile has filters.
    #[arg(long)]
    topic: Option<String>,
    /// Defaults as well.
    #[arg(long)]
    effective: bool,
    /// For programs.
    #[arg(long)]
    json: bool,
    /// List the built-in profiles as well.
    #[arg(long)]
    builtin: bool,
    #[command(flatten)]
    files: Files,
}

pub(super) fn main(options: &Options) -> ExitCode {
    let Some(profiles) = options.files.load() else {
        return ExitCode::FAILURE;
    };
    let shown = match &options.profile {
        None => Ok(list(&profiles, options)),
        Some(profile) => one(&profiles, profile, options),
    };
    match shown {
        Ok(text) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn list(profiles: &Profiles, options: &Options) -> String {
    let files = profiles.files();
    let all = profiles.profiles();
    let shown = all.iter();
    let shown = shown.filter(|info| options.builtin || files.contains(&info.span.source));
    let at = |span| profiles.sources().file_and_line(span);
    if options.json {
        let rows = shown.map(|info| {
            let own = info.own.iter().map(
                |(entity, filter)| json!({ "element": entity.element(), "topic_filter": filter }),
            );
            json!({
                "name": info.name,
                "at": at(info.span),
                "bases": info.bases,
                "qos": own.collect::<Vec<_>>(),
            })
        });
        let default = profiles.default_profile();
        let profiles: Vec<_> = rows.collect();
        let all = json!({ "format": 1, "default": default, "profiles": profiles });
        return format!("{all}\n");
    }
    let mut text = profiles.summary() + "\n";
    let default = profiles.default_profile();
    for info in shown {
        let _ = write!(text, "{}  {}", info.name, at(info.span));
        if !info.bases.is_empty() {
            let _ = write!(text, "  on {}", info.bases.join(", "));
        }
        let own = info.own.iter().map(|(entity, filter)| match filter {
            Some(filter) => format!("{} of {filter:?}", entity.element()),
            None => entity.element().to_owned(),
        });
        let own: Vec<_> = own.collect();
        if !own.is_empty() {
            let _ = write!(text, "  sets {}", own.join(", "));
        }
        let is_default = default.as_ref() == Some(&info.name);
        text.push_str(if is_default { "  (default)\n" } else { "\n" });
    }
    text
}

fn one(profiles: &Profiles, profile: &str, options: &Options) -> Result<String, String> {
    let mut entities = Vec::new();
    for entity in Entity::ALL {
        let topic = options.topic.as_deref();
        let settings = profiles.settings(profile, entity, topic);
        let settings = settings.map_err(|problem| problem.message)?;
        if settings.is_empty() && !options.effective {
            continue;
        }
        let lines = settings
            .policies(entity)
            .map_err(|problem| problem.message)?;
        let kept = lines.into_iter();
        let kept = kept.filter(|line| options.effective || !line.origins.is_empty());
        entities.push((entity, kept.collect::<Vec<_>>()));
    }
    Ok(match options.json {
        true => as_json(profiles, profile, &entities),
        false => as_text(profiles, profile, &entities),
    })
}

type Shown = [(Entity, Vec<PolicyLine>)];

/// Each line that says something of a policy, once.
fn origins(profiles: &Profiles, line: &PolicyLine) -> Vec<String> {
    let mut at: Vec<String> = Vec::new();
    for span in &line.origins {
        let place = profiles.sources().file_and_line(*span);
        if !at.contains(&place) {
            at.push(place);
        }
    }
    at
}

fn as_text(profiles: &Profiles, profile: &str, entities: &Shown) -> String {
    let mut text = format!("{profile}\n");
    for (entity, lines) in entities {
        let _ = writeln!(text, "  {}", entity.element());
        for line in lines {
            let mark = if line.is_default { '=' } else { ' ' };
            let at = origins(profiles, line).join(", ");
            let (element, value) = (line.element, &line.value);
            let row = format!("  {mark} {element:<22} {value:<40} {at}");
            let _ = writeln!(text, "{}", row.trim_end());
        }
    }
    if entities.is_empty() {
        text.push_str("  sets nothing: everything is as the defaults are (--effective)\n");
    }
    text
}

fn as_json(profiles: &Profiles, profile: &str, entities: &Shown) -> String {
    let mut all = Map::new();
    for (entity, lines) in entities {
        let lines = lines.iter().map(|line| {
            let value = json!({
                "value": line.value,
                "default": line.is_default,
                "at": origins(profiles, line),
            });
            (line.element.to_owned(), value)
        });
        all.insert(entity.element().to_owned(), Value::Object(lines.collect()));
    }
    let all = json!({ "format": 1, "profile": profile, "qos": all });
    format!("{all}\n")
}
