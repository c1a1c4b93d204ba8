//! Copies a value, or the key of one, from one encoding to another by its type.

mod framing;
mod members;

use dunlin_cdr::{Endianness, Error, Extensibility, ReadScope, Reader, Xcdr};

use crate::output::{Nowhere, Output, Writer};
use crate::skip::{skip_member, take_discriminator};
use crate::tree::{Member, Node, Structure, Union, length};
use crate::{DynamicType, Element, TypeIndex, TypeTree, ValueError, limits};
pub(crate) use members::in_id_order;
use members::{Copied, Marks};

/// How many elements without bytes are copied where each gets a header.
const EMPTY: usize = 64;

/// How much of a value is copied.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Part {
    Whole,
    /// Its key members; all of them if none is marked (DDS-XTypes 1.3 7.6.8).
    Key,
}

/// From a reader, which may be of any encoding, to a writer, which may be of another.
pub(crate) struct Transcoder<'t, 'o, O> {
    pub(crate) tree: &'t TypeTree,
    pub(crate) w: Writer<'o, O>,
    /// The reader has nothing but a key.
    pub(crate) from_key: bool,
    pub(crate) depth: usize,
}

impl<'t, O: Output> Transcoder<'t, '_, O> {
    pub(crate) fn value(
        &mut self,
        r: &mut Reader<'_>,
        index: TypeIndex,
        part: Part,
    ) -> Result<(), ValueError> {
        r.take_steps(1)?;
        let tree = self.tree;
        let size = usize::from(tree.facts(index).size);
        if size > 0 {
            return self.numbers(r, size, 1);
        }
        self.depth += 1;
        if self.depth > limits::WALK {
            return Err(Error::TooDeep.into());
        }
        match tree.resolved(index) {
            Node::String8 { .. } => self.string(r),
            Node::String16 { .. } => self.wide_string(r),
            Node::Sequence { element, .. } => self.sequence(r, *element),
            Node::Array {
                element,
                dimensions,
            } => self.array(r, *element, length(dimensions)),
            Node::Map { key, value, .. } => self.map(r, *key, *value),
            Node::Structure(of) => self.structure(r, of, part),
            Node::Union(of) => self.union(r, of),
            // All others are numbers.
            _ => Err(Error::Undescribed.into()),
        }?;
        self.depth -= 1;
        Ok(())
    }

    fn numbers(&mut self, r: &mut Reader<'_>, size: usize, count: usize) -> Result<(), ValueError> {
        let from = r.endianness();
        let bytes = r.take_numbers(count, size)?;
        self.w.numbers(bytes, size, from);
        Ok(())
    }

    fn string(&mut self, r: &mut Reader<'_>) -> Result<(), ValueError> {
        let length = r.take_length()?;
        let bytes = r.take_slice(length)?;
        if bytes.iter().position(|byte| *byte == 0) != length.checked_sub(1) || length == 0 {
            return Err(Error::StringTermination.into());
        }
        self.w.length(length)?;
        self.w.slice(bytes);
        Ok(())
    }

    fn wide_string(&mut self, r: &mut Reader<'_>) -> Result<(), ValueError> {
        let from = r.endianness();
        let length = r.take_length()?;
        let bytes = r.take_slice(length)?;
        if length % 2 != 0 {
            return Err(ValueError::NotUtf16);
        }
        self.w.length(length)?;
        self.w.numbers(bytes, 2, from);
        Ok(())
    }

    fn sequence(&mut self, r: &mut Reader<'_>, element: Element) -> Result<(), ValueError> {
        let is_primitive = self.tree.is_primitive(element);
        let (from, to) = (
            r.begin_collection(is_primitive)?,
            self.w.begin_collection(is_primitive),
        );
        let count = r.take_length()?;
        self.w.length(count)?;
        r.nested(|r| self.elements(r, element, count))?;
        r.end(from);
        Ok(self.w.end_collection(to)?)
    }

    fn array(
        &mut self,
        r: &mut Reader<'_>,
        element: Element,
        count: usize,
    ) -> Result<(), ValueError> {
        let is_primitive = self.tree.is_primitive(element);
        let (from, to) = (
            r.begin_collection(is_primitive)?,
            self.w.begin_collection(is_primitive),
        );
        self.elements(r, element, count)?;
        r.end(from);
        Ok(self.w.end_collection(to)?)
    }

    fn elements(
        &mut self,
        r: &mut Reader<'_>,
        element: Element,
        count: usize,
    ) -> Result<(), ValueError> {
        let size = usize::from(self.tree.facts(element.ty).size);
        if size > 0 {
            return self.numbers(r, size, count);
        }
        self.each(r, count, |copy, r| copy.element(r, element, Part::Whole))
    }

    fn each(
        &mut self,
        r: &mut Reader<'_>,
        count: usize,
        mut one: impl FnMut(&mut Self, &mut Reader<'_>) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        for index in 0..count {
            let before = (r.position(), self.w.length_so_far());
            one(self, r)?;
            if r.position() > before.0 {
                continue;
            }
            // Elements without any bytes are all alike, and there may be billions.
            if self.w.length_so_far() == before.1 {
                break;
            }
            // They have bytes in the output alone.
            if index >= EMPTY {
                return Err(Error::TooManySteps.into());
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        r: &mut Reader<'_>,
        element: Element,
        part: Part,
    ) -> Result<(), ValueError> {
        match element.is_external {
            true => r.nested(|r| self.value(r, element.ty, part)),
            false => self.value(r, element.ty, part),
        }
    }

    fn map(&mut self, r: &mut Reader<'_>, key: Element, value: Element) -> Result<(), ValueError> {
        let is_primitive = self.tree.is_primitive(key) && self.tree.is_primitive(value);
        let (from, to) = (
            r.begin_collection(is_primitive)?,
            self.w.begin_collection(is_primitive),
        );
        let count = r.take_length()?;
        self.w.length(count)?;
        r.nested(|r| {
            self.each(r, count, |copy, r| {
                copy.element(r, key, Part::Whole)?;
                copy.element(r, value, Part::Whole)
            })
        })?;
        r.end(from);
        Ok(self.w.end_collection(to)?)
    }

    fn structure(
        &mut self,
        r: &mut Reader<'_>,
        of: &'t Structure,
        part: Part,
    ) -> Result<(), ValueError> {
        let from = r.begin(of.extensibility)?;
        let to = self.w.begin(of.extensibility);
        let copied = Copied {
            tree: self.tree,
            of,
            marked: part == Part::Key && of.has_key,
            by_id: part == Part::Key && self.w.is_plain(),
        };
        let keys_only = self.from_key && part == Part::Key;
        let is_labelled = of.extensibility == Extensibility::Mutable && !r.is_plain();
        if is_labelled {
            self.labelled(r, &copied, part)?;
        } else if r.is_plain() || copied.is_in_order() {
            let members: &mut dyn Iterator<Item = &Member> = match r.is_plain() {
                true => &mut in_id_order(self.tree, of),
                false => &mut self.tree.members(of),
            };
            for member in members {
                match copied.wants(member) {
                    true => self.known_member(r, &from, of, member, part)?,
                    false if keys_only || !r.has_more(&from) => {}
                    false => skip_member(self.tree, r, member)?,
                }
            }
        } else {
            let start = r.clone();
            let mut marks = Marks::default();
            for member in self.tree.members(of) {
                let is_wanted = copied.wants(member);
                if is_wanted {
                    marks.push(member.id, r.position())?;
                }
                if r.has_more(&from) && (is_wanted || !keys_only) {
                    self.skip(r, of, member, part)?;
                }
            }
            marks.sort();
            for member in copied.members() {
                let at = marks.find(member.id);
                let at = at.ok_or(ValueError::Missing(member.id))?;
                let mut r = start.clone();
                r.take_slice(at.saturating_sub(start.position()))?;
                self.known_member(&mut r, &from, of, member, part)?;
            }
        }
        r.end(from);
        Ok(self.w.end(to, of.extensibility)?)
    }

    /// A member of a type whose members have no headers, if the sender knows it. One without bytes
    /// is there also where nothing is left.
    fn known_member<'a>(
        &mut self,
        r: &mut Reader<'a>,
        scope: &ReadScope<'a>,
        of: &'t Structure,
        member: &Member,
        part: Part,
    ) -> Result<(), ValueError> {
        if r.has_more(scope) {
            return self.member(r, of, member, part);
        }
        if member.is_optional {
            return self.absent(of, member, part);
        }
        let copied = self.present(r, of, member, part);
        copied.map_err(|_| ValueError::Missing(member.id))
    }

    /// Passes over a member of a type whose members have no headers.
    fn skip(
        &mut self,
        r: &mut Reader<'_>,
        of: &'t Structure,
        member: &Member,
        part: Part,
    ) -> Result<(), ValueError> {
        if !self.from_key || part == Part::Whole {
            return skip_member(self.tree, r, member);
        }
        skip_parts(self.tree, r, of, member, self.depth)
    }

    /// From a mutable type, whose members come in any order.
    fn labelled(
        &mut self,
        r: &mut Reader<'_>,
        copied: &Copied<'t>,
        part: Part,
    ) -> Result<(), ValueError> {
        let start = r.clone();
        let mut marks = Marks::default();
        loop {
            let at = r.position();
            let Some(header) = r.next_member()? else {
                break;
            };
            r.take_steps(1)?;
            match self.tree.member_by_id(copied.of, header.id()) {
                Some(member) if copied.wants(member) => marks.push(member.id, at)?,
                Some(_) => {}
                None => r.unknown_member(&header)?,
            }
            r.end_member(header);
        }
        marks.sort();
        for member in copied.members() {
            match marks.find(member.id) {
                Some(at) => {
                    let mut r = start.clone();
                    r.take_slice(at.saturating_sub(start.position()))?;
                    let header = r.next_member()?.ok_or(Error::MemberHeader)?;
                    self.present(&mut r, copied.of, member, part)?;
                    r.end_member(header);
                }
                None if member.is_optional => self.absent(copied.of, member, part)?,
                None => return Err(ValueError::Missing(member.id)),
            }
        }
        Ok(())
    }

    /// A member of a type whose members have no headers.
    pub(crate) fn member(
        &mut self,
        r: &mut Reader<'_>,
        of: &Structure,
        member: &Member,
        part: Part,
    ) -> Result<(), ValueError> {
        if !member.is_optional {
            return self.present(r, of, member, part);
        }
        let id = match self.from_key && part == Part::Key {
            true => optional_id(member, part),
            false => member.id,
        };
        match r.begin_optional(id)? {
            None => self.absent(of, member, part),
            Some(optional) => {
                self.present(r, of, member, part)?;
                r.end_optional(optional);
                Ok(())
            }
        }
    }

    fn absent(&mut self, of: &Structure, member: &Member, part: Part) -> Result<(), ValueError> {
        Ok(self.w.absent_member(of.extensibility, member, part)?)
    }

    fn present(
        &mut self,
        r: &mut Reader<'_>,
        of: &Structure,
        member: &Member,
        part: Part,
    ) -> Result<(), ValueError> {
        let framed = self
            .w
            .begin_member(self.tree, of.extensibility, member, part);
        // What is optional is a key as a whole, and reached by a reference.
        match member.is_optional && !self.w.has_labels(of.extensibility) {
            true => r.nested(|r| self.value(r, member.element.ty, Part::Whole))?,
            false if member.is_optional => self.element(r, member.element, Part::Whole)?,
            false => self.element(r, member.element, part)?,
        }
        Ok(self.w.end_member(framed)?)
    }

    /// A case or the discriminator of a mutable union.
    fn with_label(
        &mut self,
        r: &mut Reader<'_>,
        id: u32,
        must_understand: bool,
        element: Element,
    ) -> Result<(), ValueError> {
        let framed = self
            .w
            .begin_labelled(self.tree, id, must_understand, element);
        self.element(r, element, Part::Whole)?;
        Ok(self.w.end_member(framed)?)
    }

    fn union(&mut self, r: &mut Reader<'_>, of: &'t Union) -> Result<(), ValueError> {
        let from = r.begin(of.extensibility)?;
        let to = self.w.begin(of.extensibility);
        if of.extensibility == Extensibility::Mutable && !r.is_plain() {
            self.labelled_union(r, of)?;
        } else {
            if !r.has_more(&from) {
                return Err(ValueError::Missing(0));
            }
            let number = take_discriminator(self.tree, &mut r.clone(), of)?;
            self.union_member(r, of, 0, of.discriminator)?;
            if let Some(case) = of.select(number)
                && let Some(element) = case.element
            {
                // A value without bytes is there also where nothing is left.
                let is_last = !r.has_more(&from);
                let copied = self.union_member(r, of, case.id, element);
                match is_last {
                    true => copied.map_err(|_| ValueError::Missing(case.id))?,
                    false => copied?,
                }
            }
        }
        r.end(from);
        Ok(self.w.end(to, of.extensibility)?)
    }

    fn labelled_union(&mut self, r: &mut Reader<'_>, of: &'t Union) -> Result<(), ValueError> {
        let start = r.clone();
        let mut marks = Marks::default();
        loop {
            let at = r.position();
            let Some(header) = r.next_member()? else {
                break;
            };
            r.take_steps(1)?;
            let id = header.id();
            match id == 0 || of.case_by_id(id).is_some() {
                true => marks.push(id, at)?,
                false => r.unknown_member(&header)?,
            }
            r.end_member(header);
        }
        marks.sort();
        let find = |id: u32| -> Result<Reader<'_>, ValueError> {
            let at = marks.find(id).ok_or(ValueError::Missing(id))?;
            let mut r = start.clone();
            r.take_slice(at.saturating_sub(start.position()))?;
            // The reader goes no further than to the end of the member.
            let _header = r.next_member()?.ok_or(Error::MemberHeader)?;
            Ok(r)
        };
        let mut r = find(0)?;
        let number = take_discriminator(self.tree, &mut r.clone(), of)?;
        self.union_member(&mut r, of, 0, of.discriminator)?;
        if let Some(case) = of.select(number)
            && let Some(element) = case.element
        {
            self.union_member(&mut find(case.id)?, of, case.id, element)?;
        }
        Ok(())
    }

    fn union_member(
        &mut self,
        r: &mut Reader<'_>,
        of: &Union,
        id: u32,
        element: Element,
    ) -> Result<(), ValueError> {
        match self.w.has_labels(of.extensibility) {
            true => self.with_label(r, id, id == 0, element),
            false => self.element(r, element, Part::Whole),
        }
    }
}

