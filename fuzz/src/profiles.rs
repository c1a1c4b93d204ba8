//! QoS profiles.
use dunlin_document::Variables;
use dunlin_profiles::{Entity, Loader};

/// Bytes are a file of profiles. Whatever it is, it is read within memory in proportion to it; what
/// has no error can be made QoS, without a topic and with one.
pub fn profiles(data: &[u8]) {
    let info = allocation_counter::measure(|| read(data));
    // The built-in profiles are read as well, and what is inherited has a limit of its own.
    let most = 2_000 * data.len() as u64 + (128 << 20);
    assert!(info.bytes_max <= most, "{} bytes", info.bytes_max);
}

fn read(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let variables = Variables::with_environment([("A".to_owned(), "1".to_owned())]);
    let profiles = Loader::with_variables(variables)
        .text("a.xml", &text)
        .inspect();
    profiles.problems().render(profiles.sources());
    profiles.lint().render(profiles.sources());
    let files = profiles.files();
    let all = profiles.profiles();
    let own = all.iter().filter(|info| files.contains(&info.span.source));
    for info in own.take(16) {
        for entity in Entity::ALL {
            for topic in [None, Some("Square")] {
                let settings = profiles.settings(&info.name, entity, topic).unwrap();
                let made = settings.policies(entity);
                let is_wrong = profiles.problems().has_errors() || topic.is_some();
                assert!(made.is_ok() || is_wrong, "{} {made:?}", info.name);
            }
        }
    }
}
