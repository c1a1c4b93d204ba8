//! The questions that the assignability of two types consists of, one after the other.
//!
//! All have to be answered with yes, so the first no ends it. A pair of types that is asked about
//! again, because types contain themselves or each other, need not be looked at again.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::place::{Place, Places, Step};
use super::same::Sameness;
use super::{Difference, Encoding, Rules, Verdict};
use crate::tree::Node;
use crate::{DynamicType, Element, TypeIndex, TypeTree};

/// Pairs of types, members, cases, literals and flags that are looked at, in all walks together.
const PAIRS: usize = 65_536;

/// The work that is left.
pub(super) struct Work(usize);

/// There was not enough.
pub(super) struct Exhausted;

impl Work {
    pub(super) fn take(&mut self, pairs: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(pairs).ok_or(Exhausted)?;
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    /// Whether the reader's type is assignable from that of the writer.
    Assignable,
    /// The same, without regard to what is a key (`KeyErased` in the standard).
    AssignableErased,
    /// Whether the reader finds the end of a value without knowing all of it.
    Ends,
    /// Whether the same members are keys.
    Keys,
}

/// A question about two types, aliases resolved.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub(super) question: Question,
    pub(super) reader: TypeIndex,
    pub(super) writer: TypeIndex,
    pub(super) at: Place,
}

pub(super) struct Judge<'t> {
    pub(super) reader: &'t TypeTree,
    pub(super) writer: &'t TypeTree,
    pub(super) rules: &'t Rules,
    pub(super) encoding: Encoding,
    pub(super) places: Places<'t>,
    roots: [TypeIndex; 2],
    work: Work,
    same: Sameness<'t>,
    asked: BTreeSet<(Question, TypeIndex, TypeIndex)>,
    open: Vec<Task>,
}

impl<'t> Judge<'t> {
    pub(super) fn new(
        reader: &'t DynamicType,
        writer: &'t DynamicType,
        rules: &'t Rules,
        encoding: Encoding,
    ) -> Self {
        let roots = [reader, writer].map(|of| of.tree().resolve(of.index()));
        Self {
            reader: reader.tree(),
            writer: writer.tree(),
            rules,
            encoding,
            places: Places::new(reader.name(), writer.name()),
            roots,
            work: Work(PAIRS),
            same: Sameness::new(reader.tree(), writer.tree()),
            asked: BTreeSet::new(),
            open: Vec::new(),
        }
    }

    pub(super) fn verdict(mut self) -> Result<Verdict, Difference> {
        let [reader, writer] = self.roots;
        let task = |question| Task {
            question,
            reader,
            writer,
            at: Place::ROOT,
        };
        let whole = task(Question::Assignable);
        if self.is_same(&whole)? {
            return Ok(Verdict::Same);
        }
        if !self.rules.allow_coercion {
            return Err(self.not_same(&whole));
        }
        if self.has_key(&whole) {
            self.open.push(task(Question::Keys));
        }
        self.open.push(whole);
        while let Some(task) = self.open.pop() {
            if !self.asked.insert((task.question, task.reader, task.writer)) {
                continue;
            }
            self.take(1, &task)?;
            let begin = self.open.len();
            self.answer(&task)?;
            // They are asked in the order in which the type has its parts.
            self.open.get_mut(begin..).unwrap_or_default().reverse();
        }
        Ok(Verdict::Assignable)
    }

    /// Whether one of both topics has instances.
    fn has_key(&self, task: &Task) -> bool {
        let has_key = |node: &Node| matches!(node, Node::Structure(of) if of.has_key);
        let (r, w) = self.nodes(task);
        has_key(r) || has_key(w)
    }

    fn not_same(&self, task: &Task) -> Difference {
        let rule = "the reader takes no type but its own. Allow type coercion, or give both one \
                    type.";
        self.difference(task.at, None, rule, self.words(task))
    }

    fn answer(&mut self, task: &Task) -> Result<(), Difference> {
        if self.is_same(task)? {
            return Ok(());
        }
        match task.question {
            Question::Assignable | Question::AssignableErased => self.assignable(task),
            Question::Ends => self.ends(task),
            Question::Keys => self.keys(task),
        }
    }

