//! Unions, case by case.

use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::{AutoId, TypeTreeBuilder, hash_id, sorted};
use crate::annotations::{Annotated, annotated};
use crate::tree::{Node, Union};
use crate::{Annotations, Case, Element, TryConstruct, TypeIndex};

/// Cases of a union, one after the other. What is said after [`case`](Self::case) is about that
/// case.
#[derive(Debug)]
#[must_use = "`finish` adds it"]
pub struct UnionBuilder<'b> {
    pub(super) types: &'b mut TypeTreeBuilder,
    pub(super) index: TypeIndex,
    pub(super) extensibility: Extensibility,
    pub(super) discriminator: Element,
    pub(super) auto_id: AutoId,
    pub(super) is_nested: bool,
    pub(super) is_key: bool,
    pub(super) annotations: Annotated,
    pub(super) cases: Vec<Case>,
}

impl UnionBuilder<'_> {
    /// `@key` of the discriminator.
    pub fn key(mut self) -> Self {
        self.is_key = true;
        self
    }

    /// Where ids come from; to be said before the first case. Sequential ones begin at 1, for 0 is
    /// the discriminator.
    pub fn auto_id(mut self, auto_id: AutoId) -> Self {
        self.auto_id = auto_id;
        self
    }

    /// `@nested`: no topic is of it.
    pub fn nested(mut self) -> Self {
        self.is_nested = true;
        self
    }

    /// Adds a case that has a value.
    pub fn case(self, name: &str, element: impl Into<Element>, labels: &[i64]) -> Self {
        self.add(name, Some(element.into()), labels)
    }

    /// Adds a name for discriminators with which there is no value.
    pub fn case_without_value(self, name: &str, labels: &[i64]) -> Self {
        self.add(name, None, labels)
    }

    fn add(mut self, name: &str, element: Option<Element>, labels: &[i64]) -> Self {
        let id = match (self.auto_id, self.cases.last()) {
            (AutoId::Hash, _) => hash_id(name),
            (AutoId::Sequential, Some(last)) => last.id.saturating_add(1),
            (AutoId::Sequential, None) => 1,
        };
        self.cases.push(Case {
            name: name.into(),
            id,
            element,
            labels: labels.into(),
            is_default: false,
            annotations: None,
        });
        self
    }

    pub(crate) fn whole_case(mut self, case: Case) -> Self {
        self.cases.push(case);
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Case)) -> Self {
        if let Some(case) = self.cases.last_mut() {
            change(case);
        }
        self
    }

    /// The case is selected by all discriminators that select no other.
    pub fn default(self) -> Self {
        self.last(|case| case.is_default = true)
    }

    /// `@id`.
    pub fn id(self, id: u32) -> Self {
        self.last(|case| case.id = id)
    }

    /// `@hashid`, with the name of the case or another text.
    pub fn hash_id(self, text: Option<&str>) -> Self {
        self.last(|case| case.id = hash_id(text.unwrap_or(&case.name)))
    }

    /// `@external`.
    pub fn external(self) -> Self {
        self.last(|case| case.element.iter_mut().for_each(|e| e.is_external = true))
    }

    /// `@try_construct`.
    pub fn try_construct(self, rule: TryConstruct) -> Self {
        self.last(|case| case.element.iter_mut().for_each(|e| e.try_construct = rule))
    }

    /// Other annotations of the case. What `hash_id` of it says about the id is said by
    /// [`hash_id`](Self::hash_id), too.
    pub fn annotations(self, annotations: Annotations) -> Self {
        self.last(|case| case.annotations = annotated(annotations))
    }

    /// Annotations of the discriminator.
    pub fn discriminator_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotated(annotations);
        self
    }

    /// Adds the union.
    pub fn finish(self) -> TypeIndex {
        let cases = self.cases;
        let labels = cases.iter().zip(0_u32..);
        let labels = labels.flat_map(|(case, index)| case.labels.iter().map(move |l| (*l, index)));
        let mut by_label: Vec<(i64, u32)> = labels.collect();
        by_label.sort_unstable();
        let by_id = sorted(cases.iter().map(|case| case.id));
        let default = cases.iter().position(|case| case.is_default);
        let (extensibility, is_nested, is_key) = (self.extensibility, self.is_nested, self.is_key);
        let discriminator = self.discriminator;
        let (annotations, has_hashed_ids) = (self.annotations, self.auto_id == AutoId::Hash);
        self.types.define(self.index, |name| {
            Node::Union(Union {
                name,
                extensibility,
                is_nested,
                has_hashed_ids,
                discriminator,
                is_key,
                annotations,
                cases: cases.into(),
                by_label: by_label.into(),
                by_id,
                default: default.map(|index| index as u32),
            })
        });
        self.index
    }
}
