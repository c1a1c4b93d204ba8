//! What a route waits for until it knows its type.
use super::facts::View;
use super::{Entry, Known, Side};
use crate::types::{Knowledge, RouteType, TypeSource, Wish, wish};
use dunlin::Guid;

impl Entry {
    /// Does its input wait until it is known what its type is?
    pub(crate) fn lacks_type(&self) -> bool {
        match (wish(&self.plan), &self.knowledge) {
            (Wish::Nothing, _) | (_, Some(Knowledge::Known(_))) => false,
            (Wish::Needs(_), _) => true,
            // What is there stays there until it is known.
            (Wish::Likes, knowledge) => knowledge.is_none() && !self.is_made(Side::Input),
        }
    }

    /// Does it want to know what its type is, and has nobody said so yet?
    pub(in crate::table) fn asks_for_type(&self) -> bool {
        let wants = wish(&self.plan) != Wish::Nothing;
        self.enabled && self.is_up && wants && self.route_type().is_none()
    }

    /// What is known of its type, if it wants to know.
    pub(crate) fn route_type(&self) -> Option<&RouteType> {
        match &self.knowledge {
            Some(Knowledge::Known(ty)) => Some(ty),
            Some(Knowledge::Unknown(_)) | None => None,
        }
    }

    /// Is this what it has heard already?
    pub(in crate::table) fn has_heard(&self, why: &str) -> bool {
        matches!(&self.knowledge, Some(Knowledge::Unknown(known)) if known == why)
    }

    /// This is what its type is, or why that is not known.
    pub(in crate::table) fn learn(&mut self, knowledge: Knowledge) {
        self.knowledge = Some(knowledge);
    }

    /// Nothing is there of which it was told.
    pub(super) fn forget_type(&mut self) {
        let is_of_file = |ty: &RouteType| matches!(ty.source, TypeSource::File(_));
        if !self.route_type().is_some_and(is_of_file) {
            self.knowledge = None;
        }
    }

    /// The sources, which may be asked: their connections and writers.
    pub(in crate::table) fn witnesses(
        &self,
        connections: &[Known],
        router: u32,
    ) -> Vec<(usize, Guid)> {
        let view = View {
            connections,
            router,
        };
        let writers = self.all_writers(view);
        let known = writers.filter_map(|(input, writer)| {
            let connection = self.connection(Side::Input, input)?;
            Some((connection, writer.guid))
        });
        known.collect()
    }

    /// What it waits for, or does without.
    pub(super) fn why_no_type(&self) -> Option<String> {
        match (wish(&self.plan), &self.knowledge) {
            (Wish::Needs(what), Some(Knowledge::Unknown(why))) => Some(format!(
                "{what} needs the type, and that is not known: {why}; give it by idl_files"
            )),
            (Wish::Likes, Some(Knowledge::Unknown(why))) => Some(format!(
                "the filter is announced to writers, not judged here: the type is not known: {why}"
            )),
            (Wish::Needs(what), None) => Some(format!(
                "waits for a source that tells the type, which {what} needs; or idl_files"
            )),
            (Wish::Likes, None) => Some(
                "waits for a source to learn its type, by which the filter is judged".to_owned(),
            ),
            (Wish::Nothing, _) | (_, Some(Knowledge::Known(_))) => None,
        }
    }
}
