//! Writes CDR that is made of the bytes of other CDR.

use alloc::vec::Vec;

use bytes::{BufMut, BytesMut};
use dunlin_cdr::{Endianness, Error, Extensibility, Xcdr};

/// Largest member id that fits the short header of a parameter (DDS-XTypes 1.3 7.4.1.2).
const MAX_SHORT_ID: u32 = 0x3f00;
const PID_EXTENDED: u16 = 0x3f01;
const PID_SENTINEL: u16 = 0x3f02;
const PID_MUST_UNDERSTAND: u16 = 0x4000;
const LONG_MUST_UNDERSTAND: u32 = 0x4000_0000;

/// Where bytes go.
pub(crate) trait Output {
    fn length(&self) -> usize;
    fn push(&mut self, bytes: &[u8]);
    fn patch(&mut self, at: usize, bytes: &[u8]);
    fn insert(&mut self, at: usize, bytes: &[u8]);
}

fn overwrite(to: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(to) = to.get_mut(at..at + bytes.len()) {
        to.copy_from_slice(bytes);
    }
}

/// Moves what is behind `at`, which has been made longer by as many bytes.
fn make_room(to: &mut [u8], at: usize, bytes: &[u8]) {
    let end = to.len() - bytes.len();
    to.copy_within(at..end, at + bytes.len());
    overwrite(to, at, bytes);
}

impl Output for BytesMut {
    fn length(&self) -> usize {
        self.len()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.put_slice(bytes);
    }

    fn patch(&mut self, at: usize, bytes: &[u8]) {
        overwrite(self, at, bytes);
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) {
        self.put_slice(bytes);
        make_room(self, at, bytes);
    }
}

/// Bytes are counted and forgotten.
#[derive(Debug, Default)]
pub(crate) struct Nowhere(usize);

impl Output for Nowhere {
    fn length(&self) -> usize {
        self.0
    }

    fn push(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    fn patch(&mut self, _: usize, _: &[u8]) {}

    fn insert(&mut self, _: usize, bytes: &[u8]) {
        self.push(bytes);
    }
}

/// Bytes on the stack, and on the heap when there are more.
#[derive(Debug)]
pub(crate) struct Staged {
    stage: [u8; Self::STAGE],
    length: usize,
    heap: Vec<u8>,
}

impl Staged {
    const STAGE: usize = 256;

    pub(crate) fn new() -> Self {
        Self {
            stage: [0; Self::STAGE],
            length: 0,
            heap: Vec::new(),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self.heap.is_empty() {
            true => self.stage.get(..self.length).unwrap_or_default(),
            false => &self.heap,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self.heap.is_empty() {
            true => self.stage.get_mut(..self.length).unwrap_or_default(),
            false => &mut self.heap,
        }
    }
}

impl Output for Staged {
    fn length(&self) -> usize {
        self.bytes().len()
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = self.stage.get_mut(self.length..self.length + bytes.len());
        match room {
            Some(room) if self.heap.is_empty() => {
                room.copy_from_slice(bytes);
                self.length += bytes.len();
            }
            _ => {
                if self.heap.is_empty() {
                    let staged = self.stage.get(..self.length).unwrap_or_default();
                    self.heap.extend_from_slice(staged);
                }
                self.heap.extend_from_slice(bytes);
            }
        }
    }

    fn patch(&mut self, at: usize, bytes: &[u8]) {
        overwrite(self.bytes_mut(), at, bytes);
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) {
        self.push(bytes);
        make_room(self.bytes_mut(), at, bytes);
    }
}

/// What was begun: where its content starts, if it is to be told how long it is.
#[must_use]
pub(crate) struct Scope(Option<usize>);

/// The header of a parameter that was begun.
#[must_use]
pub(crate) struct Parameter {
    content: usize,
    outer_origin: usize,
    id: u32,
    must_understand: bool,
}

/// As [`dunlin_cdr::Writer`] writes, but from bytes.
pub(crate) struct Writer<'o, O> {
    out: &'o mut O,
    origin: usize,
    xcdr: Xcdr,
    endianness: Endianness,
    /// No headers of appendable and mutable types (DDS-XTypes 1.3 7.6.8).
    is_plain: bool,
}

impl<'o, O: Output> Writer<'o, O> {
    pub(crate) fn new(out: &'o mut O, xcdr: Xcdr, endianness: Endianness, is_plain: bool) -> Self {
        Self {
            origin: out.length(),
            out,
            xcdr,
            endianness,
            is_plain,
        }
    }

    /// The same, for a while.
    pub(crate) fn reborrow(&mut self) -> Writer<'_, O> {
        Writer {
            out: self.out,
            ..*self
        }
    }

    pub(crate) fn xcdr(&self) -> Xcdr {
        self.xcdr
    }

