//! The languages that there are.

use super::{File, Unit, c, csharp, java, rust};

/// A language that models are made into.
#[derive(Debug)]
pub struct Language {
    /// As `-l` takes it.
    pub name: &'static str,
    /// How other compilers call it.
    pub(crate) aliases: &'static [&'static str],
    /// What begins a comment that ends with the line.
    pub(crate) comment: &'static str,
    /// What `@verbatim(language="..")` calls it.
    pub(crate) verbatim: &'static [&'static str],
    /// Lists of words that cannot be names.
    pub(crate) keywords: &'static [&'static [&'static str]],
    /// What a name becomes that is a keyword.
    pub(crate) escape: fn(&str) -> String,
    /// Makes the files, each of which begins with [`Unit::header`].
    pub(crate) emit: fn(&mut Unit<'_>) -> Vec<File>,
}

/// All languages in the order in which people read them.
pub const LANGUAGES: &[Language] = &[
    c::LANGUAGE,
    c::cpp98::LANGUAGE,
    csharp::LANGUAGE,
    java::LANGUAGE,
    rust::LANGUAGE,
];

/// A language by its name or by how other compilers call it, in any case.
pub fn language(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| {
        let mut names = std::iter::once(&language.name).chain(language.aliases);
        names.any(|one| one.eq_ignore_ascii_case(name))
    })
}

impl Language {
    /// A name of IDL as one of this language.
    pub(crate) fn word(&self, name: &str) -> String {
        match self.keywords.iter().any(|words| words.contains(&name)) {
            true => (self.escape)(name),
            false => name.into(),
        }
    }
}
