//! Passes over values by their type, and validates them.

use dunlin_cdr::{Error, Extensibility, ReadScope, Reader, Xcdr};

use crate::payload::open;
use crate::tree::{Enumeration, Facts, Member, Node, Structure, Union, length};
use crate::{DynamicType, Element, TypeIndex, TypeKind, TypeTree, ValueError, limits};

impl DynamicType {
    /// Passes over a value of the type. Does not find all that is wrong with it: see
    /// [`validate`](Self::validate).
    ///
    /// It takes time in proportion to the bytes of the value and to what [`Reader::set_steps`]
    /// allows.
    ///
    /// # Errors
    /// Whatever makes it impossible to tell where the value ends.
    pub fn skip(&self, r: &mut Reader<'_>) -> Result<(), ValueError> {
        skip(self.tree(), r, self.index())
    }

    /// Passes over a member of the type, which is a final or appendable structure. Time and errors
    /// are those of [`skip`](Self::skip).
    ///
    /// # Errors
    /// Whatever makes it impossible to tell where the member ends.
    #[inline]
    pub fn skip_member(&self, r: &mut Reader<'_>, member: &Member) -> Result<(), ValueError> {
        skip_member(self.tree(), r, member)
    }

    /// Passes over so many elements of the type, which is a sequence or an array; the length of the
    /// sequence, and what is before it, has been read.
    ///
    /// # Errors
    /// Whatever makes it impossible to tell where they end.
    #[inline]
    pub fn skip_elements(&self, r: &mut Reader<'_>, count: usize) -> Result<(), ValueError> {
        match self.element() {
            Some(element) => skip_elements(self.tree(), r, element, count),
            None => Ok(()),
        }
    }

    /// Reads what selects the case of the type, which is a union, as
    /// [`Case::labels`](crate::Case::labels) have it.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::InvalidBool`]; [`Error::Undescribed`] if it is no union.
    pub fn take_discriminator(&self, r: &mut Reader<'_>) -> Result<i64, ValueError> {
        match self.node() {
            Node::Union(of) => take_discriminator(self.tree(), r, of),
            _ => Err(Error::Undescribed.into()),
        }
    }

    /// Whether a payload is a value of the type, and nothing else: all lengths and bounds,
    /// booleans, enumerators, bits, text, members that have to be understood, and at most 3 bytes
    /// behind it.
    ///
    /// A member that an older version of the type lacks is no fault; neither are those of a later
    /// version behind an appendable value in XCDR1, nor a discriminator that selects no case.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn validate(&self, payload: &[u8]) -> Result<(), ValueError> {
        let mut r = open(payload, self.extensibility())?;
        let end = r.end;
        Walk::<true>::new(self.tree()).value(&mut r.reader, self.index())?;
        let may_have_more =
            self.extensibility() == Extensibility::Appendable && r.reader.xcdr() == Xcdr::V1;
        match end.saturating_sub(r.reader.position()) {
            0..=3 => Ok(()),
            // Members of a later version: in XCDR1 nothing says how long a value is.
            _ if may_have_more => Ok(()),
            left => Err(ValueError::TrailingBytes(left)),
        }
    }
}

/// Passes over a value.
pub(crate) fn skip(
    tree: &TypeTree,
    r: &mut Reader<'_>,
    index: TypeIndex,
) -> Result<(), ValueError> {
    Walk::<false>::new(tree).value(r, index)
}

/// Passes over elements.
pub(crate) fn skip_elements(
    tree: &TypeTree,
    r: &mut Reader<'_>,
    element: Element,
    count: usize,
) -> Result<(), ValueError> {
    Walk::<false>::new(tree).elements(r, element, count)
}

/// Passes over a member of a final or appendable type.
pub(crate) fn skip_member(
    tree: &TypeTree,
    r: &mut Reader<'_>,
    member: &Member,
) -> Result<(), ValueError> {
    Walk::<false>::new(tree).member(r, member)
}

/// Goes over values, with or without a look at what they are.
struct Walk<'t, const CHECK: bool> {
    tree: &'t TypeTree,
    depth: usize,
}

impl<'t, const CHECK: bool> Walk<'t, CHECK> {
    fn new(tree: &'t TypeTree) -> Self {
        Self { tree, depth: 0 }
    }

