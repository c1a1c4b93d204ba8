//! Memory that crosses the boundary: arguments, results, blocks, and foreign memory.
//!
//! What a caller passes is taken by these types. Their contract is that of C: a pointer is null or
//! points to what the header says. Whatever can be checked is checked here.
use crate::error::{Failure, Outcome};
use crate::library::count_block;
use crate::qos::dunlin_qos;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pointer to one value that a function reads; null for none.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<'a, T>(*const T, PhantomData<&'a T>);

/// A pointer to one value that a function writes, or reads and writes; null for none.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<'a, T>(*mut T, PhantomData<&'a mut T>);

/// A pointer to the first of several values, whose number is another argument.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Array<'a, T>(*const T, PhantomData<&'a [T]>);

/// As [`Array`], of values that a function writes.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct OutArray<'a, T>(*mut T, PhantomData<&'a mut [T]>);

impl<'a, T> From<&'a T> for In<'a, T> {
    fn from(value: &'a T) -> Self {
        Self(value, PhantomData)
    }
}

impl<'a, T> From<&'a mut T> for Out<'a, T> {
    fn from(value: &'a mut T) -> Self {
        Self(value, PhantomData)
    }
}

impl<'a, T> From<&'a [T]> for Array<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Self(values.as_ptr(), PhantomData)
    }
}

impl<'a, T> From<&'a mut [T]> for OutArray<'a, T> {
    fn from(values: &'a mut [T]) -> Self {
        Self(values.as_mut_ptr(), PhantomData)
    }
}

/// A structure that begins with its size, so that it may grow.
///
/// # Safety
/// The structure is `repr(C)`, its first member is a `u32`, and any bytes are a value of it.
pub unsafe trait Sized32: Copy {
    /// Its name in the header.
    const NAME: &'static str;
}

fn missing(name: &str) -> Failure {
    Failure::bad(format!("the argument {name} is a null pointer"))
}

impl<'a, T> In<'a, T> {
    /// No value.
    pub const NULL: Self = Self(std::ptr::null(), PhantomData);

    pub(crate) fn get(self) -> Option<&'a T> {
        // SAFETY: the caller passes null or a value, as the header says.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn required(self, name: &str) -> Outcome<&'a T> {
        self.get().ok_or_else(|| missing(name))
    }
}

impl<'a> In<'a, dunlin_qos> {
    /// A QoS of any kind.
    pub fn of<Q: Sized32>(qos: &'a Q) -> Self {
        Self(std::ptr::from_ref(qos).cast(), PhantomData)
    }

    /// The whole structure, by whose kind the caller has said what it is.
    pub(crate) fn cast<T: Sized32>(self) -> In<'a, T> {
        In(self.0.cast(), PhantomData)
    }
}

impl<'a> Out<'a, dunlin_qos> {
    /// A place for a QoS of any kind.
    pub fn of<Q: Sized32>(qos: &'a mut Q) -> Self {
        Self(std::ptr::from_mut(qos).cast(), PhantomData)
    }

    /// As of [`In`].
    pub(crate) fn cast<T: Sized32>(self) -> Out<'a, T> {
        Out(self.0.cast(), PhantomData)
    }

    pub(crate) fn reading(self) -> In<'a, dunlin_qos> {
        In(self.0, PhantomData)
    }
}

impl<'a, T: Sized32> In<'a, T> {
    /// The value, if there is one, whose size is checked.
    pub(crate) fn sized(self, name: &str) -> Outcome<Option<T>> {
        Ok(self.sized_in_place(name)?.copied())
    }

    /// The same, where the caller has it: for what is looked at once.
    #[inline]
    pub(crate) fn sized_in_place(self, name: &str) -> Outcome<Option<&'a T>> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: a structure begins with its size, and the caller passes a structure.
        check_size::<T>(unsafe { self.0.cast::<u32>().read() }, name)?;
        // SAFETY: the caller says by the size that it is all there, and leaves it alone meanwhile.
        Ok(Some(unsafe { &*self.0 }))
    }

    pub(crate) fn required_sized(self, name: &str) -> Outcome<T> {
        self.sized(name)?.ok_or_else(|| missing(name))
    }
}

