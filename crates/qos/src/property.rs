//! PROPERTY (DDS-Security 1.1 7.2.5): names and values that an application gives its entities.
use crate::{InvalidQos, Printable};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A name and a text.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Property {
    /// Its name, which no other one of the entity has.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Others are told.
    pub propagate: bool,
}

/// A name and bytes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BinaryProperty {
    /// Its name, which no other one of the entity has.
    pub name: String,
    /// Its value.
    pub value: Vec<u8>,
    /// Others are told.
    pub propagate: bool,
}

/// PROPERTY of a participant, writer or reader. Nothing in Dunlin acts on it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Properties {
    /// Texts.
    pub values: Vec<Property>,
    /// Bytes.
    pub binary_values: Vec<BinaryProperty>,
}

impl Properties {
    /// Most properties of an entity that others are told of.
    pub const MAX_PROPAGATED: usize = 32;
    /// Most bytes in their names and values.
    pub const MAX_PROPAGATED_BYTES: usize = 4096;

    /// These and one more text, of which others are told.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.push(Property {
            name: name.into(),
            value: value.into(),
            propagate: true,
        });
        self
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.binary_values.is_empty()
    }

    /// The text of this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|property| property.name == name);
        found.map(|property| &*property.value)
    }

    /// The bytes of this name.
    pub fn binary_value(&self, name: &str) -> Option<&[u8]> {
        let mut all = self.binary_values.iter();
        let found = all.find(|property| property.name == name);
        found.map(|property| &*property.value)
    }

    /// The texts that others are told of.
    pub fn propagated(&self) -> impl Iterator<Item = &Property> {
        self.values.iter().filter(|property| property.propagate)
    }

    /// The bytes that others are told of.
    pub fn propagated_binary(&self) -> impl Iterator<Item = &BinaryProperty> {
        let all = self.binary_values.iter();
        all.filter(|property| property.propagate)
    }

    /// Names are unique, and what others are told fits into an announcement.
    pub(crate) fn validate(&self) -> Result<(), InvalidQos> {
        let texts = self.values.iter().map(|p| &p.name);
        unique(&texts.collect::<Vec<_>>())?;
        let names = self.binary_values.iter().map(|p| &p.name);
        unique(&names.collect::<Vec<_>>())?;
        let broken = self
            .propagated()
            .find(|p| p.name.contains('\0') || p.value.contains('\0'))
            .map(|p| &p.name);
        let mut binary = self.propagated_binary().map(|p| &p.name);
        if let Some(name) = broken.or_else(|| binary.find(|name| name.contains('\0'))) {
            return Err(InvalidQos::PropertyWithNul { name: name.clone() });
        }
        let count = self.propagated().count() + self.propagated_binary().count();
        let texts = self.propagated().map(|p| p.name.len() + p.value.len());
        let binary = self
            .propagated_binary()
            .map(|p| p.name.len() + p.value.len());
        let bytes = texts.chain(binary).fold(0, usize::saturating_add);
        if count > Self::MAX_PROPAGATED || bytes > Self::MAX_PROPAGATED_BYTES {
            return Err(InvalidQos::TooManyProperties { count, bytes });
        }
        Ok(())
    }
}

fn unique(names: &[&String]) -> Result<(), InvalidQos> {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(InvalidQos::PropertyTwice {
            name: pair[0].clone(),
        }),
        None => Ok(()),
    }
}

/// As `name=value`, of bytes their number.
impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for Property { name, value, .. } in &self.values {
            write!(f, "{between}{}={value:?}", Printable(name))?;
            between = " ";
        }
        for BinaryProperty { name, value, .. } in &self.binary_values {
            write!(f, "{between}{}={} bytes", Printable(name), value.len())?;
            between = " ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataReaderQos, DataWriterQos, DomainParticipantQos, PolicyId};
    use alloc::string::ToString;

    /// All three kinds of entities say the same of it.
    fn validate(property: &Properties) -> Result<(), InvalidQos> {
        let property = || property.clone();
        let participant = DomainParticipantQos {
            property: property(),
            ..Default::default()
        };
        let writer = DataWriterQos {
            property: property(),
            ..Default::default()
        };
        let reader = DataReaderQos {
            property: property(),
            ..Default::default()
        };
        let found = participant.validate();
        assert_eq!(writer.validate(), found);
        assert_eq!(reader.validate(), found);
        found
    }

    fn refused(property: &Properties, words: &[&str]) {
        let error = validate(property).unwrap_err();
        assert_eq!(error.policy(), PolicyId::Property);
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }

    #[test]
    fn a_name_is_there_once() {
        let one = Properties::default().with("a", "1").with("b", "1");
        assert_eq!(validate(&one), Ok(()));
        assert_eq!((one.value("b"), one.value("c")), (Some("1"), None));
        refused(&one.clone().with("a", "2"), &["\"a\"", "twice"]);
        let bytes = |name: &str| BinaryProperty {
            name: name.into(),
            value: alloc::vec![1, 2],
            propagate: false,
        };
        let mut both = one;
        both.binary_values = alloc::vec![bytes("a")];
        assert_eq!(validate(&both), Ok(()), "texts and bytes are apart");
        assert_eq!(both.binary_value("a"), Some(&[1, 2][..]));
        assert_eq!(both.to_string(), "a=\"1\" b=\"1\" a=2 bytes");
        both.binary_values.push(bytes("a"));
        refused(&both, &["\"a\"", "twice"]);
    }

    #[test]
    fn what_others_are_told_is_limited() {
        let many = (0..32).fold(Properties::default(), |all, n| all.with(n.to_string(), ""));
        assert_eq!(validate(&many), Ok(()));
        refused(&many.clone().with("more", ""), &["33 properties", "32"]);
        let mut quiet = many.with("more", "x".repeat(100_000));
        quiet.values[32].propagate = false;
        assert_eq!(validate(&quiet), Ok(()));
        let large = Properties::default().with("x", "y".repeat(4095));
        assert_eq!(validate(&large), Ok(()));
        refused(&large.with("z", ""), &["4097 bytes", "4096"]);
        refused(&Properties::default().with("a", "b\0"), &["NUL", "\"a\""]);
    }
}
