//! `read` and `take`: which samples, and what is said about them (DDS 1.4 2.2.2.5.3.8).
use super::cache::{Cache, Stored, Told};
use super::instance::Instance;
use crate::slab::{NONE, Slab};
use crate::{
    ChangeKind, InstanceHandle, InstanceState, Payload, Sample, SampleInfo, SampleState, Select,
    SetPlace, ViewState, Which,
};
use alloc::vec::Vec;

const ALL_SAMPLES: u32 = SampleState::Read.mask() | SampleState::NotRead.mask();
const ALL_VIEWS: u32 = ViewState::New.mask() | ViewState::NotNew.mask();
const ALL_INSTANCES: u32 = 7;

impl Cache {
    #[inline]
    pub(super) fn access(
        &mut self,
        select: &Select,
        takes: bool,
        mut sink: impl FnMut(Sample),
    ) -> usize {
        if !self.may_have(select) {
            return 0;
        }
        if takes && self.is_all_of_stream(select) {
            return self.take_stream(select.max, sink);
        }
        if (select.max == 1 || self.samples.len() == 1 && select.max > 0)
            && select.instance.is_none()
            && let Some(first) = self.samples.get(self.first)
            && self.matches(first, select)
        {
            // What nearly every `take` wants; there is nothing to choose.
            let place = self.first;
            let mut info = SampleInfo::default();
            let payload = match takes {
                true => self.take_alone(place, &mut info),
                false => {
                    self.count_in(place);
                    self.hand_out(place, false, &mut info)
                }
            };
            let Some(payload) = payload else {
                return 0;
            };
            sink(Sample { info, payload });
            return 1;
        }
        self.access_chosen(select, takes, sink)
    }

    /// Takes the oldest sample in one of these states.
    #[inline]
    pub(super) fn take_oldest(
        &mut self,
        sample_states: u32,
        info: &mut SampleInfo,
    ) -> Option<Payload> {
        let select = Select {
            max: 1,
            sample_states,
            ..Select::default()
        };
        if !self.may_have(&select) {
            return None;
        }
        let place = self.first;
        if self
            .samples
            .get(place)
            .is_some_and(|first| self.matches(first, &select))
        {
            return self.take_alone(place, info);
        }
        let mut payload = None;
        self.access_chosen(&select, true, |sample| {
            *info = sample.info;
            payload = Some(sample.payload);
        });
        payload
    }

    /// Are all samples selected, and of one instance and generation? Then there is nothing to
    /// choose, nor to rank but by place. Mostly it is so for readers in stream mode, which have one
    /// instance whatever the topic.
    #[inline]
    fn is_all_of_stream(&self, select: &Select) -> bool {
        self.stream.is_some()
            && self.query.is_none()
            && select.instance.is_none()
            && covers(select.sample_states, ALL_SAMPLES)
            && covers(select.view_states, ALL_VIEWS)
            && covers(select.instance_states, ALL_INSTANCES)
            && self.instances.len() == 1
            // Generations only grow from the first to the last.
            && generation_of(&self.samples, self.first) == generation_of(&self.samples, self.last)
    }

    /// Takes the first samples of the only instance: each is the first of both chains.
    #[inline(never)]
    fn take_stream(&mut self, most: usize, mut sink: impl FnMut(Sample)) -> usize {
        let count = self.samples.len().min(most);
        let mut of = NONE;
        for behind in (0..count).rev() {
            let place = self.first;
            let Some(stored) = self.samples.get(place) else {
                break;
            };
            of = stored.instance;
            let Some(instance) = self.instances.get_mut(of) else {
                break;
            };
            instance.count -= u32::from(stored.valid);
            instance.taken = instance.taken.max(stored.timestamp);
            let rank = i32::try_from(behind).unwrap_or(i32::MAX);
            let mut info = SampleInfo::default();
            tell(&mut info, stored, instance, [rank, 0, 0]);
            if let Some(stream) = &self.stream {
                say_change(&mut info, stream.at(place));
            }
            let Some(stored) = self.samples.remove(place) else {
                break;
            };
            self.first = stored.after;
            self.valid -= usize::from(stored.valid);
            self.unread -= usize::from(!stored.read);
            if stored.origin != NONE {
                info.origin = self.take_origin(&stored);
            }
            let payload = stored.payload;
            sink(Sample { info, payload });
        }
        let first = self.first;
        match self.samples.get_mut(first) {
            Some(first) => (first.before, first.older) = (NONE, NONE),
            None => self.last = NONE,
        }
        if let Some(instance) = self.instances.get_mut(of) {
            instance.view = ViewState::NotNew;
            instance.oldest = first;
            if first == NONE {
                instance.newest = NONE;
            }
        }
        self.forget_if_dead(of);
        count
    }

