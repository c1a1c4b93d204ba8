//! Parameters of discovery data that have no field.
use crate::{Endianness, Error, Parameter, ParameterId, ParameterWriter, Parameters};
use alloc::vec::Vec;

/// Parameters of a participant or an endpoint that have no field here, such as another vendor's or
/// the description of a type: octets as they came, for those who know them or pass them on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownParameters {
    /// A parameter list without sentinel.
    list: Vec<u8>,
    endianness: Endianness,
    is_cut: bool,
}

impl UnknownParameters {
    /// The most bytes that are kept of one participant or endpoint, the ids and lengths included.
    pub const MOST: usize = 4096;

    /// The ids, in the order in which they came, and the values, padded to a multiple of 4 bytes.
    pub fn iter(&self) -> impl Iterator<Item = (ParameterId, &[u8])> {
        let list = Parameters::new(&self.list, self.endianness).into_iter();
        // The end of the list is where the sentinel would be.
        let values = list.map_while(Result::ok);
        values.map(|parameter| (parameter.id, parameter.value()))
    }

    /// In which byte order numbers in the values are.
    pub fn endianness(&self) -> Endianness {
        self.endianness
    }

    /// True if there were more than are kept.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a parameter; fails, and adds nothing, if nobody may skip it.
    pub(super) fn keep(&mut self, parameter: &Parameter<'_>) -> Result<(), Error> {
        parameter.skip()?;
        let value = parameter.value();
        let length = self
            .list
            .len()
            .saturating_add(4)
            .saturating_add(value.len());
        let size = u16::try_from(value.len()).ok();
        let Some(size) = size.filter(|_| length <= Self::MOST) else {
            self.is_cut = true;
            return Ok(());
        };
        self.endianness = parameter.value.endianness();
        let head = [parameter.id.0, size].map(|number| self.endianness.u16(number));
        self.list.extend_from_slice(head.as_flattened());
        self.list.extend_from_slice(value);
        Ok(())
    }

    /// Something was left out.
    pub(super) fn note_cut(&mut self) {
        self.is_cut = true;
    }

    /// Says them again, if numbers in them are little endian, as in all that is written.
    pub(super) fn encode(&self, out: &mut ParameterWriter) {
        if self.endianness == Endianness::Little {
            for (id, value) in self.iter() {
                out.put(id, |out| out.extend_from_slice(value));
            }
        }
    }
}