    #[inline]
    fn value(&mut self, r: &mut Reader<'_>, index: TypeIndex) -> Result<(), ValueError> {
        r.take_steps(1)?;
        let facts = self.tree.facts(index);
        if facts.size > 0 {
            return self.numbers(r, facts, 1);
        }
        match self.tree.node(TypeIndex(facts.resolved)) {
            Node::String8 { bound } => self.string(r, *bound),
            node => self.compound(r, facts, node),
        }
    }

    fn compound(
        &mut self,
        r: &mut Reader<'_>,
        facts: Facts,
        node: &'t Node,
    ) -> Result<(), ValueError> {
        if facts.is_empty(r.xcdr()) {
            return Ok(());
        }
        self.depth += 1;
        if self.depth > limits::WALK {
            return Err(Error::TooDeep.into());
        }
        match node {
            Node::String16 { bound } => self.wide_string(r, *bound),
            Node::Sequence { element, bound } => self.sequence(r, *element, *bound),
            Node::Array {
                element,
                dimensions,
            } => self.array(r, *element, length(dimensions)),
            Node::Map { key, value, bound } => self.map(r, *key, *value, *bound),
            Node::Structure(of) => self.structure(r, of),
            Node::Union(of) => self.union(r, of),
            // All others are numbers.
            _ => Err(Error::Undescribed.into()),
        }?;
        self.depth -= 1;
        Ok(())
    }

    #[inline]
    fn numbers(
        &mut self,
        r: &mut Reader<'_>,
        facts: Facts,
        count: usize,
    ) -> Result<(), ValueError> {
        let size = usize::from(facts.size);
        if CHECK && !matches!(self.tree.node(TypeIndex(facts.resolved)), Node::Bitset(_)) {
            return self.check_numbers(r, facts, count);
        }
        r.take_numbers(count, size)?;
        Ok(())
    }

    fn check_numbers(
        &mut self,
        r: &mut Reader<'_>,
        facts: Facts,
        count: usize,
    ) -> Result<(), ValueError> {
        let size = usize::from(facts.size);
        match self.tree.node(TypeIndex(facts.resolved)) {
            Node::Primitive(TypeKind::Boolean) => {
                let bytes = r.take_numbers(count, size)?;
                match bytes.iter().find(|byte| **byte > 1) {
                    Some(other) => return Err(Error::InvalidBool(*other).into()),
                    None => return Ok(()),
                }
            }
            Node::Enumeration(of) => {
                for _ in 0..count {
                    check_enumerator(of, r.take_enumerator(size)?)?;
                }
            }
            Node::Bitmask(of) => {
                for _ in 0..count {
                    let bits = take_bits(r, size)?;
                    if bits & !of.mask != 0 {
                        let mask = of.mask;
                        return Err(ValueError::UnknownBits { bits, mask });
                    }
                }
            }
            _ => {
                r.take_numbers(count, size)?;
            }
        }
        Ok(())
    }

    fn string(&mut self, r: &mut Reader<'_>, bound: u32) -> Result<(), ValueError> {
        let length = r.take_length()?;
        let bytes = r.take_slice(length)?;
        if !CHECK {
            return Ok(());
        }
        let Some((0, text)) = bytes.split_last() else {
            return Err(Error::StringTermination.into());
        };
        if text.contains(&0) {
            return Err(Error::StringTermination.into());
        }
        core::str::from_utf8(text).map_err(|_| Error::NotUtf8)?;
        check_bound(text.len(), bound)
    }

    /// Bytes of UTF-16 without an end, and before them how many they are (DDS-XTypes 1.3 7.4.3.5).
    fn wide_string(&mut self, r: &mut Reader<'_>, bound: u32) -> Result<(), ValueError> {
        let length = r.take_length()?;
        let bytes = r.take_slice(length)?;
        if !CHECK {
            return Ok(());
        }
        let (units, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(ValueError::NotUtf16);
        }
        let units = units.iter().map(|unit| match r.endianness() {
            dunlin_cdr::Endianness::Big => u16::from_be_bytes(*unit),
            dunlin_cdr::Endianness::Little => u16::from_le_bytes(*unit),
        });
        if char::decode_utf16(units).any(|character| character.is_err()) {
            return Err(ValueError::NotUtf16);
        }
        check_bound(length / 2, bound)
    }