/// Passes over a member of a type whose members have no headers, of which only keys are there.
pub(crate) fn skip_key(
    tree: &TypeTree,
    r: &mut Reader<'_>,
    of: &Structure,
    member: &Member,
) -> Result<(), ValueError> {
    skip_parts(tree, r, of, member, 0)
}

fn skip_parts(
    tree: &TypeTree,
    r: &mut Reader<'_>,
    of: &Structure,
    member: &Member,
    depth: usize,
) -> Result<(), ValueError> {
    // They are written in the order in which they are read, so each is visited once.
    let mut nowhere = Nowhere::default();
    let mut transcoder = Transcoder {
        tree,
        w: Writer::new(&mut nowhere, Xcdr::V1, Endianness::Big, false),
        from_key: true,
        depth,
    };
    transcoder.member(r, of, member, Part::Key)
}

/// Keys have to be understood.
fn understood(member: &Member) -> bool {
    member.is_key || member.must_understand
}

/// The id in the header of an optional member. A key has optional members only where none is
/// marked; `dunlin_cdr` writes them there as it writes optionals that are no members.
fn optional_id(member: &Member, part: Part) -> u32 {
    match part {
        Part::Key => 0,
        Part::Whole => member.id,
    }
}

impl DynamicType {
    /// The length code in the EMHEADER of a member of this type (DDS-XTypes 1.3 7.4.3.4.2), as
    /// `dunlin_cdr` writes it: a length that the value begins with is not said twice.
    pub fn length_code(&self) -> u32 {
        length_code(self.tree(), self.index().into())
    }
}

/// How the length of a mutable member is said in XCDR2 (DDS-XTypes 1.3 7.4.3.4.2), as `dunlin_cdr`
/// does.
fn length_code(tree: &TypeTree, element: Element) -> u32 {
    let of_size = |size| match size {
        1 => 0,
        2 => 1,
        4 => 2,
        8 => 3,
        _ => 4,
    };
    let facts = tree.facts(element.ty);
    if facts.size > 0 {
        return of_size(facts.size);
    }
    match tree.resolved(element.ty) {
        Node::Sequence { element, .. } => {
            match (tree.is_primitive(*element), tree.facts(element.ty).size) {
                (false, _) | (true, 1) => 5,
                (true, 4) => 6,
                (true, 8) => 7,
                (true, _) => 4,
            }
        }
        Node::Array { element, .. } if tree.is_primitive(*element) => 4,
        Node::Map { key, value, .. } if tree.is_primitive(*key) && tree.is_primitive(*value) => 4,
        Node::Structure(of) if of.extensibility == Extensibility::Final => 4,
        Node::Union(of) if of.extensibility == Extensibility::Final => 4,
        _ => 5,
    }
}
