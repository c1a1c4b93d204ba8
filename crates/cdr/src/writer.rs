//! Writes values as XCDR1 or XCDR2.

use bytes::{Bytes, BytesMut};

use crate::layout::{Key, MAX_SHORT_ID, Member, PID_EXTENDED, PID_SENTINEL};
use crate::{
    Bounded, Buffer, Counter, Endianness, Error, Extensibility, Serialize, Sink, Step, Xcdr,
};

/// Writes values one after the other, each aligned as the encoding asks.
#[derive(Debug)]
pub struct Writer<S> {
    sink: S,
    /// Position from which alignment counts.
    origin: usize,
    xcdr: Xcdr,
    endianness: Endianness,
    /// Leave out all headers of appendable and mutable types, as a key hash does.
    plain: bool,
}

/// A struct, union or collection that was begun and has to be ended.
#[derive(Debug)]
#[must_use]
pub struct Scope {
    /// Where the content begins; its length belongs in the four bytes before. `None` if no length
    /// is written.
    content: Option<usize>,
}

/// A member header whose length is not known yet.
#[derive(Debug)]
struct Parameter {
    content: usize,
    outer_origin: usize,
    extended: bool,
    member: Member,
}

impl<'a> Writer<Buffer<'a>> {
    /// A writer that appends to `out`. [`finish`](Self::finish) it, or the last bytes are missing.
    #[inline]
    pub fn new(out: &'a mut BytesMut, xcdr: Xcdr, endianness: Endianness) -> Self {
        Self::with_sink(Buffer::new(out), xcdr, endianness)
    }
}

impl<const STAGE: usize> Writer<Buffer<'_, STAGE>> {
    /// Hands all bytes to the buffer and returns how many this writer wrote.
    #[inline]
    pub fn finish(&mut self) -> usize {
        self.sink.flush();
        self.sink.position()
    }
}

impl Writer<Counter> {
    /// A writer that only counts.
    #[inline]
    pub fn counting(xcdr: Xcdr) -> Self {
        Self::with_sink(Counter::default(), xcdr, Endianness::NATIVE)
    }
}

impl<S: Sink> Writer<S> {
    #[inline]
    pub(crate) fn with_sink(sink: S, xcdr: Xcdr, endianness: Endianness) -> Self {
        Self {
            origin: sink.position(),
            sink,
            xcdr,
            endianness,
            plain: false,
        }
    }

    /// Leaves out all headers of appendable and mutable types from now on (DDS-XTypes 1.3 7.6.8).
    #[inline]
    pub(crate) fn set_plain(&mut self) {
        self.plain = true;
    }

    /// Writes an encapsulation header; alignment counts from its end.
    #[inline]
    pub(crate) fn encapsulation(&mut self, header: [u8; 4]) {
        self.sink.put(0, header);
        self.origin = self.sink.position();
    }

    /// Fills the payload up to a multiple of 4 and says so in the options of the encapsulation
    /// header at `start`.
    #[inline]
    pub(crate) fn pad_payload(&mut self, start: usize) {
        let padding = (start.wrapping_sub(self.sink.position())) & 3;
        if padding > 0 {
            self.sink.put(padding, []);
            self.sink.patch(start + 3, [padding as u8]);
        }
    }

    #[inline]
    pub(crate) fn sink(&self) -> &S {
        &self.sink
    }

