//! The package that all others are in.

use std::fmt;
use std::str::FromStr;

use super::names::KEYWORDS;

/// What the packages of a program begin with: `com.example.birds`. By default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JavaPackage(Vec<String>);

/// Why a text is no name of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPackage {
    part: String,
}

impl JavaPackage {
    pub(super) fn parts(&self) -> &[String] {
        &self.0
    }
}

impl FromStr for JavaPackage {
    type Err = NoPackage;

    fn from_str(text: &str) -> Result<Self, NoPackage> {
        let parts = text.split('.').map(|part| match is_name(part) {
            true => Ok(part.to_string()),
            false => Err(NoPackage { part: part.into() }),
        });
        parts.collect::<Result<_, _>>().map(Self)
    }
}

/// A name that is written in any encoding.
fn is_name(part: &str) -> bool {
    let begins = part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_word = |one: char| one.is_ascii_alphanumeric() || one == '_';
    begins && part.chars().all(is_word) && !KEYWORDS.contains(&part)
}

impl fmt::Display for JavaPackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

impl fmt::Display for NoPackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no name in Java: a package is letters, digits and _, with points between its \
             parts, as com.example.birds",
            self.part
        )
    }
}

impl std::error::Error for NoPackage {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_names_with_points_between_them() {
        let package: JavaPackage = "com.example_1.birds".parse().unwrap();
        assert_eq!(package.parts(), ["com", "example_1", "birds"]);
        assert_eq!(package.to_string(), "com.example_1.birds");
        for wrong in ["", "a..b", "1a", "a.class", "a/b", "a.b ", "é", "a.."] {
            let error = wrong.parse::<JavaPackage>().unwrap_err().to_string();
            assert!(error.contains("is no name in Java"), "{error}");
        }
    }
}