fn check_size<T: Sized32>(size: u32, name: &str) -> Outcome {
    match size as usize >= size_of::<T>() {
        true => Ok(()),
        false => Err(Failure::bad(format!(
            "the member size of the argument {name} is {size}, and a {} has {} bytes: set it by sizeof",
            T::NAME,
            size_of::<T>()
        ))),
    }
}

impl<'a, T> Out<'a, T> {
    /// No place.
    pub const NULL: Self = Self(std::ptr::null_mut(), PhantomData);

    /// Fails if there is no place for a result, before anything is done.
    pub(crate) fn required(self, name: &str) -> Outcome<Room<'a, T>> {
        self.optional().ok_or_else(|| missing(name))
    }

    /// A place for a result that not everybody wants.
    pub(crate) fn optional(self) -> Option<Room<'a, T>> {
        match self.0.is_null() {
            true => None,
            false => Some(Room(self.0, PhantomData)),
        }
    }

    /// The value, which is there before and behind the call.
    pub(crate) fn get(self) -> Option<&'a mut T> {
        // SAFETY: the caller passes null or a value that nobody else uses during the call.
        unsafe { self.0.as_mut() }
    }
}

impl<'a, T: Sized32> Out<'a, T> {
    /// A structure in which the caller has set the size.
    pub(crate) fn sized(self, name: &str) -> Outcome<Option<&'a mut T>> {
        In::<T>(self.0, PhantomData).sized(name)?;
        Ok(self.get())
    }

    pub(crate) fn required_sized(self, name: &str) -> Outcome<&'a mut T> {
        self.sized(name)?.ok_or_else(|| missing(name))
    }
}

/// Where a result goes.
#[derive(Debug)]
pub(crate) struct Room<'a, T>(*mut T, PhantomData<&'a mut T>);

impl<T> Room<'_, T> {
    pub(crate) fn put(self, value: T) {
        // SAFETY: the caller gave room for a value.
        unsafe { self.0.write(value) };
    }
}

/// How many elements an array may have at most, whatever the caller says: all that can be in
/// memory.
fn check_count<T>(count: u64, name: &str) -> Outcome<usize> {
    let most = isize::MAX as usize / size_of::<T>().max(1);
    let count = usize::try_from(count).ok().filter(|count| *count <= most);
    count.ok_or_else(|| Failure::bad(format!("the count of {name} is larger than memory")))
}

impl<'a, T> Array<'a, T> {
    /// No values.
    pub const NULL: Self = Self(std::ptr::null(), PhantomData);

    pub(crate) fn slice(self, count: u64, name: &str) -> Outcome<&'a [T]> {
        if count == 0 {
            return Ok(&[]);
        }
        if self.0.is_null() {
            return Err(Failure::bad(format!(
                "{count} values of {name} are announced, and its pointer is null"
            )));
        }
        let count = check_count::<T>(count, name)?;
        // SAFETY: the caller says that so many lie there.
        Ok(unsafe { std::slice::from_raw_parts(self.0, count) })
    }
}

impl<'a, T> OutArray<'a, T> {
    /// No places.
    pub const NULL: Self = Self(std::ptr::null_mut(), PhantomData);

    pub(crate) fn slice(self, count: u64, name: &str) -> Outcome<&'a mut [T]> {
        if count == 0 {
            return Ok(&mut []);
        }
        if self.0.is_null() {
            return Err(Failure::bad(format!(
                "room for {count} values of {name} is announced, and its pointer is null"
            )));
        }
        let count = check_count::<T>(count, name)?;
        // SAFETY: the caller says that so many lie there, which nobody else uses during the call.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.0, count) })
    }
}

impl Array<'_, u8> {
    /// The 16 bytes of an instance or a GUID.
    pub(crate) fn sixteen(self, name: &str) -> Outcome<[u8; 16]> {
        sixteen(self.0).ok_or_else(|| missing(name))
    }
}

impl<'a> OutArray<'a, u8> {
    /// Room for so many GUIDs.
    pub(crate) fn sixteens(self, count: u64, name: &str) -> Outcome<&'a mut [[u8; 16]]> {
        OutArray(self.0.cast(), PhantomData).slice(count, name)
    }

    /// Room for 16 bytes, as instances and GUIDs have.
    pub(crate) fn put16(self, value: [u8; 16], name: &str) -> Outcome {
        self.slice(16, name)?.copy_from_slice(&value);
        Ok(())
    }
}

