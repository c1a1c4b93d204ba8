//! Finds the wanted members in a serialized sample, in one go from its beginning.

use dunlin_cdr::{Error, Extensibility, MemberDescriptor, Reader, StructureType, Type, UnionType};

use crate::limits;
use crate::members::{Parts, Want};
use crate::value::{Number, Value};

/// Labels of members that are compared in one step.
const LABELS_AT_ONCE: usize = 8;

/// The values that were found.
pub(crate) struct Found<'a> {
    values: [Value<'a>; limits::MEMBERS],
    /// A bit for each place whose value is not known yet.
    missing: u32,
}

impl<'a> Found<'a> {
    /// Nothing yet of the first `count` places.
    pub(crate) fn nothing_of(count: usize) -> Self {
        Self {
            values: [Value::Absent; limits::MEMBERS],
            missing: u32::MAX
                .checked_shr(u32::BITS.saturating_sub(count as u32))
                .unwrap_or(0),
        }
    }

    pub(crate) fn value(&self, place: u8) -> Value<'a> {
        let value = self.values.get(usize::from(place));
        value.copied().unwrap_or(Value::Absent)
    }

    fn put(&mut self, place: u8, value: Value<'a>) {
        if let Some(known) = self.values.get_mut(usize::from(place)) {
            *known = value;
        }
        self.missing &= !(1u32.checked_shl(place.into()).unwrap_or(0));
    }

    fn is_complete(&self) -> bool {
        self.missing == 0
    }

    /// What `want` is about comes, be it again.
    fn expect(&mut self, want: &Want) {
        match want {
            Want::Value(place) => self.missing |= 1u32.checked_shl((*place).into()).unwrap_or(0),
            Want::Parts(parts) => {
                if let Some(place) = parts.discriminator {
                    self.expect(&Want::Value(place));
                }
                parts.parts.iter().for_each(|(_, want)| self.expect(want));
            }
        }
    }

    /// What `want` is about is not there.
    fn lack(&mut self, want: &Want) {
        match want {
            Want::Value(place) => self.put(*place, Value::Absent),
            Want::Parts(parts) => {
                if let Some(place) = parts.discriminator {
                    self.put(place, Value::Absent);
                }
                parts.parts.iter().for_each(|(_, want)| self.lack(want));
            }
        }
    }

    /// The sender's version of the type lacks it: it has its default value (DDS-XTypes 1.3
    /// 7.2.2.4.4.4.7).
    fn assume(&mut self, want: &Want, ty: Type) -> Result<(), Error> {
        match (want, ty) {
            (_, Type::Optional(_) | Type::Sequence(_) | Type::Map(..)) => self.lack(want),
            (Want::Value(place), ty) => self.put(*place, default_of(ty)?),
            (Want::Parts(parts), Type::Array(element, _)) => {
                let element = known(element())?;
                for (_, want) in &parts.parts {
                    self.assume(want, element)?;
                }
            }
            (Want::Parts(parts), Type::Structure(of)) => {
                for (member, want) in of.wanted(parts) {
                    self.assume(want, known((member.describe)())?)?;
                }
            }
            (Want::Parts(parts), Type::Union(of)) => self.assume_union(parts, of)?,
            (want, _) => self.lack(want),
        }
        Ok(())
    }

    fn assume_union(&mut self, parts: &Parts, of: &'static UnionType) -> Result<(), Error> {
        let default = of.cases.iter().position(|case| case.is_default);
        let default = default.unwrap_or(0);
        let case = of.cases.get(default).ok_or(Error::UnknownCase)?;
        if let Some(place) = parts.discriminator {
            let mut label = None;
            (case.labels)(&mut |first| label = label.or(Some(first)));
            let number = label.ok_or(Error::UnknownCase)?;
            self.put(place, selector(known((of.discriminator)())?, number));
        }
        for (index, want) in &parts.parts {
            match case.describe.filter(|_| *index == default) {
                Some(describe) => self.assume(want, known(describe())?)?,
                None => self.lack(want),
            }
        }
        Ok(())
    }

    /// Finds the parts of the outermost struct.
    pub(crate) fn locate(
        &mut self,
        r: &mut Reader<'a>,
        of: &'static StructureType,
        parts: &Parts,
    ) -> Result<(), Error> {
        match of.extensibility {
            Extensibility::Mutable => self.labelled(r, of, parts),
            _ => self.structure(r, of, parts),
        }
    }

    fn find(&mut self, r: &mut Reader<'a>, ty: Type, want: &Want) -> Result<(), Error> {
        match (want, ty) {
            (_, Type::Optional(_)) => self.member(r, ty, 0, want),
            (Want::Value(place), ty) => {
                r.take_steps(1)?;
                let value = read(r, ty)?;
                self.put(*place, value);
                Ok(())
            }
            (Want::Parts(parts), Type::Structure(of)) => self.locate(r, of, parts),
            (Want::Parts(parts), Type::Union(of)) => self.union(r, of, parts),
            (Want::Parts(parts), Type::Sequence(element)) => {
                let element = known(element())?;
                let scope = r.begin_collection(element.is_primitive())?;
                let count = r.take_length()?;
                self.elements(r, (element, count), false, parts)?;
                if !self.is_complete() {
                    r.end(scope);
                }
                Ok(())
            }
            (Want::Parts(parts), Type::Array(element, count)) => {
                let scope = r.begin_array(ty)?;
                self.elements(r, (known(element())?, count), true, parts)?;
                if !self.is_complete() {
                    r.end(scope);
                }
                Ok(())
            }
            // The expression was checked against the type.
            (want, ty) => {
                self.lack(want);
                r.skip(ty)
            }
        }
    }

    /// A member of a final or appendable type.
    fn member(&mut self, r: &mut Reader<'a>, ty: Type, id: u32, want: &Want) -> Result<(), Error> {
        let Type::Optional(of) = ty else {
            return self.find(r, ty, want);
        };
        match r.begin_optional(id)? {
            None => self.lack(want),
            Some(optional) => {
                self.find(r, known(of())?, want)?;
                r.end_optional(optional);
            }
        }
        Ok(())
    }

    /// A final or appendable struct.
    fn structure(
        &mut self,
        r: &mut Reader<'a>,
        of: &'static StructureType,
        parts: &Parts,
    ) -> Result<(), Error> {
        let scope = r.begin(of.extensibility)?;
        let mut wanted = parts.parts.iter().peekable();
        for (index, member) in of.members.iter().enumerate() {
            r.take_steps(1)?;
            let ty = known((member.describe)())?;
            match wanted.next_if(|(part, _)| *part == index) {
                Some((_, want)) if !r.has_more(&scope) => self.assume(want, ty)?,
                Some((_, want)) => self.member(r, ty, member.id, want)?,
                None if !r.has_more(&scope) => {}
                None if wanted.peek().is_none() && scope.is_delimited() => break,
                None => r.skip_member(ty, member.id)?,
            }
            if self.is_complete() {
                return Ok(());
            }
        }
        r.end(scope);
        Ok(())
    }

    /// A mutable struct: members come in any order, and of those that come twice the last counts.
    fn labelled(
        &mut self,
        r: &mut Reader<'a>,
        of: &'static StructureType,
        parts: &Parts,
    ) -> Result<(), Error> {
        let scope = r.begin(of.extensibility)?;
        // A bit for each wanted member that came.
        let mut came = 0u32;
        while let Some(label) = r.next_member()? {
            r.take_steps(1 + of.members.len() / LABELS_AT_ONCE)?;
            let index = of.members.iter().position(|m| m.id == label.id());
            let Some((index, member)) = index.and_then(|i| Some((i, of.members.get(i)?))) else {
                r.unknown_member(&label)?;
                r.end_member(label);
                continue;
            };
            if let Ok(at) = parts.parts.binary_search_by_key(&index, |(part, _)| *part)
                && let Some((_, want)) = parts.parts.get(at)
            {
                let bit = 1u32.checked_shl(at as u32).unwrap_or(0);
                if came & bit != 0 {
                    self.expect(want);
                }
                came |= bit;
                self.find(r, present(known((member.describe)())?)?, want)?;
            }
            r.end_member(label);
        }
        r.end(scope);
        for (at, (member, want)) in of.wanted(parts).enumerate() {
            if came & 1u32.checked_shl(at as u32).unwrap_or(0) == 0 {
                self.assume(want, known((member.describe)())?)?;
            }
        }
        Ok(())
    }

    /// Elements of a sequence; or of an array, a `row`, of which the inner dimensions have no
    /// delimiters of their own.
    fn elements(
        &mut self,
        r: &mut Reader<'a>,
        (element, count): (Type, usize),
        row: bool,
        parts: &Parts,
    ) -> Result<(), Error> {
        let skip = match row {
            true => Reader::skip_row,
            false => Reader::skip_elements,
        };
        let mut at = 0;
        for (index, want) in &parts.parts {
            if *index >= count {
                self.lack(want);
                continue;
            }
            skip(r, element, index - at)?;
            match (element, want) {
                (Type::Array(inner, length), Want::Parts(parts)) if row => {
                    self.elements(r, (known(inner())?, length), row, parts)?;
                }
                (element, want) => self.find(r, element, want)?,
            }
            if self.is_complete() {
                return Ok(());
            }
            at = index + 1;
        }
        match self.is_complete() {
            true => Ok(()),
            false => skip(r, element, count - at),
        }
    }

    fn union(
        &mut self,
        r: &mut Reader<'a>,
        of: &'static UnionType,
        parts: &Parts,
    ) -> Result<(), Error> {
        let ty = known((of.discriminator)())?;
        if of.extensibility == Extensibility::Mutable {
            return self.labelled_union(r, of, ty, parts);
        }
        let scope = r.begin(of.extensibility)?;
        if !r.has_more(&scope) {
            return self.assume_union(parts, of);
        }
        let number = r.take_discriminator(ty)?;
        let case = self.select(of, ty, number, parts)?;
        if self.is_complete() {
            return Ok(());
        }
        let (index, case) = case;
        let want = parts.parts.iter().find(|(part, _)| *part == index);
        if let Some(describe) = case.describe {
            let ty = known(describe())?;
            match want {
                Some((_, want)) if !r.has_more(&scope) => self.assume(want, ty)?,
                Some((_, want)) => self.member(r, ty, case.id, want)?,
                None if !r.has_more(&scope) => {}
                None => r.skip_member(ty, case.id)?,
            }
        }
        if !self.is_complete() {
            r.end(scope);
        }
        Ok(())
    }

    /// The case that the discriminator selects; what is wanted of the others is not there.
    fn select(
        &mut self,
        of: &'static UnionType,
        ty: Type,
        number: i64,
        parts: &Parts,
    ) -> Result<(usize, &'static dunlin_cdr::CaseDescriptor), Error> {
        let case = of.select(number).ok_or(Error::UnknownCase)?;
        let index = of.cases.iter().position(|one| core::ptr::eq(one, case));
        let index = index.ok_or(Error::UnknownCase)?;
        if let Some(place) = parts.discriminator {
            self.put(place, selector(ty, number));
        }
        for (part, want) in &parts.parts {
            if *part != index {
                self.lack(want);
            }
        }
        Ok((index, case))
    }

    /// A mutable union: the discriminator may come behind the value.
    fn labelled_union(
        &mut self,
        r: &mut Reader<'a>,
        of: &'static UnionType,
        ty: Type,
        parts: &Parts,
    ) -> Result<(), Error> {
        let mut ahead = r.clone();
        let scope = ahead.begin(of.extensibility)?;
        let mut number = None;
        while let Some(label) = ahead.next_member()? {
            ahead.take_steps(1 + of.cases.len() / LABELS_AT_ONCE)?;
            match label.id() {
                0 => number = Some(ahead.take_discriminator(ty)?),
                id if of.cases.iter().any(|case| case.id == id) => {}
                _ => ahead.unknown_member(&label)?,
            }
            ahead.end_member(label);
        }
        ahead.end(scope);
        r.set_steps(ahead.steps());
        let number = number.ok_or(Error::UnknownCase)?;
        let (index, case) = self.select(of, ty, number, parts)?;
        let want = parts.parts.iter().find(|(part, _)| *part == index);
        let scope = r.begin(of.extensibility)?;
        while let Some(label) = r.next_member()? {
            r.take_steps(1)?;
            if label.id() == case.id
                && let (Some((_, want)), Some(describe)) = (want, case.describe)
            {
                self.expect(want);
                self.find(r, present(known(describe())?)?, want)?;
            }
            r.end_member(label);
        }
        r.end(scope);
        match want {
            Some((_, want)) if self.lacks(want) => Err(Error::UnknownCase),
            _ => Ok(()),
        }
    }

    /// Was nothing found of it?
    fn lacks(&self, want: &Want) -> bool {
        match want {
            Want::Value(place) => {
                self.missing & 1u32.checked_shl((*place).into()).unwrap_or(0) != 0
            }
            Want::Parts(parts) => {
                let mut wants = parts.parts.iter();
                wants.any(|(_, want)| self.lacks(want))
                    || parts
                        .discriminator
                        .is_some_and(|place| self.lacks(&Want::Value(place)))
            }
        }
    }
}