    fn assignable(&mut self, task: &Task) -> Result<(), Difference> {
        let (r, w) = self.nodes(task);
        match (r, w) {
            (Node::Primitive(one), Node::Primitive(other)) if one == other => Ok(()),
            (Node::Structure(r), Node::Structure(w)) => self.structure(task, r, w),
            (Node::Union(r), Node::Union(w)) => self.union(task, r, w),
            (Node::Enumeration(r), Node::Enumeration(w)) => self.enumeration(task, r, w),
            (Node::Bitset(r), Node::Bitset(w)) => self.bitset(task, r, w),
            (Node::Bitmask(_), _) | (_, Node::Bitmask(_)) => self.bitmask(task, r, w),
            _ => self.collection(task, r, w),
        }
    }

    /// Whether the same members are keys: where none is marked, all of them are.
    fn keys(&mut self, task: &Task) -> Result<(), Difference> {
        match self.nodes(task) {
            (Node::Structure(r), Node::Structure(w)) => self.structure_keys(task, r, w),
            (Node::Union(r), Node::Union(w)) => self.union_keys(task, r, w),
            _ => Ok(()),
        }
    }

    pub(super) fn nodes(&self, task: &Task) -> (&'t Node, &'t Node) {
        (self.reader.node(task.reader), self.writer.node(task.writer))
    }

    fn is_same(&mut self, task: &Task) -> Result<bool, Difference> {
        let same = self.same.is_same(task.reader, task.writer, &mut self.work);
        same.map_err(|Exhausted| self.too_large(task))
    }

    /// Takes so much of the work that is left.
    pub(super) fn take(&mut self, pairs: usize, task: &Task) -> Result<(), Difference> {
        let taken = self.work.take(pairs);
        taken.map_err(|Exhausted| self.too_large(task))
    }

    fn too_large(&self, task: &Task) -> Difference {
        let rule = "the types are too large to compare. Make them smaller, or give both one type.";
        self.difference(task.at, None, rule, self.words(task))
    }

    /// Asks about parts of both types.
    pub(super) fn ask(
        &mut self,
        question: Question,
        (reader, writer): (TypeIndex, TypeIndex),
        at: Place,
        step: Step<'t>,
    ) {
        let (reader, writer) = (self.reader.resolve(reader), self.writer.resolve(writer));
        if !self.is_settled(reader, writer) {
            let at = self.places.push(at, step);
            self.open.push(Task {
                question,
                reader,
                writer,
                at,
            });
        }
    }

    /// Asks whether the parts are assignable and the reader finds the end of the writer's value
    /// (strongly assignable in the standard).
    pub(super) fn ask_strongly(
        &mut self,
        (reader, writer): (Element, Element),
        at: Place,
        step: Step<'t>,
    ) {
        let (reader, writer) = (
            self.reader.resolve(reader.ty),
            self.writer.resolve(writer.ty),
        );
        if self.is_settled(reader, writer) {
            return;
        }
        let at = self.places.push(at, step);
        let task = |question| Task {
            question,
            reader,
            writer,
            at,
        };
        self.open.push(task(Question::Assignable));
        if has_parts(self.writer.node(writer)) {
            self.open.push(task(Question::Ends));
        }
    }

    /// Most members are of one primitive type on both sides.
    fn is_settled(&self, reader: TypeIndex, writer: TypeIndex) -> bool {
        reader == writer && matches!(self.reader.node(reader), Node::Primitive(_))
    }

    /// What people read where the types are meant, which differ.
    pub(super) fn words(&self, task: &Task) -> [String; 2] {
        let words = |tree: &TypeTree, index| DynamicType::new(tree.clone(), index).words();
        let reader = words(self.reader, task.reader);
        let writer = words(self.writer, task.writer);
        match reader == writer {
            true => [reader, format!("another {writer}")],
            false => [reader, writer],
        }
    }

    pub(super) fn difference(
        &self,
        at: Place,
        step: Option<Step<'t>>,
        rule: &'static str,
        [reader, writer]: [String; 2],
    ) -> Difference {
        let [reader_path, writer_path] = self.places.paths(at, step);
        Difference {
            reader_path,
            writer_path,
            rule,
            reader,
            writer,
        }
    }
}

/// Whether the end of its values depends on other types.
fn has_parts(of: &Node) -> bool {
    matches!(
        of,
        Node::Sequence { .. }
            | Node::Array { .. }
            | Node::Map { .. }
            | Node::Structure(_)
            | Node::Union(_)
    )
}
