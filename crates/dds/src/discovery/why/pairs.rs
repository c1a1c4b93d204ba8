//! Pairs of writers and readers, compared once for all that announce the same.
//!
//! Ten thousand writers and as many readers are a hundred million pairs, but hardly ever more than
//! a handful of different announcements. Endpoints that announce the same are of one class, and
//! classes are compared, the largest first and [`MOST_COMPARED`] pairs of them at most.
use crate::discovery::observe::{KnownTypes, TypeState, Verdict, compare};
use bytes::Bytes;
use dunlin_qos::{DataReaderQos, DataWriterQos};
use dunlin_wire::{Guid, ReaderData, WriterData};
use std::collections::HashMap;

/// Most pairs of classes that are compared.
const MOST_COMPARED: usize = 1 << 17;
/// Endpoints of one class that are remembered, so that pairs of them can be asked about.
const MOST_EXAMPLES: usize = 512;

/// Endpoints that announce the same but for who and where they are.
pub(super) struct Class<'a, D> {
    /// Some of them, at least one.
    examples: Vec<&'a D>,
    /// How many there are.
    count: usize,
}

impl<'a, D> Class<'a, D> {
    fn example(&self) -> Option<&'a D> {
        self.examples.first().copied()
    }
}

/// Two classes, and how many pairs of endpoints they stand for.
pub(super) struct ClassPair<'a> {
    pub(super) writer: &'a WriterData,
    pub(super) reader: &'a ReaderData,
    pub(super) count: usize,
    /// Places of the two classes.
    place: (usize, usize),
}

/// All pairs of some writers and some readers.
pub(super) struct Pairs<'a> {
    writers: Vec<Class<'a, WriterData>>,
    readers: Vec<Class<'a, ReaderData>>,
    /// Whether the classes match, by rows of writers; as many as were compared.
    matches: Vec<bool>,
    /// Columns of a row.
    columns: usize,
    types: &'a KnownTypes,
}

impl<'a> Pairs<'a> {
    pub(super) fn of(
        writers: &[&'a WriterData],
        readers: &[&'a ReaderData],
        types: &'a KnownTypes,
    ) -> Self {
        let writers = classes(writers, |w| (w.guid, writer_key(w)), types);
        let readers = classes(readers, |r| (r.guid, reader_key(r)), types);
        let columns = readers.len().min(MOST_COMPARED);
        let rows = (MOST_COMPARED / columns.max(1)).min(writers.len());
        let mut pairs = Self {
            writers,
            readers,
            matches: Vec::new(),
            columns,
            types,
        };
        let matches = (0..rows * columns).filter_map(|place| pairs.at(place));
        pairs.matches = matches.map(|pair| pairs.suits(&pair)).collect();
        pairs
    }

    /// How many pairs there are, and how many of these were not compared.
    pub(super) fn uncompared(&self) -> usize {
        let count = |counts: &mut dyn Iterator<Item = usize>| counts.sum::<usize>();
        let writers = count(&mut self.writers.iter().map(|w| w.count));
        let readers = count(&mut self.readers.iter().map(|r| r.count));
        let compared: usize = self.all().map(|pair| pair.count).sum();
        writers.saturating_mul(readers).saturating_sub(compared)
    }

    /// Every pair of classes that was compared.
    pub(super) fn all(&self) -> impl Iterator<Item = ClassPair<'a>> {
        (0..self.matches.len()).filter_map(|place| self.at(place))
    }

    /// Those that match.
    pub(super) fn matched(&self) -> impl Iterator<Item = ClassPair<'a>> {
        let places = self.matches.iter().enumerate();
        let places = places.filter(|(_, matches)| **matches);
        places.filter_map(|(place, _)| self.at(place))
    }

