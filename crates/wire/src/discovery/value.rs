//! Values of parameters that are more than a number: strings, sequences, the encapsulation around
//! them all.
use crate::cursor::Cursor;
use crate::parameter::ParameterIter;
use crate::{Endianness, Error, Locator, MAX_LOCATORS, ParameterId, ParameterWriter};
use alloc::string::String;
use alloc::vec::Vec;
use core::str;

/// The parameters behind an encapsulation header PL_CDR_BE or PL_CDR_LE (RTPS 2.5 10.2).
pub(super) fn parameters(payload: &[u8]) -> Result<ParameterIter<'_>, Error> {
    match encapsulation(payload)? {
        (2 | 3, rest) => Ok(ParameterIter::over(rest)),
        (_, rest) => Err(rest.invalid_as("encapsulation of discovery data")),
    }
}

/// The representation identifier, and what follows it in the byte order that it states.
pub(super) fn encapsulation(payload: &[u8]) -> Result<(u16, Cursor<'_>), Error> {
    let mut rest = Cursor::new(payload, Endianness::Big, "encapsulation header");
    let identifier = rest.u16()?;
    let _options = rest.u16()?;
    let endianness = match identifier & 1 {
        0 => Endianness::Big,
        _ => Endianness::Little,
    };
    Ok((identifier, rest.in_order(endianness)))
}

/// Keeps the first few locators that name a transport.
pub(super) fn keep(list: &mut Vec<Locator>, locator: Locator) {
    if locator.kind > 0 && list.len() < MAX_LOCATORS && !list.contains(&locator) {
        list.push(locator);
    }
}

impl ParameterWriter {
    /// Nothing if there is no name.
    pub(super) fn entity_name(&mut self, name: &str) {
        if !name.is_empty() {
            self.string(
                ParameterId::ENTITY_NAME,
                name,
                "entity name",
                super::MAX_NAME,
            );
        }
    }
}

impl<'a> Cursor<'a> {
    /// The bytes of a CDR string: counted, one NUL, at the end.
    pub(super) fn c_string(&mut self) -> Result<&'a [u8], Error> {
        let length = self.u32()? as usize;
        let bytes = self.bytes(length)?;
        let padding = length.wrapping_neg() & 3;
        self.bytes(padding.min(self.rest().len()))?;
        match bytes.split_last() {
            Some((0, text)) if !text.contains(&0) => Ok(text),
            _ => Err(self.invalid_as("string")),
        }
    }

    /// A name that must be what it says.
    pub(super) fn name(&mut self, what: &'static str) -> Result<String, Error> {
        let text = self.c_string()?;
        if text.len() > super::MAX_NAME {
            let limit = super::MAX_NAME;
            return Err(Error::Limit { what, limit });
        }
        let text = str::from_utf8(text).map_err(|_| self.invalid_as(what))?;
        Ok(text.into())
    }

    /// Text for people, cut to a bearable length.
    pub(super) fn text(&mut self) -> Result<String, Error> {
        let text = self.c_string()?;
        let text = text.get(..super::MAX_NAME).unwrap_or(text);
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// The name of an endpoint, for people: no fault of it is worth the endpoint, and what is kept
    /// can be written again.
    pub(super) fn entity_name(&mut self) -> String {
        let mut name = self.text().unwrap_or_default();
        let end = (0..=super::MAX_NAME)
            .rev()
            .find(|at| name.is_char_boundary(*at));
        name.truncate(end.unwrap_or(0));
        name
    }

    /// Opaque bytes.
    pub(super) fn octets(&mut self) -> Result<Vec<u8>, Error> {
        let length = self.u32()? as usize;
        self.bytes(length).map(<[u8]>::to_vec)
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Error> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(self.invalid_as("boolean")),
        }
    }
}
