//! A change that was taken in before comes again: its writer was given up, and is back.
//!
//! The application has the sample. But it was told that nobody writes the instance, and somebody
//! does.
use super::{Cache, Header};
use crate::{ChangeKind, InstanceState, Payload, Time};

impl Cache {
    /// True if there is something new to take: a sample without data that tells of it.
    #[cold]
    pub(in crate::reader) fn recognize(
        &mut self,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) -> bool {
        // Who is handed each change as it was sent has no notices.
        if self.stream.is_some() {
            return false;
        }
        let known = self.named(header);
        let known = known.or_else(|| self.instances.find(header.instance));
        // What a notice says is not this change, of which the application has heard.
        let header = &Header {
            sequence: 0,
            timestamp: None,
            expires: Time::NEVER,
            origin: None,
            ..*header
        };
        if header.kind != ChangeKind::Alive {
            return known.is_some() && self.end(header, header.kind, payload);
        }
        let place = match known {
            Some(place) => place,
            None => match self.new_instance(header) {
                Ok(place) => place,
                Err(_) => return false,
            },
        };
        if header.name.is_some() {
            self.learn_name(place, header);
        }
        let Some(instance) = self.instances.get_mut(place) else {
            return false;
        };
        let heeded = instance.heeds(header.author, self.ownership);
        instance.join(header.author.id);
        let returns = known.is_none() || instance.state == InstanceState::NotAliveNoWriters;
        if !heeded || !returns {
            return false;
        }
        instance.revive();
        if let Some(key_of) = &self.key_of
            && instance.key.is_empty()
        {
            instance.key = key_of.key(&payload());
        }
        let key = Payload::Inline(instance.key.clone());
        self.notify(place, header, key);
        true
    }
}