    fn sequence(
        &mut self,
        r: &mut Reader<'_>,
        element: Element,
        bound: u32,
    ) -> Result<(), ValueError> {
        let scope = r.begin_collection(self.tree.is_primitive(element))?;
        if CHECK || !scope.is_delimited() {
            let count = r.take_length()?;
            if CHECK {
                check_bound(count, bound)?;
            }
            r.nested(|r| self.elements(r, element, count))?;
        }
        r.end(scope);
        Ok(())
    }

    fn array(
        &mut self,
        r: &mut Reader<'_>,
        element: Element,
        count: usize,
    ) -> Result<(), ValueError> {
        let scope = r.begin_collection(self.tree.is_primitive(element))?;
        if CHECK || !scope.is_delimited() {
            self.elements(r, element, count)?;
        }
        r.end(scope);
        Ok(())
    }

    fn elements(
        &mut self,
        r: &mut Reader<'_>,
        element: Element,
        count: usize,
    ) -> Result<(), ValueError> {
        let facts = self.tree.facts(element.ty);
        if facts.size > 0 {
            return self.numbers(r, facts, count);
        }
        self.each(r, count, |walk, r| walk.element(r, element))
    }

    fn each(
        &mut self,
        r: &mut Reader<'_>,
        count: usize,
        mut one: impl FnMut(&mut Self, &mut Reader<'_>) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        for _ in 0..count {
            let before = r.position();
            one(self, r)?;
            // Elements without any bytes are all alike, and there may be billions.
            if r.position() == before {
                break;
            }
        }
        Ok(())
    }

    #[inline]
    fn element(&mut self, r: &mut Reader<'_>, element: Element) -> Result<(), ValueError> {
        match element.is_external {
            true => r.nested(|r| self.value(r, element.ty)),
            false => self.value(r, element.ty),
        }
    }

    fn map(
        &mut self,
        r: &mut Reader<'_>,
        key: Element,
        value: Element,
        bound: u32,
    ) -> Result<(), ValueError> {
        let is_primitive = self.tree.is_primitive(key) && self.tree.is_primitive(value);
        let scope = r.begin_collection(is_primitive)?;
        if CHECK || !scope.is_delimited() {
            let count = r.take_length()?;
            if CHECK {
                check_bound(count, bound)?;
            }
            r.nested(|r| {
                self.each(r, count, |walk, r| {
                    walk.element(r, key)?;
                    walk.element(r, value)
                })
            })?;
        }
        r.end(scope);
        Ok(())
    }

    fn structure(&mut self, r: &mut Reader<'_>, of: &'t Structure) -> Result<(), ValueError> {
        let scope = r.begin(of.extensibility)?;
        if CHECK || !scope.is_delimited() {
            match of.extensibility {
                Extensibility::Mutable => self.labelled(r, of)?,
                _ => self.members(r, &scope, of)?,
            }
        }
        r.end(scope);
        Ok(())
    }

