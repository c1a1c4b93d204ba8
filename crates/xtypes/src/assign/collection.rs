//! Strings and collections (DDS-XTypes 1.3 7.2.4.4.3 to 7.2.4.4.5), and which values end where the
//! reader can see it (7.2.4.2).

use alloc::format;
use alloc::string::String;

use dunlin_cdr::Extensibility;

use super::judge::{Judge, Question, Task};
use super::place::Step;
use super::structure::member_count;
use super::{Difference, Encoding};
use crate::tree::Node;
use crate::{DynamicType, Element, TypeIndex, TypeTree};

const ELEMENT: Step<'static> = Step::Part("[]");
const KEY: Step<'static> = Step::Part("{key}");

impl<'t> Judge<'t> {
    pub(super) fn collection(
        &mut self,
        task: &Task,
        r: &'t Node,
        w: &'t Node,
    ) -> Result<(), Difference> {
        match (r, w) {
            (Node::String8 { bound: most }, Node::String8 { bound: sent })
            | (Node::String16 { bound: most }, Node::String16 { bound: sent }) => {
                self.string_bounds(task, *most, *sent)
            }
            (
                Node::Sequence { element, bound },
                Node::Sequence {
                    element: other,
                    bound: sent,
                },
            ) => {
                self.sequence_bounds(task, *bound, *sent)?;
                self.elements(task, *element, *other)
            }
            (
                Node::Map { key, value, bound },
                Node::Map {
                    key: other_key,
                    value: other,
                    bound: sent,
                },
            ) => {
                self.sequence_bounds(task, *bound, *sent)?;
                self.ask_strongly((*key, *other_key), task.at, KEY);
                self.same_header(task, &[*key, *value], &[*other_key, *other])?;
                self.ask_strongly((*value, *other), task.at, ELEMENT);
                Ok(())
            }
            (
                Node::Array {
                    element,
                    dimensions,
                },
                Node::Array {
                    element: other,
                    dimensions: others,
                },
            ) => {
                if dimensions != others {
                    let rule = "arrays need the same dimensions. Give both the same.";
                    return Err(self.difference(task.at, None, rule, self.words(task)));
                }
                self.elements(task, *element, *other)
            }
            _ => {
                let rule = "a reader takes no other kind of type. Give both one type.";
                Err(self.difference(task.at, None, rule, self.words(task)))
            }
        }
    }

    fn string_bounds(&self, task: &Task, most: u32, sent: u32) -> Result<(), Difference> {
        if self.rules.ignore_string_bounds || holds(most, sent) {
            return Ok(());
        }
        let rule = "the reader counts string bounds. Set ignore_string_bounds, or give both one \
                    bound.";
        Err(self.difference(task.at, None, rule, self.words(task)))
    }

    fn sequence_bounds(&self, task: &Task, most: u32, sent: u32) -> Result<(), Difference> {
        if self.rules.ignore_sequence_bounds || holds(most, sent) {
            return Ok(());
        }
        let rule = "the reader counts sequence bounds. Set ignore_sequence_bounds, or give both \
                    one bound.";
        let words = [
            (self.reader, task.reader, most),
            (self.writer, task.writer, sent),
        ];
        let words = words.map(|(tree, index, bound)| bounded(tree, index, bound));
        Err(self.difference(task.at, None, rule, words))
    }

    fn elements(&mut self, task: &Task, r: Element, w: Element) -> Result<(), Difference> {
        self.same_header(task, &[r], &[w])?;
        self.ask_strongly((r, w), task.at, ELEMENT);
        Ok(())
    }

    /// A collection has a DHEADER in XCDR2 unless its elements are primitive. Bitmasks are not, so
    /// there the integers that they fit otherwise are of no use.
    fn same_header(&self, task: &Task, r: &[Element], w: &[Element]) -> Result<(), Difference> {
        let is_bitmask =
            |tree: &TypeTree, of: &Element| matches!(tree.resolved(of.ty), Node::Bitmask(_));
        let has_bitmask = r.iter().any(|of| is_bitmask(self.reader, of))
            || w.iter().any(|of| is_bitmask(self.writer, of));
        let is_primitive = [
            r.iter().all(|of| self.reader.is_primitive(*of)),
            w.iter().all(|of| self.writer.is_primitive(*of)),
        ];
        if !has_bitmask || is_primitive[0] == is_primitive[1] || self.encoding == Encoding::Xcdr1 {
            return Ok(());
        }
        let rule = "in XCDR2 a collection of bitmasks has its length in bytes in front, and one of \
                    integers has not. Give the elements of both one type.";
        Err(self.difference(task.at, None, rule, self.words(task)))
    }

    /// Whether the reader finds the end of the writer's value, though the types differ.
    pub(super) fn ends(&mut self, task: &Task) -> Result<(), Difference> {
        let (r, w) = self.nodes(task);
        match (r, w) {
            (Node::Sequence { element: r, .. }, Node::Sequence { element: w, .. })
            | (Node::Array { element: r, .. }, Node::Array { element: w, .. }) => {
                self.ask(Question::Ends, (r.ty, w.ty), task.at, ELEMENT);
            }
            (
                Node::Map { key, value, .. },
                Node::Map {
                    key: other_key,
                    value: other,
                    ..
                },
            ) => {
                self.ask(Question::Ends, (key.ty, other_key.ty), task.at, KEY);
                self.ask(Question::Ends, (value.ty, other.ty), task.at, ELEMENT);
            }
            (Node::Structure(r), Node::Structure(w)) => {
                let without_length = w.extensibility == Extensibility::Appendable
                    && self.encoding == Encoding::Xcdr1
                    && member_count(self.reader, r) == member_count(self.writer, w);
                if !without_length && !self.has_length(w.extensibility) {
                    return Err(self.endless(task));
                }
            }
            (Node::Union(_), Node::Union(w)) if !self.has_length(w.extensibility) => {
                return Err(self.endless(task));
            }
            _ => {}
        }
        Ok(())
    }

    fn has_length(&self, of: Extensibility) -> bool {
        match of {
            Extensibility::Final => false,
            Extensibility::Appendable => self.encoding == Encoding::Xcdr2,
            Extensibility::Mutable => true,
        }
    }

    fn endless(&self, task: &Task) -> Difference {
        let rule = match self.encoding {
            Encoding::Xcdr1 => {
                "in XCDR1 its values have no length by which the reader could pass over what it \
                 does not know. Give both one type, make it mutable, or use XCDR2."
            }
            Encoding::Xcdr2 => {
                "values of a final type have no length by which the reader could pass over what \
                 it does not know. Give both one type, or make it appendable or mutable."
            }
        };
        self.difference(task.at, None, rule, self.words(task))
    }
}

/// 0 is no bound, so it is the largest.
fn holds(most: u32, sent: u32) -> bool {
    most == 0 || (sent != 0 && most >= sent)
}

fn bounded(tree: &TypeTree, index: TypeIndex, bound: u32) -> String {
    let words = DynamicType::new(tree.clone(), index).words();
    match bound {
        0 => format!("{words} without bound"),
        _ => format!("{words} of at most {bound}"),
    }
}
