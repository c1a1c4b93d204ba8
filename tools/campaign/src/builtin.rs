//! The campaigns that need no file. They are files themselves, and examples of the format.

/// Name and text of each.
pub const ALL: [(&str, &str); 14] = [
    ("quick", include_str!("../campaigns/quick.toml")),
    ("published", include_str!("../campaigns/published.toml")),
    (
        "published-shmem",
        include_str!("../campaigns/published-shmem.toml"),
    ),
    (
        "published-udp",
        include_str!("../campaigns/published-udp.toml"),
    ),
    (
        "published-tcp",
        include_str!("../campaigns/published-tcp.toml"),
    ),
    (
        "published-routing",
        include_str!("../campaigns/published-routing.toml"),
    ),
    (
        "published-cpp",
        include_str!("../campaigns/published-cpp.toml"),
    ),
    (
        "published-java",
        include_str!("../campaigns/published-java.toml"),
    ),
    (
        "published-cs",
        include_str!("../campaigns/published-cs.toml"),
    ),
    ("languages", include_str!("../campaigns/languages.toml")),
    ("load", include_str!("../campaigns/load.toml")),
    ("full", include_str!("../campaigns/full.toml")),
    ("bench", include_str!("../campaigns/bench.toml")),
    ("bench-full", include_str!("../campaigns/bench-full.toml")),
];

/// The text of the one with this name.
pub fn text(name: &str) -> Option<&'static str> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_campaign_is_a_valid_file_and_so_is_that_of_the_training() {
        for (name, text) in ALL {
            let file = crate::file::parse(name, text).unwrap();
            assert!(!file.about.is_empty() && file.repetitions.0 >= 3, "{name}");
        }
        let training = include_str!("../../../scripts/training.toml");
        assert!(crate::file::parse("training.toml", training).is_ok());
        assert!(text("quick").is_some() && text("slow").is_none());
    }
}
