//! PROPERTY to and from its parameter (RTPS 2.5 9.6.4, DDS-Security 1.1 7.2.5): names with texts,
//! then names with bytes. What is not propagated is not written.
use crate::cursor::Cursor;
use crate::parameter_writer::{put_len, put_string};
use crate::{Error, ParameterId, ParameterWriter};
use alloc::string::String;
use alloc::vec::Vec;
use dunlin_qos::{BinaryProperty, Properties, Property};

/// Most properties, and most bytes in them, that are written and kept: those of an entity, and what
/// Dunlin itself says of a participant.
const MAX_PROPERTIES: usize = Properties::MAX_PROPAGATED + 8;
const MAX_BYTES: usize = Properties::MAX_PROPAGATED_BYTES + 1024;

impl ParameterWriter {
    /// Nothing if there is nothing to tell; the bytes only if there are some, since not every
    /// product looks for them.
    pub(super) fn properties(&mut self, properties: &Properties) {
        let texts: Vec<&Property> = properties.propagated().collect();
        let bytes: Vec<&BinaryProperty> = properties.propagated_binary().collect();
        if texts.is_empty() && bytes.is_empty() {
            return;
        }
        let mut room = Room::default();
        let fits = texts.iter().all(|p| room.takes(&p.name, p.value.len()))
            && bytes.iter().all(|p| room.takes(&p.name, p.value.len()));
        let mut names = texts.iter().map(|p| &p.name);
        let mut names = names.by_ref().chain(bytes.iter().map(|p| &p.name));
        let values = texts.iter().map(|p| &p.value);
        if !fits || names.any(|n| n.contains('\0')) || values.into_iter().any(|v| v.contains('\0'))
        {
            return self.fail("properties", MAX_BYTES);
        }
        self.put(ParameterId::PROPERTY_LIST, |list| {
            put_len(list, texts.len());
            for property in texts {
                put_string(list, &property.name);
                put_string(list, &property.value);
            }
            if !bytes.is_empty() {
                put_len(list, bytes.len());
            }
            for property in bytes {
                put_string(list, &property.name);
                put_octets(list, &property.value);
            }
        });
    }
}

/// A CDR sequence of bytes and the padding after it.
fn put_octets(out: &mut Vec<u8>, value: &[u8]) {
    put_len(out, value.len());
    out.extend_from_slice(value);
    let padding = value.len().wrapping_neg() & 3;
    out.extend(core::iter::repeat_n(0, padding));
}

impl Cursor<'_> {
    /// As many as fit the limits; of bytes also only those that are whole, since products differ in
    /// what they put behind the texts.
    pub(super) fn properties(&mut self) -> Result<Properties, Error> {
        let mut kept = Properties::default();
        let mut room = Room::default();
        for _ in 0..self.u32()? {
            let (name, value) = (text(self.c_string()?), text(self.c_string()?));
            if !room.takes(&name, value.len()) {
                return Ok(kept);
            }
            kept.values.push(Property {
                name,
                value,
                propagate: true,
            });
        }
        let count = self.u32().unwrap_or(0);
        for _ in 0..count {
            let Ok((name, value)) = self.binary_property() else {
                break;
            };
            let name = text(name);
            if !room.takes(&name, value.len()) {
                break;
            }
            kept.binary_values.push(BinaryProperty {
                name,
                value: value.to_vec(),
                propagate: true,
            });
        }
        Ok(kept)
    }
}

impl<'a> Cursor<'a> {
    fn binary_property(&mut self) -> Result<(&'a [u8], &'a [u8]), Error> {
        let name = self.c_string()?;
        let length = self.u32()? as usize;
        let value = self.bytes(length)?;
        let padding = length.wrapping_neg() & 3;
        self.bytes(padding.min(self.rest().len()))?;
        Ok((name, value))
    }
}

/// Counted as it is kept, so that what was read can be written again.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[derive(Default)]
struct Room {
    count: usize,
    bytes: usize,
}

impl Room {
    /// Is there room for one more?
    fn takes(&mut self, name: &str, value: usize) -> bool {
        let used = self.bytes.saturating_add(name.len());
        self.bytes = used.saturating_add(value);
        self.count = self.count.saturating_add(1);
        self.count <= MAX_PROPERTIES && self.bytes <= MAX_BYTES
    }
}
