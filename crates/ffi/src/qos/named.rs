//! Names, data and properties of entities, and where those lie that the library gives out.
use super::structs::dunlin_property;
use crate::error::Outcome;
use crate::memory::{Kept, dunlin_bytes, dunlin_text, list};
use dunlin::{BinaryProperty, Properties, Property};

/// What the members of a structure point to.
#[derive(Default)]
pub(crate) struct Texts {
    bytes: Vec<Box<[u8]>>,
    texts: Vec<Box<[dunlin_text]>>,
    properties: Vec<Box<[dunlin_property]>>,
    numbers: Vec<Box<[u32]>>,
}

impl Kept for Texts {}

impl Texts {
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            bytes,
            texts,
            properties,
            numbers,
        } = self;
        bytes.is_empty() && texts.is_empty() && properties.is_empty() && numbers.is_empty()
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> dunlin_bytes {
        if bytes.is_empty() {
            return dunlin_bytes::NONE;
        }
        let kept: Box<[u8]> = bytes.into();
        let at = dunlin_bytes::lasting(&kept);
        self.bytes.push(kept);
        at
    }

    /// Followed by a NUL that its length does not count.
    pub(crate) fn text(&mut self, text: &str) -> dunlin_text {
        if text.is_empty() {
            return dunlin_text::NONE;
        }
        let kept = self.bytes(&[text.as_bytes(), &[0]].concat());
        dunlin_text {
            data: kept.data.cast(),
            length: text.len(),
        }
    }

    pub(super) fn texts(&mut self, texts: &[String]) -> (*const dunlin_text, u64) {
        if texts.is_empty() {
            return (std::ptr::null(), 0);
        }
        let kept: Box<[_]> = texts.iter().map(|text| self.text(text)).collect();
        let at = kept.as_ptr();
        self.texts.push(kept);
        (at, texts.len() as u64)
    }

    pub(super) fn numbers(&mut self, numbers: Box<[u32]>) -> (*const u32, u64) {
        if numbers.is_empty() {
            return (std::ptr::null(), 0);
        }
        let at = (numbers.as_ptr(), numbers.len() as u64);
        self.numbers.push(numbers);
        at
    }

    pub(crate) fn properties(&mut self, all: &Properties) -> (*const dunlin_property, u64) {
        if all.is_empty() {
            return (std::ptr::null(), 0);
        }
        let mut kept = Vec::new();
        for property in &all.values {
            kept.push(dunlin_property {
                name: self.text(&property.name),
                value: self.bytes(property.value.as_bytes()),
                binary: 0,
                propagate: property.propagate.into(),
                reserved: [0; 6],
            });
        }
        for property in &all.binary_values {
            kept.push(dunlin_property {
                name: self.text(&property.name),
                value: self.bytes(&property.value),
                binary: 1,
                propagate: property.propagate.into(),
                reserved: [0; 6],
            });
        }
        let kept: Box<[_]> = kept.into();
        let at = (kept.as_ptr(), kept.len() as u64);
        self.properties.push(kept);
        at
    }
}

impl dunlin_property {
    /// The value of one that is a text.
    pub(crate) fn text<'a>(&self, name: &str) -> Outcome<&'a str> {
        let value = dunlin_text {
            data: self.value.data.cast(),
            length: self.value.length,
        };
        value.get(name)
    }
}

/// The properties of an entity.
pub(super) fn properties(first: *const dunlin_property, count: u64) -> Outcome<Properties> {
    let mut all = Properties::default();
    for property in list(first, count, "properties")? {
        let name = property.name.get("properties.name")?.to_owned();
        let propagate = property.propagate != 0;
        if property.binary == 0 {
            let value = property.text("properties.value")?.to_owned();
            all.values.push(Property {
                name,
                value,
                propagate,
            });
        } else {
            let value = property.value.get("properties.value")?.to_vec();
            all.binary_values.push(BinaryProperty {
                name,
                value,
                propagate,
            });
        }
    }
    Ok(all)
}
