//! What each endpoint must say: who it is and on which topic.
use super::MAX_NAME;
use crate::{EntityId, Error, Guid, Parameter, ParameterId, ParameterWriter};
use alloc::string::String;

/// Identity as far as it was read.
#[derive(Default)]
pub(super) struct Identity {
    guid: Option<Guid>,
    participant: Option<Guid>,
    topic: Option<String>,
    type_name: Option<String>,
}

/// A complete identity.
pub(super) struct Checked {
    pub(super) guid: Guid,
    pub(super) participant: Guid,
    pub(super) topic: String,
    pub(super) type_name: String,
}

impl Identity {
    /// True if the parameter was one of the identity.
    pub(super) fn take(&mut self, parameter: &Parameter<'_>) -> Result<bool, Error> {
        let mut value = parameter.value;
        match parameter.id {
            ParameterId::ENDPOINT_GUID => self.guid = Some(value.guid()?),
            ParameterId::PARTICIPANT_GUID => self.participant = Some(value.guid()?),
            ParameterId::TOPIC_NAME => self.topic = Some(value.name("topic name")?),
            ParameterId::TYPE_NAME => self.type_name = Some(value.name("type name")?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// All that must be there, or what is not. `offset` is where the list ends.
    pub(super) fn check(self, offset: usize) -> Result<Checked, Error> {
        let missing = |what| Error::Missing { what };
        let guid = self.guid.ok_or(missing("endpoint GUID"))?;
        let own = Guid::new(guid.prefix, EntityId::PARTICIPANT);
        let participant = self.participant.unwrap_or(own);
        if participant != own {
            let what = "participant GUID of an endpoint";
            return Err(Error::Invalid { what, offset });
        }
        Ok(Checked {
            guid,
            participant,
            topic: self.topic.ok_or(missing("topic name"))?,
            type_name: self.type_name.ok_or(missing("type name"))?,
        })
    }
}

impl ParameterWriter {
    pub(super) fn identity(&mut self, guid: Guid, participant: Guid, topic: &str, type_name: &str) {
        self.guid(ParameterId::ENDPOINT_GUID, guid);
        self.guid(ParameterId::PARTICIPANT_GUID, participant);
        self.string(ParameterId::TOPIC_NAME, topic, "topic name", MAX_NAME);
        self.string(ParameterId::TYPE_NAME, type_name, "type name", MAX_NAME);
    }
}