    fn members<'a>(
        &mut self,
        r: &mut Reader<'a>,
        scope: &ReadScope<'a>,
        of: &'t Structure,
    ) -> Result<(), ValueError> {
        if let Some(base) = of.base.and_then(|base| self.tree.structure(base)) {
            self.members(r, scope, base)?;
        }
        let mut members = of.members.iter();
        let front = &of.front;
        if front.members > 0 && r.pass_numbers(front.lengths(r.xcdr())) {
            r.take_steps(front.members)?;
            members = of.members.get(front.members..).unwrap_or_default().iter();
        }
        for member in members {
            if !r.has_more(scope) {
                break;
            }
            self.member(r, member)?;
        }
        Ok(())
    }

    #[inline]
    fn member(&mut self, r: &mut Reader<'_>, member: &Member) -> Result<(), ValueError> {
        if !member.is_optional {
            return self.element(r, member.element);
        }
        if let Some(optional) = r.begin_optional(member.id)? {
            // XCDR1 says how long it is.
            if CHECK || r.xcdr() == Xcdr::V2 {
                r.nested(|r| self.value(r, member.element.ty))?;
            }
            r.end_optional(optional);
        }
        Ok(())
    }

    fn labelled(&mut self, r: &mut Reader<'_>, of: &'t Structure) -> Result<(), ValueError> {
        while let Some(header) = r.next_member()? {
            r.take_steps(1)?;
            if CHECK {
                match self.tree.member_by_id(of, header.id()) {
                    Some(member) if member.is_optional => {
                        r.nested(|r| self.value(r, member.element.ty))?;
                    }
                    Some(member) => self.element(r, member.element)?,
                    None => r.unknown_member(&header)?,
                }
            }
            r.end_member(header);
        }
        Ok(())
    }

    fn union(&mut self, r: &mut Reader<'_>, of: &'t Union) -> Result<(), ValueError> {
        let scope = r.begin(of.extensibility)?;
        if CHECK || !scope.is_delimited() {
            if of.extensibility == Extensibility::Mutable {
                self.labelled_union(r, of)?;
            } else if r.has_more(&scope) {
                let number = self.discriminator(r, of)?;
                if let Some(element) = of.select(number).and_then(|case| case.element)
                    && r.has_more(&scope)
                {
                    self.element(r, element)?;
                }
            }
        }
        r.end(scope);
        Ok(())
    }

    fn discriminator(&mut self, r: &mut Reader<'_>, of: &Union) -> Result<i64, ValueError> {
        let number = take_discriminator(self.tree, r, of)?;
        if CHECK && let Node::Enumeration(of) = self.tree.resolved(of.discriminator.ty) {
            // The number was an `i32`.
            check_enumerator(of, number as i32)?;
        }
        Ok(number)
    }

    fn labelled_union(&mut self, r: &mut Reader<'_>, of: &'t Union) -> Result<(), ValueError> {
        let (mut number, mut last) = (None, None);
        while let Some(header) = r.next_member()? {
            r.take_steps(1)?;
            if CHECK {
                let id = header.id();
                match of.case_by_id(id) {
                    _ if id == 0 => number = Some(self.discriminator(r, of)?),
                    Some(case) => {
                        if let Some(element) = case.element {
                            self.element(r, element)?;
                        }
                        last = Some(id);
                    }
                    None => r.unknown_member(&header)?,
                }
            }
            r.end_member(header);
        }
        if !CHECK {
            return Ok(());
        }
        let number = number.ok_or(Error::UnknownCase)?;
        match of.select(number) {
            Some(case) if case.element.is_some() && last != Some(case.id) => {
                Err(Error::UnknownCase.into())
            }
            _ => Ok(()),
        }
    }
}

fn check_enumerator(of: &Enumeration, value: i32) -> Result<(), ValueError> {
    match of.values.binary_search(&value) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::UnknownEnumerator(value).into()),
    }
}

fn check_bound(length: usize, bound: u32) -> Result<(), ValueError> {
    let bound = bound as usize;
    if bound > 0 && length > bound {
        return Err(Error::BoundExceeded { length, bound }.into());
    }
    Ok(())
}

/// A number of 1, 2, 4 or 8 bytes.
pub(crate) fn take_bits(r: &mut Reader<'_>, size: usize) -> Result<u64, Error> {
    Ok(match size {
        1 => r.take().map(u8::from_ne_bytes)?.into(),
        2 => r.take_u16()?.into(),
        4 => r.take_u32()?.into(),
        _ => r.take_u64()?,
    })
}

/// Reads what selects the case of a union, as [`Case::labels`](crate::Case::labels) have it.
pub(crate) fn take_discriminator(
    tree: &TypeTree,
    r: &mut Reader<'_>,
    of: &Union,
) -> Result<i64, ValueError> {
    let facts = tree.facts(of.discriminator.ty);
    let size = usize::from(facts.size);
    if let Node::Enumeration(_) = tree.node(TypeIndex(facts.resolved)) {
        return Ok(r.take_enumerator(size)?.into());
    }
    let bits = take_bits(r, size)?;
    Ok(match tree.node(TypeIndex(facts.resolved)) {
        Node::Primitive(TypeKind::Boolean) if bits > 1 => {
            return Err(Error::InvalidBool(bits as u8).into());
        }
        Node::Primitive(TypeKind::Int8) => (bits as u8).cast_signed().into(),
        Node::Primitive(TypeKind::Int16) => (bits as u16).cast_signed().into(),
        Node::Primitive(TypeKind::Int32) => (bits as u32).cast_signed().into(),
        _ => bits.cast_signed(),
    })
}
