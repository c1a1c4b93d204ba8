//! Structures (DDS-XTypes 1.3 7.2.4.4.6).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::Difference;
use super::judge::{Judge, Question, Task};
use super::place::Step;
use crate::tree::{Node, Structure};
use crate::{Element, Member, TypeTree};

/// A structure and its members, those of its bases first.
struct Flat<'t> {
    tree: &'t TypeTree,
    of: &'t Structure,
    members: Vec<&'t Member>,
    /// Itself and its bases.
    levels: usize,
}

impl<'t> Judge<'t> {
    pub(super) fn structure(
        &mut self,
        task: &Task,
        r: &'t Structure,
        w: &'t Structure,
    ) -> Result<(), Difference> {
        self.same_extensibility(task, r.extensibility, w.extensibility)?;
        let (reader, writer) = (
            self.flat(self.reader, r, task)?,
            self.flat(self.writer, w, task)?,
        );
        let mut has_common = false;
        for (at, one) in reader.members.iter().enumerate() {
            let other = self.by_id(&writer, at, one.id, task)?;
            if other.is_none_or(|other| other.name != one.name) {
                self.take(writer.levels, task)?;
                self.same_name(task, one, other, &writer)?;
            }
            match other {
                Some(other) => {
                    has_common = true;
                    if r.extensibility == Extensibility::Mutable {
                        let types = (one.element.ty, other.element.ty);
                        let step = Step::Member(&one.name, &other.name);
                        self.ask(Question::AssignableErased, types, task.at, step);
                    }
                }
                None => self.reader_alone(task, one)?,
            }
        }
        for (at, other) in writer.members.iter().enumerate() {
            if self.by_id(&reader, at, other.id, task)?.is_none() {
                self.writer_alone(task, other, w.extensibility)?;
            }
        }
        let has_members = !reader.members.is_empty() || !writer.members.is_empty();
        if has_members && !has_common {
            let rule = "no member is in both. Give both types a member of the same id.";
            return Err(self.difference(task.at, None, rule, self.words(task)));
        }
        match r.extensibility {
            Extensibility::Mutable => Ok(()),
            _ => self.in_order(task, r.extensibility, &reader.members, &writer.members),
        }
    }