    pub(crate) fn length_so_far(&self) -> usize {
        self.out.length()
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    pub(crate) fn has_labels(&self, extensibility: Extensibility) -> bool {
        extensibility == Extensibility::Mutable && !self.is_plain
    }

    fn align(&mut self, align: usize) {
        const ZEROS: [u8; 8] = [0; 8];
        let align = align.min(self.xcdr.max_align()).max(1);
        let padding = self.origin.wrapping_sub(self.out.length()) & (align - 1);
        self.out.push(ZEROS.get(..padding).unwrap_or_default());
    }

    /// Numbers of `size` bytes each, which are in another byte order, or in that of the output.
    pub(crate) fn numbers(&mut self, bytes: &[u8], size: usize, from: Endianness) {
        if bytes.is_empty() {
            return;
        }
        self.align(size);
        if size == 1 || from == self.endianness {
            self.out.push(bytes);
            return;
        }
        for number in bytes.chunks_exact(size) {
            let mut swapped = [0; 16];
            if let Some(swapped) = swapped.get_mut(..size) {
                swapped.copy_from_slice(number);
                swapped.reverse();
                self.out.push(swapped);
            }
        }
    }

    pub(crate) fn slice(&mut self, bytes: &[u8]) {
        self.out.push(bytes);
    }

    fn u16_bytes(&self, value: u16) -> [u8; 2] {
        match self.endianness {
            Endianness::Big => value.to_be_bytes(),
            Endianness::Little => value.to_le_bytes(),
        }
    }

    fn u32_bytes(&self, value: u32) -> [u8; 4] {
        match self.endianness {
            Endianness::Big => value.to_be_bytes(),
            Endianness::Little => value.to_le_bytes(),
        }
    }

    fn u16(&mut self, value: u16) {
        let bytes = self.u16_bytes(value);
        self.numbers(&bytes, 2, self.endianness);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        let bytes = self.u32_bytes(value);
        self.numbers(&bytes, 4, self.endianness);
    }

    pub(crate) fn length(&mut self, length: usize) -> Result<(), Error> {
        self.u32(u32_length(length)?);
        Ok(())
    }

    pub(crate) fn begin(&mut self, extensibility: Extensibility) -> Scope {
        let is_final = extensibility == Extensibility::Final;
        self.delimit(self.xcdr == Xcdr::V2 && !self.is_plain && !is_final)
    }

    pub(crate) fn begin_collection(&mut self, is_primitive: bool) -> Scope {
        self.delimit(self.xcdr == Xcdr::V2 && !is_primitive)
    }

    pub(crate) fn delimit(&mut self, is_delimited: bool) -> Scope {
        Scope(is_delimited.then(|| {
            self.u32(0);
            self.out.length()
        }))
    }

    pub(crate) fn end_collection(&mut self, scope: Scope) -> Result<(), Error> {
        if let Some(content) = scope.0 {
            let length = u32_length(self.out.length() - content)?;
            let bytes = self.u32_bytes(length);
            self.out.patch(content - 4, &bytes);
        }
        Ok(())
    }

    pub(crate) fn end(&mut self, scope: Scope, extensibility: Extensibility) -> Result<(), Error> {
        if self.xcdr == Xcdr::V1 && self.has_labels(extensibility) {
            self.align(4);
            self.u16(PID_MUST_UNDERSTAND | PID_SENTINEL);
            self.u16(0);
        }
        self.end_collection(scope)
    }

    /// An EMHEADER (DDS-XTypes 1.3 7.4.3.4.2).
    pub(crate) fn label(&mut self, id: u32, must_understand: bool, code: u32) {
        self.u32((u32::from(must_understand) << 31) | (code << 28) | id);
    }

    pub(crate) fn begin_parameter(&mut self, id: u32, must_understand: bool) -> Parameter {
        self.align(4);
        if id > MAX_SHORT_ID {
            self.u16(PID_MUST_UNDERSTAND | PID_EXTENDED);
            self.u16(8);
            self.u32(long_id(id, must_understand));
            self.u32(0);
        } else {
            let flag = if must_understand {
                PID_MUST_UNDERSTAND
            } else {
                0
            };
            self.u16(flag | id as u16);
            self.u16(0);
        }
        let content = self.out.length();
        Parameter {
            content,
            outer_origin: core::mem::replace(&mut self.origin, content),
            id,
            must_understand,
        }
    }

    pub(crate) fn end_parameter(&mut self, parameter: Parameter) -> Result<(), Error> {
        let content = parameter.content;
        let length = u32_length(self.out.length() - content)?;
        self.origin = parameter.outer_origin;
        let long = self.u32_bytes(length);
        if parameter.id > MAX_SHORT_ID {
            self.out.patch(content - 4, &long);
        } else if let Ok(short) = u16::try_from(length) {
            let bytes = self.u16_bytes(short);
            self.out.patch(content - 2, &bytes);
        } else {
            // The content may move, for its alignment counts from its own beginning.
            let id = self.u32_bytes(long_id(parameter.id, parameter.must_understand));
            self.out.insert(content, &long);
            self.out.insert(content, &id);
            let pid = self.u16_bytes(PID_MUST_UNDERSTAND | PID_EXTENDED);
            self.out.patch(content - 4, &pid);
            let eight = self.u16_bytes(8);
            self.out.patch(content - 2, &eight);
        }
        Ok(())
    }
}

fn long_id(id: u32, must_understand: bool) -> u32 {
    let flag = if must_understand {
        LONG_MUST_UNDERSTAND
    } else {
        0
    };
    flag | id
}

fn u32_length(length: usize) -> Result<u32, Error> {
    u32::try_from(length).map_err(|_| Error::TooLong(length))
}
