//! The encapsulation header: which flavour of CDR follows.

use crate::Error;

/// Length of the encapsulation header that starts each payload, in bytes.
pub const HEADER_SIZE: usize = 4;

/// Byte order of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endianness {
    /// Most significant byte first.
    Big,
    /// Least significant byte first.
    Little,
}

impl Endianness {
    /// The byte order of the machine that runs this code.
    pub const NATIVE: Self = if cfg!(target_endian = "big") {
        Self::Big
    } else {
        Self::Little
    };
}

/// Version of the encoding (DDS-XTypes 1.3 7.4.1, 7.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Xcdr {
    /// Classic CDR and parameter lists; numbers align up to 8 bytes.
    V1,
    /// Extended CDR version 2; numbers align up to 4 bytes.
    V2,
}

impl Xcdr {
    /// The largest alignment that the encoding knows, in bytes.
    #[inline]
    pub const fn max_align(self) -> usize {
        match self {
            Self::V1 => 8,
            Self::V2 => 4,
        }
    }
}

/// How a type may grow without breaking those who know an older version (DDS-XTypes 1.3
/// 7.2.2.4.4.4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extensibility {
    /// Never.
    Final,
    /// New members at the end.
    Appendable,
    /// Members come and go; each is labelled with its id.
    Mutable,
}

/// What an encapsulation header says (RTPS 2.5 10.5, DDS-XTypes 1.3 7.6.3.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Representation {
    /// Version of the encoding.
    pub xcdr: Xcdr,
    /// Extensibility of the outermost type. XCDR1 writes final and appendable types alike; reading
    /// gives `Final` for both.
    pub extensibility: Extensibility,
    /// Byte order of the payload.
    pub endianness: Endianness,
}

impl Representation {
    /// The two-byte identifier on the wire.
    #[inline]
    pub const fn id(self) -> u16 {
        let kind = match (self.xcdr, self.extensibility) {
            (Xcdr::V1, Extensibility::Final | Extensibility::Appendable) => 0x00,
            (Xcdr::V1, Extensibility::Mutable) => 0x02,
            (Xcdr::V2, Extensibility::Final) => 0x06,
            (Xcdr::V2, Extensibility::Appendable) => 0x08,
            (Xcdr::V2, Extensibility::Mutable) => 0x0a,
        };
        kind | matches!(self.endianness, Endianness::Little) as u16
    }

    /// The representation that an identifier stands for.
    ///
    /// # Errors
    /// [`Error::UnknownRepresentation`] for XML and for anything the standards do not list.
    #[inline]
    pub const fn from_id(id: u16) -> Result<Self, Error> {
        let (xcdr, extensibility) = match id & !1 {
            0x00 => (Xcdr::V1, Extensibility::Final),
            0x02 => (Xcdr::V1, Extensibility::Mutable),
            0x06 => (Xcdr::V2, Extensibility::Final),
            0x08 => (Xcdr::V2, Extensibility::Appendable),
            0x0a => (Xcdr::V2, Extensibility::Mutable),
            _ => return Err(Error::UnknownRepresentation(id)),
        };
        let endianness = if id & 1 == 0 {
            Endianness::Big
        } else {
            Endianness::Little
        };
        Ok(Self {
            xcdr,
            extensibility,
            endianness,
        })
    }

    /// The encapsulation header, with no padding announced.
    #[inline]
    pub const fn header(self) -> [u8; HEADER_SIZE] {
        let [high, low] = self.id().to_be_bytes();
        [high, low, 0, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_identifier_of_the_standard_and_no_other_has_a_meaning() {
        let known = [0u16, 1, 2, 3, 6, 7, 8, 9, 10, 11];
        for id in 0..=u16::MAX {
            match Representation::from_id(id) {
                Ok(representation) => {
                    assert!(known.contains(&id));
                    assert_eq!(representation.id(), id);
                }
                Err(error) => {
                    assert!(!known.contains(&id));
                    assert_eq!(error, Error::UnknownRepresentation(id));
                }
            }
        }
    }
}