    #[inline(never)]
    fn access_chosen(
        &mut self,
        select: &Select,
        takes: bool,
        mut sink: impl FnMut(Sample),
    ) -> usize {
        let mut chosen = core::mem::take(&mut self.chosen);
        chosen.clear();
        if self.is_in_order(select) {
            self.choose(select, |place| chosen.push(place));
            for place in &chosen {
                self.count_in(*place);
            }
        } else {
            self.choose_by_instance(select, &mut chosen);
        }
        for place in &chosen {
            let mut info = SampleInfo::default();
            if let Some(payload) = self.hand_out(*place, takes, &mut info) {
                sink(Sample { info, payload });
            }
        }
        self.chosen = chosen;
        self.chosen.len()
    }

    pub(super) fn has(&self, select: &Select) -> bool {
        if !self.may_have(select) {
            return false;
        }
        let any_instance = covers(select.view_states, ALL_VIEWS)
            && covers(select.instance_states, ALL_INSTANCES)
            && select.instance.is_none()
            && self.query.is_none();
        let wants_unread = select.sample_states & SampleState::NotRead.mask() != 0;
        if any_instance
            && (wants_unread && self.unread > 0 || covers(select.sample_states, ALL_SAMPLES))
        {
            return true;
        }
        let mut found = false;
        self.choose(&Select { max: 1, ..*select }, |_| found = true);
        found
    }

    /// False if no sample can be in the selected sample states.
    fn may_have(&self, select: &Select) -> bool {
        let read = self.samples.len() - self.unread;
        (select.sample_states & SampleState::NotRead.mask() != 0 && self.unread > 0)
            || (select.sample_states & SampleState::Read.mask() != 0 && read > 0)
    }

    pub(super) fn choose(&self, select: &Select, mut found: impl FnMut(u32)) {
        let instance = match select.instance {
            None => None,
            Some(Which::This(handle)) => Some(self.place_of(handle)),
            Some(Which::Next(handle)) => Some(self.next_instance(handle, select)),
        };
        match instance {
            None => self.chain(self.first, |s| s.after, select, &mut found),
            Some(place) => {
                let instance = place.and_then(|p| self.instances.get(p));
                let oldest = instance.map_or(NONE, |i| i.oldest);
                self.chain(oldest, |s| s.newer, select, &mut found);
            }
        }
    }

    /// Is what comes first also what is handed out first? One sample alone is together with those
    /// of its instance.
    fn is_in_order(&self, select: &Select) -> bool {
        self.across_instances
            || select.max <= 1
            || self.instances.len() <= 1
            || select.instance.is_some()
    }

    /// Chooses and counts samples so that those of an instance are together: instances by their
    /// first, which comes first.
    fn choose_by_instance(&mut self, select: &Select, chosen: &mut Vec<u32>) {
        let mut place = self.first;
        while let Some(stored) = self.samples.get(place)
            && chosen.len() < select.max
        {
            let (instance, after) = (stored.instance, stored.after);
            let is_new = |i: &Instance| i.selected == 0;
            if self.instances.get(instance).is_some_and(is_new) && self.matches(stored, select) {
                let begin = chosen.len();
                let rest = Select {
                    max: select.max - begin,
                    ..*select
                };
                let oldest = self.instances.get(instance).map_or(NONE, |i| i.oldest);
                self.chain(oldest, |s| s.newer, &rest, &mut |p| chosen.push(p));
                for place in chosen.iter().skip(begin) {
                    self.count_in(*place);
                }
            }
            place = after;
        }
    }

    fn chain(
        &self,
        mut place: u32,
        next: impl Fn(&Stored) -> u32,
        select: &Select,
        found: &mut impl FnMut(u32),
    ) {
        let mut left = select.max;
        while let Some(stored) = self.samples.get(place)
            && left > 0
        {
            if self.matches(stored, select) {
                found(place);
                left -= 1;
            }
            place = next(stored);
        }
    }

    fn matches(&self, stored: &Stored, select: &Select) -> bool {
        let Some(instance) = self.instances.get(stored.instance) else {
            return false;
        };
        select.sample_states & state_of(stored).mask() != 0
            && select.view_states & instance.view.mask() != 0
            && select.instance_states & instance.state.mask() != 0
            && self.is_asked_for(stored)
    }

    fn is_asked_for(&self, stored: &Stored) -> bool {
        match &self.query {
            None => true,
            // Of what ends an instance there is the key only, which is no sample.
            Some(query) => {
                stored.valid && self.stream.is_none() && query.passes_payload(&stored.payload)
            }
        }
    }

    fn next_instance(&self, after: InstanceHandle, select: &Select) -> Option<u32> {
        let above = self.instances.iter().filter(|(_, i)| i.handle > after);
        let matching = above.filter(|(_, i)| {
            let mut found = false;
            let one = Select { max: 1, ..*select };
            self.chain(i.oldest, |s| s.newer, &one, &mut |_| found = true);
            found
        });
        matching
            .min_by_key(|(_, i)| i.handle)
            .map(|(place, _)| place)
    }

