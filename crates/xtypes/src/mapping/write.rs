//! Writes values as they are to be made.

use core::time::Duration;

use dunlin_cdr::{Error, Reader};

use super::Part;
use super::fit::{Bits, Way, convert};
use crate::output::{Output, Writer};
use crate::transcode::{self, Transcoder};
use crate::tree::{Member, Node, Structure};
use crate::{Element, MemberPath, TypeIndex, TypeTree, Value, ValueError};

/// Writes what is made of one payload.
pub(super) struct Maker<'t, 'o, O> {
    pub(super) from: &'t TypeTree,
    pub(super) to: &'t TypeTree,
    pub(super) payload: &'t [u8],
    /// The payload has nothing but a key.
    pub(super) from_key: bool,
    /// Since 1970.
    pub(super) now: Duration,
    pub(super) w: Writer<'o, O>,
}

impl<'t, O: Output> Maker<'t, '_, O> {
    pub(super) fn structure(
        &mut self,
        index: TypeIndex,
        parts: &[Part],
        part: transcode::Part,
    ) -> Result<(), ValueError> {
        let tree = self.to;
        let of = tree.structure(index).ok_or(Error::Undescribed)?;
        let scope = self.w.begin(of.extensibility);
        let marked = part == transcode::Part::Key && of.has_key;
        for (member, made) in tree.members(of).zip(parts) {
            if member.is_key || !marked {
                self.member(of, member, made, part)?;
            }
        }
        Ok(self.w.end(scope, of.extensibility)?)
    }

    fn member(
        &mut self,
        of: &Structure,
        member: &Member,
        made: &Part,
        part: transcode::Part,
    ) -> Result<(), ValueError> {
        let mut made = made;
        let mut found = None;
        if let Part::Copied {
            from, otherwise, ..
        } = made
        {
            found = from.reader(self.payload, self.from_key)?;
            if found.is_none() {
                let otherwise = otherwise.as_deref();
                made = otherwise.ok_or(ValueError::Missing(member.id))?;
            }
        }
        if matches!(made, Part::Absent) {
            return Ok(self.w.absent_member(of.extensibility, member, part)?);
        }
        let framed = self.w.begin_member(self.to, of.extensibility, member, part);
        let part = match member.is_optional {
            true => transcode::Part::Whole,
            false => part,
        };
        match (made, found) {
            (Part::Copied { from, way, .. }, Some(mut r)) => {
                self.copy(&mut r, from, way, part, member.id)?;
            }
            _ => self.value(made, member.element.ty, part, member.id)?,
        }
        Ok(self.w.end_member(framed)?)
    }

    /// What another value says, to which the reader has been led.
    fn copy(
        &mut self,
        r: &mut Reader<'_>,
        from: &MemberPath,
        way: &Way,
        part: transcode::Part,
        member: u32,
    ) -> Result<(), ValueError> {
        match way {
            Way::Whole => self.whole(r, from.target().index(), part),
            Way::Number(to) => {
                let value = from.number(r)?.ok_or(Error::Undescribed)?;
                let bits = convert(value, to).ok_or(ValueError::DoesNotFit(member))?;
                self.bits(&bits);
                Ok(())
            }
            Way::Text(bound) => {
                let length = r.clone().take_length()?;
                match length.saturating_sub(1) <= *bound as usize {
                    true => self.whole(r, from.target().index(), part),
                    false => Err(ValueError::DoesNotFit(member)),
                }
            }
        }
    }

    fn whole(
        &mut self,
        r: &mut Reader<'_>,
        index: TypeIndex,
        part: transcode::Part,
    ) -> Result<(), ValueError> {
        let mut transcoder = Transcoder {
            tree: self.from,
            w: self.w.reborrow(),
            from_key: self.from_key,
            depth: 0,
        };
        transcoder.value(r, index, part)
    }

    fn bits(&mut self, bits: &Bits) {
        let bytes = bits.bytes();
        self.w.numbers(bytes, bytes.len(), Bits::ORDER);
    }

    /// What is made without a look at another value.
    fn value(
        &mut self,
        made: &Part,
        index: TypeIndex,
        part: transcode::Part,
        member: u32,
    ) -> Result<(), ValueError> {
        match made {
            Part::Bits(bits) => self.bits(bits),
            Part::Text(text) => {
                self.w.length(text.len() + 1)?;
                self.w.slice(text.as_bytes());
                self.w.slice(&[0]);
            }
            Part::Now(moment) => {
                let bits = moment.bits(self.now);
                self.bits(&bits.ok_or(ValueError::DoesNotFit(member))?);
            }
            Part::Members(parts) => self.structure(self.to.resolve(index), parts, part)?,
            Part::Repeated(count, element) => self.repeated(*count, element, index)?,
            Part::Case(selector, case) => self.case(selector, case.as_ref(), index)?,
            Part::Nothing { is_bare } => {
                let scope = self.w.begin_collection(*is_bare);
                self.w.length(0)?;
                self.w.end_collection(scope)?;
            }
            // Members are copied or left out, and nothing else is.
            Part::Copied { .. } | Part::Absent => return Err(Error::Undescribed.into()),
        }
        Ok(())
    }

    fn repeated(
        &mut self,
        count: usize,
        element: &Part,
        index: TypeIndex,
    ) -> Result<(), ValueError> {
        let Node::Array { element: of, .. } = self.to.resolved(index) else {
            return Err(Error::Undescribed.into());
        };
        let scope = self.w.begin_collection(self.to.is_primitive(*of));
        for _ in 0..count {
            self.value(element, of.ty, transcode::Part::Whole, 0)?;
        }
        Ok(self.w.end_collection(scope)?)
    }

    fn case(
        &mut self,
        selector: &Bits,
        case: Option<&(u32, Element, alloc::boxed::Box<Part>)>,
        index: TypeIndex,
    ) -> Result<(), ValueError> {
        let tree = self.to;
        let Node::Union(of) = tree.resolved(index) else {
            return Err(Error::Undescribed.into());
        };
        let scope = self.w.begin(of.extensibility);
        let is_labelled = self.w.has_labels(of.extensibility);
        let framed = is_labelled.then(|| self.w.begin_labelled(tree, 0, true, of.discriminator));
        self.bits(selector);
        framed.map_or(Ok(()), |framed| self.w.end_member(framed))?;
        if let Some((id, element, made)) = case {
            let framed = is_labelled.then(|| self.w.begin_labelled(tree, *id, false, *element));
            self.value(made, element.ty, transcode::Part::Whole, *id)?;
            framed.map_or(Ok(()), |framed| self.w.end_member(framed))?;
        }
        Ok(self.w.end(scope, of.extensibility)?)
    }
}

impl MemberPath {
    /// The number to which the reader has been led.
    fn number<'a>(&self, r: &mut Reader<'a>) -> Result<Option<Value<'a>>, ValueError> {
        let size = self.target().number_size().unwrap_or(0);
        let endianness = r.endianness();
        let bytes = r.take_numbers(1, size)?;
        Ok(self.read(bytes, endianness))
    }
}
