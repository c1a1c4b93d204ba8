//! Whom a participant knows: what Dunlin's participants tell each other where there is no
//! multicast.
use super::value;
use crate::{EntityId, Error, Guid, GuidPrefix, Locator, ParameterId, ParameterWriter};
use alloc::vec::Vec;
use bytes::Bytes;

/// Locators of one participant that are passed on.
const MOST: usize = 8;

/// One participant, as another one knows it. Dunlin's own; the parameters are those of discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GossipedParticipant {
    /// Who it is.
    pub prefix: GuidPrefix,
    /// Who says so.
    pub teller: GuidPrefix,
    /// Where discovery traffic reaches it; the first few.
    pub locators: Vec<Locator>,
}

impl GossipedParticipant {
    /// The instance of what `teller` says of `prefix`: each has its own, so that one takes nothing
    /// back for another. The key hash is its `to_bytes()`, and its `endpoint_key` takes the
    /// introduction back.
    pub fn key(prefix: GuidPrefix, teller: GuidPrefix) -> Guid {
        let [.., a, b, c, d] = teller.0;
        Guid::new(prefix, EntityId([a, b, c, d]))
    }

    /// Reads a payload that came from `teller`, encapsulation header included.
    pub fn parse(payload: &[u8], teller: GuidPrefix) -> Result<Self, Error> {
        let (mut key, mut locators) = (None, Vec::new());
        for parameter in value::parameters(payload)? {
            let mut parameter = parameter?;
            match parameter.id {
                ParameterId::ENDPOINT_GUID => key = Some(parameter.value.guid()?),
                ParameterId::METATRAFFIC_UNICAST_LOCATOR => {
                    value::keep(&mut locators, parameter.value.locator()?);
                }
                _ => parameter.skip()?,
            }
        }
        let what = "GUID of an introduction";
        let key = key.ok_or(Error::Missing { what })?;
        if key != Self::key(key.prefix, teller) {
            let offset = payload.len();
            return Err(Error::Invalid { what, offset });
        }
        locators.truncate(MOST);
        Ok(Self {
            prefix: key.prefix,
            teller,
            locators,
        })
    }

    /// The payload, encapsulation header included.
    pub fn encode(&self) -> Bytes {
        let mut out = ParameterWriter::payload();
        let key = Self::key(self.prefix, self.teller);
        out.guid(ParameterId::ENDPOINT_GUID, key);
        let first = self.locators.get(..MOST).unwrap_or(&self.locators);
        out.locators(ParameterId::METATRAFFIC_UNICAST_LOCATOR, first);
        out.finish().unwrap_or_default()
    }
}