/// Text in UTF-8 with a length. It need not end with NUL. No text has the length 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_text {
    /// The first byte; null is allowed for no text.
    pub data: *const c_char,
    /// Bytes.
    pub length: usize,
}

/// Bytes with a length.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_bytes {
    /// The first byte; null is allowed for none.
    pub data: *const u8,
    /// How many.
    pub length: usize,
}

// SAFETY: they are addresses; whoever looks at what lies there says why it is there.
unsafe impl Send for dunlin_text {}
// SAFETY: as above.
unsafe impl Sync for dunlin_text {}
// SAFETY: as above.
unsafe impl Send for dunlin_bytes {}
// SAFETY: as above.
unsafe impl Sync for dunlin_bytes {}

impl dunlin_text {
    /// No text.
    pub const NONE: Self = Self {
        data: std::ptr::null(),
        length: 0,
    };

    /// Text that the one who passes it keeps.
    pub(crate) fn lasting(text: &str) -> Self {
        Self {
            data: text.as_ptr().cast(),
            length: text.len(),
        }
    }

    /// The text, which has neither NUL nor what is no UTF-8.
    pub(crate) fn get<'a>(self, name: &str) -> Outcome<&'a str> {
        let bytes = Array(self.data.cast::<u8>(), PhantomData).slice(self.length as u64, name)?;
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Failure::bad(format!(
                "the argument {name} is no UTF-8 from byte {} on",
                error.valid_up_to()
            ))
        })?;
        match text.find('\0') {
            None => Ok(text),
            Some(at) => Err(Failure::bad(format!(
                "the argument {name} has a NUL at byte {at}"
            ))),
        }
    }
}

impl From<&str> for dunlin_text {
    fn from(text: &str) -> Self {
        Self::lasting(text)
    }
}

impl dunlin_bytes {
    /// No bytes.
    pub const NONE: Self = Self {
        data: std::ptr::null(),
        length: 0,
    };

    pub(crate) fn lasting(bytes: &[u8]) -> Self {
        Self {
            data: bytes.as_ptr(),
            length: bytes.len(),
        }
    }

    pub(crate) fn get<'a>(self, name: &str) -> Outcome<&'a [u8]> {
        Array(self.data, PhantomData).slice(self.length as u64, name)
    }
}

/// The values of a pointer and a count within a structure.
pub(crate) fn list<'a, T>(first: *const T, count: u64, name: &str) -> Outcome<&'a [T]> {
    Array(first, PhantomData).slice(count, name)
}

/// The values of a list of texts.
pub(crate) fn texts(first: *const dunlin_text, count: u64, name: &str) -> Outcome<Vec<String>> {
    let texts = list(first, count, name)?.iter();
    texts
        .map(|text| text.get(name).map(str::to_owned))
        .collect()
}

/// 16 bytes behind a pointer within a structure, or none.
pub(crate) fn sixteen(first: *const u8) -> Option<[u8; 16]> {
    // SAFETY: the caller passes null or 16 bytes, as the header says; bytes are aligned anywhere.
    unsafe { first.cast::<[u8; 16]>().as_ref() }.copied()
}

/// Memory of the library that the caller owns: texts, and what the lists of a QoS lie in. It is
/// given back by `dunlin_block_free`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_block {
    /// The bytes; a text in UTF-8 is followed by a NUL that `length` does not count. Null if the
    /// block only keeps what a structure points to.
    pub data: *const u8,
    /// How many.
    pub length: u64,
    /// Tells blocks from each other.
    pub token: u64,
}

/// What a block keeps.
pub(crate) trait Kept: Send {}

impl Kept for Box<[u8]> {}

static BLOCKS: Mutex<Blocks> = Mutex::new(Blocks {
    given: 0,
    kept: BTreeMap::new(),
});

pub(crate) struct Blocks {
    given: u64,
    kept: BTreeMap<u64, Box<dyn Kept>>,
}

