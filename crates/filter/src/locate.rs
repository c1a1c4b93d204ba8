//! Finds the wanted members in a serialized sample, in one go from its beginning.

use arrayvec::ArrayVec;
use dunlin_cdr::{Error, Extensibility, Reader};
use dunlin_xtypes::{TypeKind, ValueError};

use crate::facts;
use crate::limits;
use crate::plan::{Part, Parts, Want};
use crate::value::Value;

type Result<T> = core::result::Result<T, ValueError>;

/// The values that were found.
pub(crate) struct Found<'a> {
    values: ArrayVec<Value<'a>, { limits::MEMBERS }>,
    /// A bit for each place whose value is not known yet.
    missing: u32,
    /// What is known beside them.
    facts: &'a [Value<'a>],
}

impl<'a> Found<'a> {
    /// Nothing yet of the first `count` places.
    #[inline]
    pub(crate) fn nothing_of(count: usize, facts: &'a [Value<'a>]) -> Self {
        let mut found = Self {
            facts,
            values: ArrayVec::new(),
            missing: u32::MAX
                .checked_shr(u32::BITS.saturating_sub(count as u32))
                .unwrap_or(0),
        };
        for _ in 0..count.min(limits::MEMBERS) {
            found.values.push(Value::Absent);
        }
        found
    }

    pub(crate) fn value(&self, place: u8) -> Value<'a> {
        let value = self.values.get(usize::from(place));
        match value {
            Some(value) => *value,
            None => facts::at(place, self.facts),
        }
    }

    pub(crate) fn put(&mut self, place: u8, value: Value<'a>) {
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
            Want::Value(place, _) => self.expect_at(*place),
            Want::Parts(parts) => {
                if let Some(place) = parts.discriminator {
                    self.expect_at(place);
                }
                parts.parts.iter().for_each(|part| self.expect(&part.want));
            }
        }
    }

    fn expect_at(&mut self, place: u8) {
        self.missing |= 1u32.checked_shl(place.into()).unwrap_or(0);
    }

    /// What `want` is about is not there.
    fn lack(&mut self, want: &Want) {
        match want {
            Want::Value(place, _) => self.put(*place, Value::Absent),
            Want::Parts(parts) => {
                if let Some(place) = parts.discriminator {
                    self.put(place, Value::Absent);
                }
                parts.parts.iter().for_each(|part| self.lack(&part.want));
            }
        }
    }

    /// The sender's version of the type lacks the part: it has its default value (DDS-XTypes 1.3
    /// 7.2.2.4.4.4.7).
    fn assume(&mut self, part: &Part) {
        match part.is_optional {
            true => self.lack(&part.want),
            false => self.assume_default(&part.want),
        }
    }

    fn assume_default(&mut self, want: &Want) {
        match want {
            Want::Value(place, scalar) => self.put(*place, scalar.default_value()),
            Want::Parts(parts) => match parts.kind {
                TypeKind::Union => self.assume_union(parts),
                TypeKind::Structure | TypeKind::Array => {
                    parts.parts.iter().for_each(|part| self.assume(part));
                }
                _ => self.lack(want),
            },
        }
    }

    fn assume_union(&mut self, parts: &Parts) {
        let (case, number) = parts.default_case;
        if let Some(place) = parts.discriminator {
            self.put(place, parts.selector.selector(number));
        }
        for part in &parts.parts {
            match part.id == case {
                true => self.assume(part),
                false => self.lack(&part.want),
            }
        }
    }

    /// Finds parts of a value.
    pub(crate) fn locate(&mut self, r: &mut Reader<'a>, parts: &Parts) -> Result<()> {
        let is_mutable = parts.extensibility == Extensibility::Mutable;
        match (parts.kind, is_mutable) {
            (TypeKind::Structure, true) => self.labelled(r, parts),
            (TypeKind::Structure, false) => self.structure(r, parts),
            (TypeKind::Union, true) => self.labelled_union(r, parts),
            (TypeKind::Union, false) => self.union(r, parts),
            (TypeKind::Sequence, _) => {
                let scope = r.begin_collection(parts.is_flat)?;
                let count = r.take_length()?;
                self.elements(r, count, parts)?;
                if !self.is_complete() {
                    r.end(scope);
                }
                Ok(())
            }
            (TypeKind::Array, _) => {
                let scope = r.begin_collection(parts.is_flat)?;
                self.elements(r, parts.ty.length(), parts)?;
                if !self.is_complete() {
                    r.end(scope);
                }
                Ok(())
            }
            // The expression was checked against the type.
            _ => Err(Error::Undescribed.into()),
        }
    }

    fn find(&mut self, r: &mut Reader<'a>, want: &Want) -> Result<()> {
        match want {
            Want::Value(place, scalar) => {
                r.take_steps(1)?;
                let value = scalar.read(r)?;
                self.put(*place, value);
                Ok(())
            }
            Want::Parts(parts) => self.locate(r, parts),
        }
    }

    /// A member of a final or appendable type.
    fn member(&mut self, r: &mut Reader<'a>, part: &Part) -> Result<()> {
        if !part.is_optional {
            return self.find(r, &part.want);
        }
        match r.begin_optional(part.id)? {
            None => self.lack(&part.want),
            Some(optional) => {
                self.find(r, &part.want)?;
                r.end_optional(optional);
            }
        }
        Ok(())
    }

    /// A final or appendable structure.
    fn structure(&mut self, r: &mut Reader<'a>, parts: &Parts) -> Result<()> {
        let ty = &parts.ty;
        let scope = r.begin(parts.extensibility)?;
        let mut wanted = parts.parts.iter().peekable();
        for (index, member) in ty.members().enumerate() {
            r.take_steps(1)?;
            match wanted.next_if(|part| part.at == index) {
                Some(part) if !r.has_more(&scope) => self.assume(part),
                Some(part) => self.member(r, part)?,
                None if !r.has_more(&scope) => {}
                None if wanted.peek().is_none() && scope.is_delimited() => break,
                None => ty.skip_member(r, member)?,
            }
            if self.is_complete() {
                return Ok(());
            }
        }
        r.end(scope);
        Ok(())
    }

    /// A mutable structure: members come in any order, and of those that come twice the last
    /// counts.
    fn labelled(&mut self, r: &mut Reader<'a>, parts: &Parts) -> Result<()> {
        let scope = r.begin(Extensibility::Mutable)?;
        // A bit for each wanted member that came.
        let mut came = 0u32;
        while let Some(label) = r.next_member()? {
            r.take_steps(parts.label_steps)?;
            let wanted = parts.parts.iter().position(|part| part.id == label.id());
            if let Some(at) = wanted
                && let Some(part) = parts.parts.get(at)
            {
                let bit = 1u32.checked_shl(at as u32).unwrap_or(0);
                if came & bit != 0 {
                    self.expect(&part.want);
                }
                came |= bit;
                self.find(r, &part.want)?;
            } else if parts.ty.member_by_id(label.id()).is_none() {
                r.unknown_member(&label)?;
            }
            r.end_member(label);
        }
        r.end(scope);
        for (at, part) in parts.parts.iter().enumerate() {
            if came & 1u32.checked_shl(at as u32).unwrap_or(0) == 0 {
                self.assume(part);
            }
        }
        Ok(())
    }

    /// Elements of a sequence or array.
    fn elements(&mut self, r: &mut Reader<'a>, count: usize, parts: &Parts) -> Result<()> {
        let mut at = 0;
        for part in &parts.parts {
            if part.at >= count {
                self.lack(&part.want);
                continue;
            }
            parts.ty.skip_elements(r, part.at - at)?;
            self.find(r, &part.want)?;
            if self.is_complete() {
                return Ok(());
            }
            at = part.at + 1;
        }
        match self.is_complete() {
            true => Ok(()),
            false => parts.ty.skip_elements(r, count - at),
        }
    }

    fn union(&mut self, r: &mut Reader<'a>, parts: &Parts) -> Result<()> {
        let scope = r.begin(parts.extensibility)?;
        if !r.has_more(&scope) {
            self.assume_union(parts);
            r.end(scope);
            return Ok(());
        }
        let number = parts.ty.take_discriminator(r)?;
        let selected = self.select(number, parts);
        if self.is_complete() {
            return Ok(());
        }
        match selected {
            Some(part) if r.has_more(&scope) => self.member(r, part)?,
            Some(part) => self.assume(part),
            None => {
                let case = parts.ty.select(number).and_then(|case| case.element());
                if let Some(element) = case
                    && r.has_more(&scope)
                {
                    parts.ty.at(element.ty).skip(r)?;
                }
            }
        }
        if !self.is_complete() {
            r.end(scope);
        }
        Ok(())
    }

    /// The wanted case that the discriminator selects; what is wanted of the others is not there. A
    /// discriminator without a case is legal: the union then has no member.
    fn select<'p>(&mut self, number: i64, parts: &'p Parts) -> Option<&'p Part> {
        if let Some(place) = parts.discriminator {
            self.put(place, parts.selector.selector(number));
        }
        let case = parts.ty.select(number).map(|case| case.id());
        let mut selected = None;
        for part in &parts.parts {
            match case == Some(part.id) {
                true => selected = Some(part),
                false => self.lack(&part.want),
            }
        }
        selected
    }

    /// A mutable union: the discriminator may come behind the value.
    fn labelled_union(&mut self, r: &mut Reader<'a>, parts: &Parts) -> Result<()> {
        let mut ahead = r.clone();
        let scope = ahead.begin(Extensibility::Mutable)?;
        let mut number = None;
        while let Some(label) = ahead.next_member()? {
            ahead.take_steps(1)?;
            match label.id() {
                0 => number = Some(parts.ty.take_discriminator(&mut ahead)?),
                id if parts.ty.case_by_id(id).is_some() => {}
                _ => ahead.unknown_member(&label)?,
            }
            ahead.end_member(label);
        }
        ahead.end(scope);
        r.set_steps(ahead.steps());
        let number = number.ok_or(Error::UnknownCase)?;
        let selected = self.select(number, parts);
        let scope = r.begin(Extensibility::Mutable)?;
        while let Some(label) = r.next_member()? {
            r.take_steps(1)?;
            if let Some(part) = selected
                && label.id() == part.id
            {
                self.expect(&part.want);
                self.find(r, &part.want)?;
            }
            r.end_member(label);
        }
        r.end(scope);
        match selected {
            Some(part) if self.lacks(&part.want) => Err(Error::UnknownCase.into()),
            _ => Ok(()),
        }
    }

    /// Was nothing found of it?
    fn lacks(&self, want: &Want) -> bool {
        match want {
            Want::Value(place, _) => self.lacks_at(*place),
            Want::Parts(parts) => {
                parts.parts.iter().any(|part| self.lacks(&part.want))
                    || parts.discriminator.is_some_and(|at| self.lacks_at(at))
            }
        }
    }

    fn lacks_at(&self, place: u8) -> bool {
        self.missing & 1u32.checked_shl(place.into()).unwrap_or(0) != 0
    }
}