    fn count_in(&mut self, place: u32) {
        if let Some(stored) = self.samples.get(place)
            && let Some(instance) = self.instances.get_mut(stored.instance)
        {
            instance.selected += 1;
            instance.selected_generation = stored.generation();
        }
    }

    /// As `hand_out` of a sample that is taken alone: it ranks behind none. Nothing that is large
    /// is moved: what is said goes from where the sample is stored to where it is to stay.
    #[inline(never)]
    fn take_alone(&mut self, place: u32, info: &mut SampleInfo) -> Option<Payload> {
        let stored = self.samples.get(place)?;
        let instance = self.instances.get_mut(stored.instance)?;
        let generation = stored.generation();
        let newest = match stored.newer {
            NONE => generation,
            _ => generation_of(&self.samples, instance.newest),
        };
        tell(info, stored, instance, [0, 0, newest - generation]);
        if let Some(stream) = &self.stream {
            say_change(info, stream.at(place));
        }
        instance.view = ViewState::NotNew;
        instance.taken = instance.taken.max(stored.timestamp);
        let stored = self.take_out(place)?;
        if stored.origin != NONE {
            info.origin = self.take_origin(&stored);
        }
        self.forget_if_dead(stored.instance);
        Some(stored.payload)
    }

    fn hand_out(&mut self, place: u32, takes: bool, info: &mut SampleInfo) -> Option<Payload> {
        self.rank(place, info)?;
        if takes {
            let stored = self.take_out(place)?;
            if let Some(instance) = self.instances.get_mut(stored.instance) {
                instance.taken = instance.taken.max(stored.timestamp);
            }
            self.forget_if_dead(stored.instance);
            if stored.origin != NONE {
                info.origin = self.take_origin(&stored);
            }
            return Some(stored.payload);
        }
        let stored = self.samples.get_mut(place)?;
        self.unread -= usize::from(!stored.read);
        stored.read = true;
        if stored.origin != NONE {
            info.origin = self.origins.get(stored.origin).copied();
        }
        Some(stored.payload.clone())
    }

    /// What is said about a chosen sample; the last one of its instance makes the instance seen.
    fn rank(&mut self, place: u32, info: &mut SampleInfo) -> Option<()> {
        let stored = self.samples.get(place)?;
        let generation = stored.generation();
        let instance = self.instances.get_mut(stored.instance)?;
        let newest = generation_of(&self.samples, instance.newest);
        instance.selected -= 1;
        let rank = instance.selected_generation - generation;
        let ranks = [instance.selected, rank, newest - generation];
        tell(info, stored, instance, ranks);
        if let Some(stream) = &self.stream {
            say_change(info, stream.at(place));
        }
        if instance.selected == 0 {
            instance.view = ViewState::NotNew;
        }
        Some(())
    }
}

fn generation_of(samples: &Slab<Stored>, place: u32) -> i32 {
    samples.get(place).map_or(0, Stored::generation)
}

/// What is said about a sample, all but its origin. The ranks are that of the sample, of its
/// generation in what is handed out, and of its generation in all that there is.
#[inline]
fn tell(info: &mut SampleInfo, stored: &Stored, instance: &Instance, ranks: [i32; 3]) {
    let [sample_rank, generation_rank, absolute_generation_rank] = ranks;
    *info = SampleInfo {
        sample_state: state_of(stored),
        view_state: instance.view,
        instance_state: instance.state,
        disposed_generation_count: stored.disposed_generations,
        no_writers_generation_count: stored.no_writers_generations,
        sample_rank,
        generation_rank,
        absolute_generation_rank,
        source_timestamp: stored.timestamp,
        instance: instance.handle,
        publication: stored.writer,
        sequence: stored.number(),
        valid_data: stored.valid,
        change_kind: match (stored.valid, instance.state) {
            (true, _) => ChangeKind::Alive,
            (false, InstanceState::NotAliveDisposed) => ChangeKind::Disposed,
            (false, _) => ChangeKind::Unregistered,
        },
        has_key_hash: false,
        foreign_key_hash: stored.foreign_key_hash,
        set: SetPlace::Outside,
        origin: None,
    };
}

/// Where every change is handed out: which one this is.
#[inline]
fn say_change(info: &mut SampleInfo, told: Told) {
    info.change_kind = told.kind;
    info.valid_data = told.kind == ChangeKind::Alive;
    info.instance = told.key_hash.unwrap_or(InstanceHandle::NIL);
    info.has_key_hash = told.key_hash.is_some();
    info.set = told.set;
}

fn state_of(stored: &Stored) -> SampleState {
    match stored.read {
        true => SampleState::Read,
        false => SampleState::NotRead,
    }
}

fn covers(mask: u32, all: u32) -> bool {
    mask & all == all
}