    fn flat(
        &mut self,
        tree: &'t TypeTree,
        of: &'t Structure,
        task: &Task,
    ) -> Result<Flat<'t>, Difference> {
        let chain = tree.chain(of);
        let count: usize = chain.iter().map(|of| of.members.len()).sum();
        self.take(chain.len() + count, task)?;
        let mut members = Vec::with_capacity(count);
        members.extend(chain.iter().flat_map(|of| &of.members));
        Ok(Flat {
            tree,
            of,
            members,
            levels: chain.len(),
        })
    }

    /// The member with this id, which is mostly at this place.
    fn by_id(
        &mut self,
        of: &Flat<'t>,
        at: usize,
        id: u32,
        task: &Task,
    ) -> Result<Option<&'t Member>, Difference> {
        match of.members.get(at) {
            Some(member) if member.id == id => Ok(Some(member)),
            _ => {
                self.take(of.levels, task)?;
                Ok(of.tree.member_by_id(of.of, id))
            }
        }
    }

    pub(super) fn same_extensibility(
        &self,
        task: &Task,
        reader: Extensibility,
        writer: Extensibility,
    ) -> Result<(), Difference> {
        if reader == writer {
            return Ok(());
        }
        let is_final = [reader, writer].contains(&Extensibility::Final);
        let rule = match is_final {
            true => {
                "both need one extensibility. Write @final, @appendable or @mutable in both: Cyclone \
                 DDS takes final where nothing is said, others appendable."
            }
            false => "both need one extensibility. Write @appendable or @mutable in both.",
        };
        let words = [reader, writer].map(|of| extensibility_word(of).into());
        Err(self.difference(task.at, None, rule, words))
    }

    /// A member of the reader, and the one of the same id, have one name, and no other has it.
    fn same_name(
        &self,
        task: &Task,
        one: &'t Member,
        same_id: Option<&'t Member>,
        writer: &Flat<'t>,
    ) -> Result<(), Difference> {
        if self.rules.ignore_member_names {
            return Ok(());
        }
        let same_name = || writer.tree.member_by_name(writer.of, &one.name);
        match same_id.or_else(same_name) {
            Some(other) => {
                Err(self.one_name_one_id(task, (&one.name, one.id), (&other.name, other.id), NAMES))
            }
            None => Ok(()),
        }
    }

    pub(super) fn one_name_one_id(
        &self,
        task: &Task,
        (one, id): (&'t str, u32),
        (other, other_id): (&'t str, u32),
        rule: &'static str,
    ) -> Difference {
        let words = [
            format!("{one} with id {id}"),
            format!("{other} with id {other_id}"),
        ];
        self.difference(task.at, Some(Step::Member(one, other)), rule, words)
    }

    fn reader_alone(&self, task: &Task, one: &'t Member) -> Result<(), Difference> {
        let is_counted = task.question == Question::Assignable;
        let rule = if is_counted && one.is_key {
            LONE_KEY
        } else if one.must_understand && !one.is_optional {
            LONE_MUST_UNDERSTAND
        } else if self.rules.prevent_type_widening && !one.is_optional {
            "the reader prevents type widening. Add the member to the writer's type, or make it \
             @optional."
        } else {
            return Ok(());
        };
        let words = [words(one), "no such member".into()];
        Err(self.difference(task.at, member(one), rule, words))
    }

    fn writer_alone(
        &self,
        task: &Task,
        other: &'t Member,
        extensibility: Extensibility,
    ) -> Result<(), Difference> {
        // The header of a key in a mutable type says that it has to be understood, also where the
        // type is no part of a key.
        let is_counted =
            task.question == Question::Assignable || extensibility == Extensibility::Mutable;
        let rule = if is_counted && other.is_key {
            LONE_KEY
        } else if other.must_understand && !other.is_optional {
            LONE_MUST_UNDERSTAND
        } else {
            return Ok(());
        };
        let words = ["no such member".into(), words(other)];
        Err(self.difference(task.at, member(other), rule, words))
    }

    /// Members that are told apart by their place alone.
    fn in_order(
        &mut self,
        task: &Task,
        extensibility: Extensibility,
        reader: &[&'t Member],
        writer: &[&'t Member],
    ) -> Result<(), Difference> {
        for (one, other) in reader.iter().zip(writer) {
            let step = Step::Member(&one.name, &other.name);
            if one.id != other.id || one.is_optional != other.is_optional {
                let rule = "members at one place need one id and both or neither @optional. \
                            Declare them in one order, or make the type mutable.";
                let words = [words(one), words(other)];
                return Err(self.difference(task.at, Some(step), rule, words));
            }
            self.ask_strongly((one.element, other.element), task.at, step);
        }
        let counts = [reader, writer].map(<[_]>::len);
        if extensibility == Extensibility::Final && counts[0] != counts[1] {
            let words = counts.map(|count| format!("{count} members"));
            let rule = "a final type cannot grow. Make it appendable or mutable in both.";
            return Err(self.difference(task.at, None, rule, words));
        }
        Ok(())
    }

    /// Both have the same keys, and those that are structures or unions too.
    pub(super) fn structure_keys(
        &mut self,
        task: &Task,
        r: &'t Structure,
        w: &'t Structure,
    ) -> Result<(), Difference> {
        let (reader, writer) = (
            self.flat(self.reader, r, task)?,
            self.flat(self.writer, w, task)?,
        );
        let has_key = r.has_key || w.has_key;
        for (at, one) in reader.members.iter().enumerate() {
            let other = self.by_id(&writer, at, one.id, task)?;
            let other = match (one.is_key, other) {
                (true, Some(other)) if other.is_key => other,
                (false, Some(other)) if !has_key => other,
                (true, other) => return Err(self.lone_key(task, Some(*one), other)),
                _ => continue,
            };
            if self.has_keys(one.element, other.element) {
                let types = (one.element.ty, other.element.ty);
                let step = Step::Member(&one.name, &other.name);
                self.ask(Question::Keys, types, task.at, step);
            }
        }
        let keys = writer.members.iter().enumerate();
        for (at, other) in keys.filter(|(_, other)| other.is_key) {
            let one = self.by_id(&reader, at, other.id, task)?;
            if !one.is_some_and(|one| one.is_key) {
                return Err(self.lone_key(task, one, Some(*other)));
            }
        }
        Ok(())
    }

    /// Whether both are structures or unions.
    fn has_keys(&self, one: Element, other: Element) -> bool {
        let has_keys = |of: &Node| matches!(of, Node::Structure(_) | Node::Union(_));
        has_keys(self.reader.resolved(one.ty)) && has_keys(self.writer.resolved(other.ty))
    }

    fn lone_key(
        &self,
        task: &Task,
        one: Option<&'t Member>,
        other: Option<&'t Member>,
    ) -> Difference {
        let name = |of: Option<&'t Member>| of.map(|of| &*of.name);
        let reader = name(one).or(name(other)).unwrap_or_default();
        let writer = name(other).unwrap_or(reader);
        let rule = match (one, other) {
            (Some(_), Some(_)) => {
                "both need the same keys, for they say which instance a sample is of. Write @key \
                 in both, or in neither."
            }
            _ => LONE_KEY,
        };
        let words = [one, other].map(|of| of.map_or("no such member".into(), words));
        self.difference(task.at, Some(Step::Member(reader, writer)), rule, words)
    }
}

const NAMES: &str = "a member needs one name and one id. Declare the members in one order, write \
                     @id, or set ignore_member_names.";
const LONE_KEY: &str = "both need each key. Add it to the other type, or leave it out in both.";
const LONE_MUST_UNDERSTAND: &str = "both need each @must_understand member. Add it to the other \
                                    type, or leave the annotation out.";

/// How many members it has, those of its bases included.
pub(super) fn member_count(tree: &TypeTree, of: &Structure) -> usize {
    tree.chain(of).iter().map(|of| of.members.len()).sum()
}

fn member<'t>(of: &'t Member) -> Option<Step<'t>> {
    Some(Step::Member(&of.name, &of.name))
}

pub(super) fn extensibility_word(of: Extensibility) -> &'static str {
    match of {
        Extensibility::Final => "final",
        Extensibility::Appendable => "appendable",
        Extensibility::Mutable => "mutable",
    }
}

fn words(of: &Member) -> String {
    let flags = [
        (of.is_key, "@key "),
        (of.is_optional, "@optional "),
        (of.must_understand, "@must_understand "),
    ];
    let flags = flags.iter().filter(|(is_set, _)| *is_set);
    let flags: String = flags.map(|(_, word)| *word).collect();
    format!("{flags}{} with id {}", of.name, of.id)
}