/// The lock that is held around a fork.
pub(crate) fn blocks() -> MutexGuard<'static, Blocks> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl dunlin_block {
    /// No block.
    pub const NONE: Self = Self {
        data: std::ptr::null(),
        length: 0,
        token: 0,
    };

    fn keep(kept: Box<dyn Kept>, data: *const u8, length: u64) -> Self {
        let mut blocks = blocks();
        blocks.given += 1;
        let token = blocks.given;
        blocks.kept.insert(token, kept);
        drop(blocks);
        count_block(1);
        Self {
            data,
            length,
            token,
        }
    }

    pub(crate) fn bytes(bytes: &[u8]) -> Self {
        let kept: Box<[u8]> = [bytes, &[0]].concat().into();
        let data = kept.as_ptr();
        Self::keep(Box::new(kept), data, bytes.len() as u64)
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::bytes(text.as_bytes())
    }

    /// Keeps what a structure points to.
    pub(crate) fn keeping(kept: impl Kept + 'static) -> Self {
        Self::keep(Box::new(kept), std::ptr::null(), 0)
    }

    pub(crate) fn free(self) -> Outcome {
        if self.token == 0 {
            return Ok(());
        }
        let mut blocks = blocks();
        let kept = blocks.kept.remove(&self.token);
        drop(blocks);
        match kept {
            Some(_) => {
                count_block(-1);
                Ok(())
            }
            None => Err(Failure::precondition(
                "the block was given back before, or is none of this library",
            )),
        }
    }
}

/// Called when the library needs foreign memory no more.
pub type dunlin_release = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// Memory of the application that is kept by count.
struct Foreign {
    data: *const u8,
    length: usize,
    context: *mut c_void,
    release: dunlin_release,
}

// SAFETY: the application says that the memory is not changed before its release, which any thread
// may call.
unsafe impl Send for Foreign {}

impl AsRef<[u8]> for Foreign {
    fn as_ref(&self) -> &[u8] {
        match self.length {
            0 => &[],
            // SAFETY: the application says that so many bytes lie there until the release.
            length => unsafe { std::slice::from_raw_parts(self.data, length) },
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the function is the application's, for this context, and is called once.
            unsafe { release(self.context) };
        }
    }
}

/// Counted bytes of foreign memory.
pub(crate) fn foreign(bytes: &[u8], context: *mut c_void, release: dunlin_release) -> Bytes {
    Bytes::from_owner(Foreign {
        data: bytes.as_ptr(),
        length: bytes.len(),
        context,
        release,
    })
}

/// Memory that the application fills while the library owns it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(*mut u8);

// SAFETY: it is an address; the application writes there, and says when it has done so.
unsafe impl Send for Place {}

impl Place {
    pub(crate) fn of(bytes: &mut [u8]) -> Self {
        Self(bytes.as_mut_ptr())
    }

    pub(crate) fn address(self) -> *mut u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(failure: Failure) -> String {
        match failure {
            Failure::Told(_, text) => text,
            Failure::Quiet(code) => code.to_string(),
        }
    }

    #[test]
    fn text_is_checked() {
        assert_eq!(dunlin_text::from("Vögel").get("name").unwrap(), "Vögel");
        assert_eq!(dunlin_text::NONE.get("name").unwrap(), "");
        let nul = said(dunlin_text::from("ab\0c").get("name").unwrap_err());
        assert!(nul.contains("name") && nul.contains("byte 2"), "{nul}");
        let cut = dunlin_text {
            length: 2,
            ..dunlin_text::from("Vögel")
        };
        let cut = said(cut.get("name").unwrap_err());
        assert!(cut.contains("UTF-8 from byte 1"), "{cut}");
        let without = dunlin_text {
            length: 2,
            ..dunlin_text::NONE
        };
        assert!(said(without.get("name").unwrap_err()).contains("null"));
    }

    #[test]
    fn a_block_is_given_back_once() {
        let block = dunlin_block::text("words");
        assert_eq!(block.length, 5);
        assert!(block.free().is_ok());
        assert!(block.free().is_err());
        assert!(dunlin_block::NONE.free().is_ok());
    }

    #[test]
    fn foreign_memory_is_released_once() {
        unsafe extern "C" fn count(context: *mut c_void) {
            // SAFETY: the context below is a number that outlives the bytes.
            unsafe { *context.cast::<u32>() += 1 };
        }
        let mut released = 0_u32;
        let context = (&raw mut released).cast();
        let bytes = foreign(b"abc", context, Some(count));
        let part = bytes.slice(1..);
        drop(bytes);
        assert_eq!((&*part, released), (&b"bc"[..], 0));
        drop(part);
        assert_eq!(released, 1);
    }
}
