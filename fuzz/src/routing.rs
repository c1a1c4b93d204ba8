//! Configurations of the Routing Service, and patterns of names.
use dunlin_document::Variables;
use dunlin_routing::config::convert::{Language, convert};
use dunlin_routing::config::edit::{Edit, edit};
use dunlin_routing::config::{Configuration, Input, Options, load};
use dunlin_routing::plan::{Filter, Pattern, Plan};
use std::sync::OnceLock;

fn read(text: &str, variables: Variables) -> Configuration {
    let options = Options {
        variables,
        ..Options::default()
    };
    let (name, text) = ("a".to_owned(), text.to_owned());
    load(&[Input::Text { name, text }], &options)
}

/// A service that runs, as far as requests to change it are concerned.
fn running() -> &'static Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| {
        let text = "name = \"s\"\n[participants.a]\ndomain = 0\n[participants.b]\ndomain = 1\n\
                    [[routes]]\nfrom = \"a\"\nto = \"b\"\ntopics = [\"*\"]\n";
        read(text, Variables::default()).plan.expect("it is right")
    })
}

/// Adds what the text describes to a service, and changes its route by it; what is refused says why.
fn change(text: &str) {
    let session = "/routing_services/s/domain_routes/default/sessions/default";
    let within = &format!("{session}/auto_routes");
    let path = &format!("{within}/route_1");
    for wanted in [Edit::Add { within, text }, Edit::Set { path, text }] {
        if let Err(error) = edit(running(), &wanted, &Options::default()) {
            let why = error.to_string();
            assert!(!why.is_empty() && !why.contains('\u{1b}'), "{why}");
        }
    }
}

/// Bytes are XML or TOML. Whatever they are, they are read within memory in proportion to them and
/// every mistake can be shown; what becomes a plan is written in both languages, and what is
/// written becomes a plan that is written the same.
pub fn routing_configuration(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    change(&text);
    let mut first = None;
    let info = allocation_counter::measure(|| {
        let variables = Variables::with_environment([("A".to_owned(), "1".to_owned())]);
        first = Some(read(&text, variables));
    });
    // The built-in profiles are read as well.
    let most = 4_000 * data.len() as u64 + (128 << 20);
    assert!(info.bytes_max <= most, "{} bytes", info.bytes_max);
    let Some(first) = first else { return };
    assert!(!first.report().contains('\u{1b}'));
    assert_eq!(first.plan.is_none(), first.problems.has_errors());
    let Some(plan) = first.plan else { return };
    for language in [Language::Xml, Language::Toml] {
        let once = convert(&plan, language);
        let again = read(&once.text, Variables::default());
        // What a language cannot say may be what makes the plan a right one.
        let Some(plan) = again.plan else { continue };
        let twice = convert(&plan, language);
        let third = read(&twice.text, Variables::default());
        let third = third.plan.map(|plan| convert(&plan, language).text);
        assert_eq!(third.as_deref(), Some(&*twice.text));
    }
}

/// Bytes are a list of patterns, and behind a NUL a name. A pattern that is read has its text; `*`
/// fits every name, and a name fits itself if nothing in it stands for something else.
pub fn routing_pattern(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (list, name) = text.split_once('\0').unwrap_or((&text, "rt/odom"));
    assert!(Pattern::any().matches(name));
    let Ok(patterns) = Pattern::parse_list(list) else {
        return;
    };
    for pattern in &patterns {
        let again = Pattern::parse(pattern.text());
        assert_eq!(again.as_ref(), Ok(pattern));
        let is_same = pattern.is_literally(name);
        assert!(!is_same || pattern.matches(name));
    }
    let filter = Filter {
        allow: patterns.clone(),
        deny: patterns,
    };
    assert!(!filter.passes(name), "what is denied does not pass");
}
