//! Changes that come in.
use super::super::Rejection;
use super::{Cache, Header};
use crate::slab::NONE;
use crate::{ChangeKind, InstanceState, Payload, Time};
use dunlin_qos::History;

impl Cache {
    /// Takes in a change; true if there is something new to take. `payload` is asked for only if it
    /// is kept. Nothing is changed on rejection.
    #[inline]
    pub(in crate::reader) fn accept(
        &mut self,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) -> Result<bool, Rejection> {
        if self.duplicates.is_some() {
            return self.accept_once(header, payload);
        }
        self.accept_any(header, payload)
    }

    #[inline]
    pub(super) fn accept_any(
        &mut self,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) -> Result<bool, Rejection> {
        match header.kind {
            ChangeKind::Alive => self.sample(header, payload),
            _ if self.stream.is_some() => self.sample(header, payload),
            kind => Ok(self.end(header, kind, payload)),
        }
    }

    /// As `accept`, unless the change came already, from its original writer or through another
    /// that forwards it. What is rejected has not come: it comes again. Nor has what a writer says
    /// that does not own the instance: it counts when the owner says it.
    #[cold]
    pub(super) fn accept_once(
        &mut self,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) -> Result<bool, Rejection> {
        let identity = header.identity();
        let seen = self.duplicates.as_mut();
        if seen.is_some_and(|seen| seen.have(header.arrived, &identity)) {
            self.passed_over.duplicate += 1;
            return Ok(self.note_way(header, payload));
        }
        let not_owner = self.passed_over.not_owner;
        let available = self.accept_any(header, payload)?;
        if let Some(seen) = &mut self.duplicates
            && self.passed_over.not_owner == not_owner
        {
            seen.note(header.arrived, &identity);
        }
        Ok(available)
    }

    /// A change came already by another way. Its instance lives as long as one of both writes it.
    fn note_way(&mut self, header: &Header<'_>, key: impl FnOnce() -> Payload) -> bool {
        if self.stream.is_some() {
            return false;
        }
        if header.kind.is_unregister() {
            return self.end(header, ChangeKind::Unregistered, key);
        }
        if header.kind == ChangeKind::Alive
            && let Some(place) = self.instances.find(header.instance)
        {
            self.learn_name(place, header);
            if let Some(instance) = self.instances.get_mut(place) {
                instance.join(header.author.id);
            }
        }
        false
    }

    pub(super) fn sample(
        &mut self,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) -> Result<bool, Rejection> {
        let place = match self.instances.find(header.instance) {
            Some(place) => place,
            None => self.new_instance(header)?,
        };
        if header.name.is_some() && self.stream.is_none() {
            self.learn_name(place, header);
        }
        let Some(instance) = self.instances.get_mut(place) else {
            return Ok(false);
        };
        if !instance.heeds(header.author, self.ownership) {
            instance.join(header.author.id);
            self.passed_over.not_owner += 1;
            return Ok(false);
        }
        if self.by_source && header.timestamp.is_some() && header.timestamp < instance.taken {
            self.passed_over.outdated += 1;
            return Ok(false);
        }
        if let Some(timers) = &mut self.timers
            && timers.is_too_soon(place, header.arrived)
        {
            timers.hold(place, header, payload);
            self.passed_over.too_soon += 1;
            return Ok(false);
        }
        self.admit(place, header, payload)
    }

    /// Puts a sample into an instance, if the limits let it.
    pub(super) fn admit(
        &mut self,
        place: u32,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) -> Result<bool, Rejection> {
        let replaced = match self.history {
            History::KeepLast(depth) if self.count(place) >= depth.max(1) => self.oldest(place),
            _ => NONE,
        };
        if replaced == NONE {
            self.check_limits(place, header.instance)?;
        } else if self.by_source && self.is_older(header, replaced) {
            self.passed_over.outdated += 1;
            return Ok(false);
        } else {
            self.remove(replaced);
        }
        let payload = payload();
        if let Some(instance) = self.instances.get_mut(place) {
            instance.revive();
            instance.join(header.author.id);
            if let Some(key_of) = &self.key_of
                && instance.key.is_empty()
            {
                instance.key = key_of.key(&payload);
            }
        }
        let stored = self.append(place, header, true, payload);
        if let Some(timers) = &mut self.timers {
            timers.took_in(place, header.arrived);
            if header.expires != Time::NEVER {
                let samples = &self.samples;
                let is_there = |place, at| samples.get(place).is_some_and(|s| s.expires == at);
                timers.expires(header.expires, stored, samples.len(), is_there);
            }
        }
        Ok(true)
    }

    /// A dispose, an unregister or both.
    pub(super) fn end(
        &mut self,
        header: &Header<'_>,
        kind: ChangeKind,
        key: impl FnOnce() -> Payload,
    ) -> bool {
        let known = self
            .named(header)
            .or_else(|| self.instances.find(header.instance));
        let place = match known {
            Some(place) => place,
            None if kind.is_dispose() && !self.ignores_strangers => match self.new_instance(header)
            {
                Ok(place) => place,
                Err(_) => return false,
            },
            None => return false,
        };
        let released = self.release(place);
        let Some(instance) = self.instances.get_mut(place) else {
            return false;
        };
        let before = instance.state;
        if kind.is_dispose() && instance.heeds(header.author, self.ownership) {
            instance.state = InstanceState::NotAliveDisposed;
        }
        if kind.is_unregister() && instance.leave(header.author.id) {
            instance.state = InstanceState::NotAliveNoWriters;
        }
        let changed = instance.state != before;
        if changed {
            let key = match &instance.key {
                unknown if unknown.is_empty() => key(),
                known => Payload::Inline(known.clone()),
            };
            self.notify(place, header, key);
        } else {
            self.forget_if_dead(place);
        }
        changed || released
    }
}
