//! What the matched readers of one writer want: each different filter once
//! (`dunlin_rtps::ReaderFilter`).
use crate::untyped::type_support::TypeSupport;
use dunlin_filter::Filter;
use dunlin_rtps::{ContentFilter, ReaderFilter};
use dunlin_transport::panics::log;
use dunlin_wire::{ContentFilterProperty, Guid, ReaderData};
use dunlin_xtypes::ValueError;
use hashbrown::HashMap;

/// The steps are counted that a stranger's filter takes; what is no sample of the type does not
/// pass.
fn counting(filter: Filter) -> ContentFilter {
    ContentFilter::counting(
        move |sample, steps| match filter.evaluate_within(sample, steps) {
            Err(ValueError::Cdr(dunlin_cdr::Error::TooManySteps)) => None,
            verdict => Some(verdict.unwrap_or(false)),
        },
    )
}

/// The filters by which a writer spares its readers samples. A reader is sent everything, and
/// filters by itself, if its filter cannot be understood, if it takes too many steps, if there are
/// too many different ones, or if it wants coherent sets, of which nothing may be missing.
#[derive(Default)]
pub(crate) struct Filters {
    /// By place.
    known: Vec<Option<Known>>,
    readers: HashMap<Guid, u8>,
    /// A reader that wants something else now, of which the protocol has not heard yet.
    changing: Option<Guid>,
}

struct Known {
    expression: String,
    parameters: Vec<String>,
    filter: ContentFilter,
}

impl Known {
    fn is(&self, told: &ContentFilterProperty) -> bool {
        self.expression == told.expression && self.parameters == told.parameters
    }
}

impl Filters {
    /// No reader is spared anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.readers.is_empty()
    }

    /// What a reader has told, or tells now, for samples of this type.
    pub(crate) fn note(&mut self, reader: &ReaderData, ty: &TypeSupport) {
        let before = self.readers.remove(&reader.guid);
        let told = reader.content_filter.as_ref();
        let told = told.filter(|told| {
            told.class == ContentFilterProperty::SQL
                && !reader.subscriber.presentation.coherent_access
        });
        if let Some(place) = told.and_then(|told| self.place(told, ty)) {
            self.readers.insert(reader.guid, place);
        }
        if self.readers.get(&reader.guid) != before.as_ref() {
            self.changing = Some(reader.guid);
            self.tidy();
        }
    }

    /// The protocol knows what all want.
    pub(crate) fn settle(&mut self) {
        self.changing = None;
    }

    pub(crate) fn forget(&mut self, reader: &Guid) {
        if self.readers.remove(reader).is_some() {
            self.tidy();
        }
    }

    /// The filter of a reader, if samples are measured by one.
    pub(crate) fn of(&self, reader: &Guid) -> Option<ReaderFilter> {
        let place = *self.readers.get(reader)?;
        let known = self.known.get(usize::from(place))?.as_ref()?;
        Some(ReaderFilter {
            place,
            filter: known.filter.clone(),
        })
    }

    /// Its bit in `To::Passing`.
    pub(crate) fn wanted(&self, reader: &Guid) -> u64 {
        if self.changing == Some(*reader) {
            return u64::MAX;
        }
        ReaderFilter::bit(self.of(reader).as_ref())
    }

    /// The place of a filter, new or known; `None` if it is none of ours, or one too many.
    fn place(&mut self, told: &ContentFilterProperty, ty: &TypeSupport) -> Option<u8> {
        let same = |known: &Option<Known>| known.as_ref().is_some_and(|known| known.is(told));
        if let Some(place) = self.known.iter().position(same) {
            return u8::try_from(place).ok();
        }
        let free = self.known.iter().position(Option::is_none);
        let place = u8::try_from(free.unwrap_or(self.known.len())).ok()?;
        if place >= ReaderFilter::MOST {
            return None;
        }
        let filter = match ty.filter(&told.expression, &told.parameters) {
            Ok(filter) => filter,
            Err(error) => {
                let error = error.message();
                log::debug!(
                    topic = told.related_topic,
                    error,
                    "a reader's filter is left to the reader"
                );
                return None;
            }
        };
        let known = Known {
            expression: told.expression.clone(),
            parameters: told.parameters.clone(),
            filter: counting(filter),
        };
        match self.known.get_mut(usize::from(place)) {
            Some(free) => *free = Some(known),
            None => self.known.push(Some(known)),
        }
        Some(place)
    }

    /// Lets go of filters that no reader has.
    fn tidy(&mut self) {
        for (place, known) in self.known.iter_mut().enumerate() {
            if !self
                .readers
                .values()
                .any(|used| usize::from(*used) == place)
            {
                *known = None;
            }
        }
    }
}