/// Members of a struct that are wanted.
trait Wanted {
    fn wanted<'p>(
        &self,
        parts: &'p Parts,
    ) -> impl Iterator<Item = (&'static MemberDescriptor, &'p Want)>;
}

impl Wanted for &'static StructureType {
    fn wanted<'p>(
        &self,
        parts: &'p Parts,
    ) -> impl Iterator<Item = (&'static MemberDescriptor, &'p Want)> {
        let members = self.members;
        let parts = parts.parts.iter();
        parts.filter_map(move |(index, want)| Some((members.get(*index)?, want)))
    }
}

fn known(ty: Option<Type>) -> Result<Type, Error> {
    ty.ok_or(Error::Undescribed)
}

/// An optional member of a mutable type is there if its header is.
fn present(ty: Type) -> Result<Type, Error> {
    match ty {
        Type::Optional(of) => known(of()),
        ty => Ok(ty),
    }
}

fn signed(number: impl Into<i64>) -> Value<'static> {
    Value::Number(Number::Signed(number.into()))
}

fn read<'a>(r: &mut Reader<'a>, ty: Type) -> Result<Value<'a>, Error> {
    Ok(match ty {
        Type::Int32 => signed(r.take_u32()?.cast_signed()),
        Type::UInt32 => signed(r.take_u32()?),
        Type::String => Value::Text(text(r)?),
        Type::Enumeration(of) => signed(r.take_enumerator(of.size)?),
        Type::Float32 => Value::Float(f32::from_bits(r.take_u32()?).into()),
        Type::Float64 => Value::Float(f64::from_bits(r.take_u64()?)),
        Type::UInt64 => Value::Number(Number::from(r.take_u64()?)),
        ty => selector(ty, r.take_discriminator(ty)?),
    })
}

/// A discriminator, or another small value, as a value of its type.
fn selector(ty: Type, number: i64) -> Value<'static> {
    match ty {
        Type::Boolean => Value::Boolean(number != 0),
        Type::Char8 | Type::Char16 => Value::Character(u32::try_from(number).unwrap_or(0)),
        Type::UInt64 => Value::Number(Number::from(number.cast_unsigned())),
        _ => signed(number),
    }
}

fn text<'a>(r: &mut Reader<'a>) -> Result<&'a [u8], Error> {
    let length = r.take_length()?;
    match r.take_slice(length)?.split_last() {
        Some((0, text)) => Ok(text),
        _ => Err(Error::StringTermination),
    }
}

fn default_of(ty: Type) -> Result<Value<'static>, Error> {
    Ok(match ty {
        Type::Enumeration(of) => signed(of.default),
        Type::String => Value::Text(&[]),
        Type::Float32 | Type::Float64 => Value::Float(0.0),
        ty if ty.is_primitive() => selector(ty, 0),
        _ => return Err(Error::Undescribed),
    })
}