    /// Those that do not.
    pub(super) fn unmatched(&self) -> impl Iterator<Item = ClassPair<'a>> {
        let places = self.matches.iter().enumerate();
        let places = places.filter(|(_, matches)| !**matches);
        places.filter_map(|(place, _)| self.at(place))
    }

    /// How many pairs of endpoints match.
    pub(super) fn count_matched(&self) -> usize {
        let counts = self.matched().map(|pair| pair.count);
        counts.fold(0, usize::saturating_add)
    }

    /// Which writers, and which readers, of the classes match anything.
    pub(super) fn company(&self) -> (Vec<bool>, Vec<bool>) {
        let mut company = (
            vec![false; self.writers.len()],
            vec![false; self.readers.len()],
        );
        for ClassPair { place, .. } in self.matched() {
            if let Some(writer) = company.0.get_mut(place.0) {
                *writer = true;
            }
            if let Some(reader) = company.1.get_mut(place.1) {
                *reader = true;
            }
        }
        company
    }

    /// Some pairs of endpoints that match, each once and `most` at most: all if there are not more,
    /// else such that as many different endpoints as possible are among them.
    pub(super) fn sample(&self, most: usize) -> Vec<(&'a WriterData, &'a ReaderData)> {
        let mut sample = Vec::new();
        let classes: Vec<_> = self.matched().map(|pair| pair.place).collect();
        let share = most.div_ceil(classes.len().max(1));
        for (w, r) in classes {
            let (Some(writers), Some(readers)) = (self.writers.get(w), self.readers.get(r)) else {
                continue;
            };
            let (writers, readers) = (&writers.examples, &readers.examples);
            let rest = most.saturating_sub(sample.len());
            let before = sample.len();
            // Diagonals: each step has another writer and another reader.
            let wide = writers.len().max(readers.len());
            let steps = (0..writers.len().min(readers.len()))
                .flat_map(|shift| (0..wide).map(move |step| (shift, step)));
            for (shift, step) in steps.take(share.min(rest)) {
                let (w, r) = match writers.len() >= readers.len() {
                    true => (step, (step + shift) % readers.len()),
                    false => ((step + shift) % writers.len(), step),
                };
                if let (Some(writer), Some(reader)) = (writers.get(w), readers.get(r)) {
                    sample.push((*writer, *reader));
                }
            }
            if sample.len() == before && rest == 0 {
                break;
            }
        }
        sample
    }

    /// The verdict on a pair, again: it is not kept.
    pub(super) fn verdict(&self, pair: &ClassPair<'_>) -> Verdict {
        compare(pair.writer, pair.reader, self.types)
    }

    fn suits(&self, pair: &ClassPair<'_>) -> bool {
        pair.writer.topic == pair.reader.topic && self.verdict(pair) == Verdict::Matched
    }

    fn at(&self, place: usize) -> Option<ClassPair<'a>> {
        let row = place.checked_div(self.columns)?;
        let column = place.checked_rem(self.columns)?;
        let (writers, readers) = (self.writers.get(row)?, self.readers.get(column)?);
        Some(ClassPair {
            writer: writers.example()?,
            reader: readers.example()?,
            count: writers.count.saturating_mul(readers.count),
            place: (row, column),
        })
    }
}

impl ClassPair<'_> {
    /// True if the writer or the reader matches nothing, as `company` has it.
    pub(super) fn is_lonely(&self, company: &(Vec<bool>, Vec<bool>)) -> bool {
        let has = |all: &[bool], place: usize| all.get(place).copied().unwrap_or(false);
        !has(&company.0, self.place.0) || !has(&company.1, self.place.1)
    }
}

/// What decides whether an endpoint matches another: what it announces, its kind, and what is known
/// of its type.
type Key = (Bytes, u8, u8);

fn classes<'a, D>(
    endpoints: &[&'a D],
    key: impl Fn(&D) -> (Guid, Bytes),
    types: &KnownTypes,
) -> Vec<Class<'a, D>> {
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut classes: Vec<Class<'a, D>> = Vec::new();
    for endpoint in endpoints {
        let (guid, announced) = key(endpoint);
        let known = match types.state(guid) {
            None => 0,
            Some(TypeState::Known(_)) => 1,
            Some(TypeState::Unavailable(_)) => 2,
        };
        let [.., kind] = guid.entity.0;
        let place = *places
            .entry((announced, kind, known))
            .or_insert(classes.len());
        match classes.get_mut(place) {
            Some(class) => {
                class.count += 1;
                if class.examples.len() < MOST_EXAMPLES {
                    class.examples.push(endpoint);
                }
            }
            None => classes.push(Class {
                examples: vec![endpoint],
                count: 1,
            }),
        }
    }
    classes.sort_by_key(|class| std::cmp::Reverse(class.count));
    classes
}

/// What all writers of a class say; one that cannot be said is of a class with its likes.
fn writer_key(writer: &WriterData) -> Bytes {
    let announced = WriterData {
        qos: DataWriterQos {
            entity_name: String::new(),
            user_data: Default::default(),
            ..writer.qos.clone()
        },
        publisher: writer.publisher.clone(),
        type_information: writer.type_information.clone(),
        layout: writer.layout,
        ..WriterData::new(Guid::UNKNOWN, &*writer.topic, &*writer.type_name)
    };
    announced.encode().unwrap_or_default()
}

fn reader_key(reader: &ReaderData) -> Bytes {
    let announced = ReaderData {
        qos: DataReaderQos {
            entity_name: String::new(),
            user_data: Default::default(),
            ..reader.qos.clone()
        },
        subscriber: reader.subscriber.clone(),
        type_information: reader.type_information.clone(),
        content_filter: reader.content_filter.clone(),
        layout: reader.layout,
        ..ReaderData::new(Guid::UNKNOWN, &*reader.topic, &*reader.type_name)
    };
    announced.encode().unwrap_or_default()
}