    #[inline]
    pub(crate) fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Bytes written so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.sink.position()
    }

    /// Version of the encoding being written.
    #[inline]
    pub fn xcdr(&self) -> Xcdr {
        self.xcdr
    }

    /// Byte order being written.
    #[inline]
    pub fn endianness(&self) -> Endianness {
        self.endianness
    }

    /// Whether key members are being written for a key hash: no headers, members in the order of
    /// their ids.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    #[inline(always)]
    fn padding(&self, align: usize) -> usize {
        let align = if align < self.xcdr.max_align() {
            align
        } else {
            self.xcdr.max_align()
        };
        self.origin.wrapping_sub(self.sink.position()) & (align - 1)
    }

    /// Writes the bytes of one number, aligned to its size.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        let padding = self.padding(N);
        self.sink.put(padding, bytes);
    }

    /// Do the numbers of a run stand where [`Run`](crate::Run) says, in the byte order of this
    /// machine? Otherwise they are to be written one by one.
    #[inline(always)]
    pub fn fits_run(&self, align: usize) -> bool {
        self.endianness == Endianness::NATIVE
            && align <= self.xcdr.max_align()
            && self.padding(align) == 0
    }

    /// Writes a 16-bit number.
    #[inline(always)]
    pub fn put_u16(&mut self, value: u16) {
        self.put(match self.endianness {
            Endianness::Big => value.to_be_bytes(),
            Endianness::Little => value.to_le_bytes(),
        });
    }

    /// Writes a 32-bit number.
    #[inline(always)]
    pub fn put_u32(&mut self, value: u32) {
        let bytes = self.u32_bytes(value);
        self.put(bytes);
    }

    /// Writes bytes as they are, not aligned.
    #[inline]
    pub fn put_slice(&mut self, bytes: &[u8]) {
        self.sink.put_slice(bytes);
    }

    /// Writes bytes that others may share, not aligned: a large run need not be copied.
    #[inline]
    pub fn put_shared(&mut self, bytes: &Bytes) {
        self.sink.put_shared(bytes);
    }

    /// Writes the bytes of several numbers of `align` bytes each.
    #[inline]
    pub(crate) fn put_numbers(&mut self, align: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            let padding = self.padding(align);
            self.sink.put(padding, []);
            self.sink.put_slice(bytes);
        }
    }

    /// Writes a number of elements or bytes.
    ///
    /// # Errors
    /// [`Error::TooLong`] if it does not fit 32 bits.
    #[inline]
    pub fn put_length(&mut self, length: usize) -> Result<(), Error> {
        self.put_u32(u32_length(length)?);
        Ok(())
    }

    #[inline(always)]
    fn u32_bytes(&self, value: u32) -> [u8; 4] {
        match self.endianness {
            Endianness::Big => value.to_be_bytes(),
            Endianness::Little => value.to_le_bytes(),
        }
    }

    #[inline]
    fn patch_u32(&mut self, at: usize, value: u32) {
        let bytes = self.u32_bytes(value);
        self.sink.patch(at, bytes);
    }

    /// Refuses a string or sequence with more than `bound` elements, which is the member of this
    /// id.
    ///
    /// # Errors
    /// [`Error::BoundExceeded`].
    #[inline]
    pub fn check_bound<T: Bounded + ?Sized>(
        &mut self,
        id: u32,
        value: &T,
        bound: usize,
    ) -> Result<(), Error> {
        crate::layout::check_bound(value.bounded_len(), bound)
            .inspect_err(|_| self.sink.enter(Step::Member(id)))
    }

    /// Refuses a string or sequence with more than `bound` elements.
    ///
    /// # Errors
    /// [`Error::BoundExceeded`].
    #[inline]
    pub fn check_length<T: Bounded + ?Sized>(&self, value: &T, bound: usize) -> Result<(), Error> {
        crate::layout::check_bound(value.bounded_len(), bound)
    }

    /// Writes a part of a value, which `step` leads to.
    ///
    /// # Errors
    /// Those of the part.
    #[inline(always)]
    pub fn part(
        &mut self,
        step: Step,
        write: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.sink.enter(step);
        write(self)?;
        self.sink.leave();
        Ok(())
    }

    /// Begins a struct or union: a DHEADER in XCDR2 unless it is final (DDS-XTypes 1.3 7.4.3.5.3).
    #[inline]
    pub fn begin(&mut self, extensibility: Extensibility) -> Scope {
        let delimited =
            self.xcdr == Xcdr::V2 && !self.plain && !matches!(extensibility, Extensibility::Final);
        self.delimit(delimited)
    }

    /// Begins a collection: a DHEADER in XCDR2 unless its elements are primitive.
    #[inline]
    pub fn begin_collection(&mut self, primitive: bool) -> Scope {
        self.delimit(self.xcdr == Xcdr::V2 && !primitive)
    }

    #[inline]
    fn delimit(&mut self, delimited: bool) -> Scope {
        let content = delimited.then(|| {
            self.put_u32(0);
            self.sink.position()
        });
        Scope { content }
    }

    /// Ends what [`begin_collection`](Self::begin_collection) began.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 4 GiB and more.
    #[inline]
    pub fn end_collection(&mut self, scope: Scope) -> Result<(), Error> {
        if let Some(content) = scope.content {
            let length = u32_length(self.sink.position() - content)?;
            self.patch_u32(content - 4, length);
        }
        Ok(())
    }

    /// Ends what [`begin`](Self::begin) began, with the same extensibility: patches the DHEADER, or
    /// closes the parameter list of a mutable XCDR1 type.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 4 GiB and more.
    #[inline]
    pub fn end(&mut self, scope: Scope, extensibility: Extensibility) -> Result<(), Error> {
        if self.is_parameter_list(extensibility) {
            self.align(4);
            self.put_u16(crate::layout::PID_MUST_UNDERSTAND | PID_SENTINEL);
            self.put_u16(0);
        }
        self.end_collection(scope)
    }

    #[inline]
    fn is_parameter_list(&self, extensibility: Extensibility) -> bool {
        self.xcdr == Xcdr::V1 && !self.plain && matches!(extensibility, Extensibility::Mutable)
    }

    #[inline]
    fn align(&mut self, align: usize) {
        let padding = self.padding(align);
        self.sink.put(padding, []);
    }

    /// Writes one member of a struct or union: labelled if the type is mutable, bare if not.
    ///
    /// # Errors
    /// Those of the member.
    #[inline]
    pub fn member<T: Serialize>(
        &mut self,
        extensibility: Extensibility,
        member: Member,
        value: &T,
    ) -> Result<(), Error> {
        self.part(Step::Member(member.id), |w| {
            w.whole_member(extensibility, member, value)
        })
    }

    #[inline(always)]
    fn whole_member<T: Serialize>(
        &mut self,
        extensibility: Extensibility,
        member: Member,
        value: &T,
    ) -> Result<(), Error> {
        if !matches!(extensibility, Extensibility::Mutable) || self.plain {
            value.serialize_member(member, self)
        } else if !value.is_present() {
            Ok(())
        } else if self.xcdr == Xcdr::V1 {
            self.parameter(member, |w| value.serialize_present(w))
        } else {
            self.labelled(member, value)
        }
    }

    /// Writes the key part of one member.
    ///
    /// # Errors
    /// Those of the member.
    #[inline]
    pub fn key_member<T: Serialize>(
        &mut self,
        extensibility: Extensibility,
        member: Member,
        value: &T,
    ) -> Result<(), Error> {
        self.member(extensibility, member, &Key(value))
    }

    /// A member with an EMHEADER (DDS-XTypes 1.3 7.4.3.4.2).
    #[inline]
    fn labelled<T: Serialize>(&mut self, member: Member, value: &T) -> Result<(), Error> {
        let header = (u32::from(member.must_understand) << 31) | (T::LENGTH_CODE << 28) | member.id;
        self.put_u32(header);
        if T::LENGTH_CODE != 4 {
            return value.serialize_present(self);
        }
        let scope = self.delimit(true);
        value.serialize_present(self)?;
        self.end_collection(scope)
    }

    /// A member with the header of a parameter; `None` makes it an absent optional (DDS-XTypes 1.3
    /// 7.4.1.2).
    #[inline]
    pub(crate) fn parameter(
        &mut self,
        member: Member,
        content: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let parameter = self.begin_parameter(member);
        content(self)?;
        self.end_parameter(parameter)
    }

    fn begin_parameter(&mut self, member: Member) -> Parameter {
        self.align(4);
        let extended = member.id > u32::from(MAX_SHORT_ID);
        if extended {
            self.put_u16(crate::layout::PID_MUST_UNDERSTAND | PID_EXTENDED);
            self.put_u16(8);
            self.put_u32(member.long_id());
            self.put_u32(0);
        } else {
            self.put_u16(member.short_id());
            self.put_u16(0);
        }
        let content = self.sink.position();
        let outer_origin = core::mem::replace(&mut self.origin, content);
        Parameter {
            content,
            outer_origin,
            extended,
            member,
        }
    }

    fn end_parameter(&mut self, parameter: Parameter) -> Result<(), Error> {
        let length = u32_length(self.sink.position() - parameter.content)?;
        self.origin = parameter.outer_origin;
        let content = parameter.content;
        if parameter.extended {
            self.patch_u32(content - 4, length);
        } else if let Ok(short) = u16::try_from(length) {
            let bytes = self.u16_bytes(short);
            self.sink.patch(content - 2, bytes);
        } else {
            self.widen(parameter, length);
        }
        Ok(())
    }

    /// Replaces the short header of a parameter that became too long for it. The content may move
    /// because its alignment counts from its own beginning.
    #[cold]
    fn widen(&mut self, parameter: Parameter, length: u32) {
        let at = parameter.content;
        let [a, b, c, d] = self.u32_bytes(parameter.member.long_id());
        let [e, f, g, h] = self.u32_bytes(length);
        self.sink.insert(at, [a, b, c, d, e, f, g, h]);
        let pid = self.u16_bytes(crate::layout::PID_MUST_UNDERSTAND | PID_EXTENDED);
        self.sink.patch(at - 4, pid);
        let eight = self.u16_bytes(8);
        self.sink.patch(at - 2, eight);
    }

    #[inline]
    fn u16_bytes(&self, value: u16) -> [u8; 2] {
        match self.endianness {
            Endianness::Big => value.to_be_bytes(),
            Endianness::Little => value.to_le_bytes(),
        }
    }
}

#[inline]
fn u32_length(length: usize) -> Result<u32, Error> {
    u32::try_from(length).map_err(|_| Error::TooLong(length))
}
