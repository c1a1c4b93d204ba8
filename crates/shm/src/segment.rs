//! Segments: sealed memory files, mapped for writing by their owner and for reading by everybody
//! else.
//!
//! The invariant of every `unsafe` block here: a mapping is made by this module, of a file that
//! cannot shrink (it is sealed, or ours and about to be), and unmapped exactly once, when the last
//! view of it is gone.
use std::ffi::c_void;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use rustix::fs::{
    FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, fcntl_get_seals, fstat,
    memfd_create,
};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

use crate::memory::{Owner, View};
use crate::{Error, Violation};

/// The largest segment that a peer may ask us to map, in bytes.
pub(crate) const MAX_SEGMENT: usize = 1 << 32;

/// Nobody, the owner included, can resize the file or map it for writing again.
const SEALS: SealFlags = SealFlags::SHRINK
    .union(SealFlags::GROW)
    .union(SealFlags::FUTURE_WRITE)
    .union(SealFlags::SEAL);

const PAGE: usize = 4096;

/// Of the 65,530 mappings that a process may have, those that are left to others are many more.
const MOST_MAPPED: usize = 16_384;
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Memory of this process that others may map for reading, without a name in any directory.
#[derive(Debug)]
pub struct Segment {
    fd: Arc<OwnedFd>,
    owner: Owner,
    mapping: Arc<Mapping>,
}

/// The addresses of a segment whose memory went back to the system. They stay ours, so that nobody
/// else's bytes are ever taken for those of the segment.
#[derive(Debug)]
pub(crate) struct Vacant {
    owner: Owner,
    mapping: Arc<Mapping>,
}

impl Segment {
    /// Makes a segment of at least `bytes` bytes, zeroed and all of it in memory.
    ///
    /// # Errors
    /// `Argument` if it is empty or larger than 4 GiB, `Limit` if the memory cgroup or the machine
    /// has no room for it, `System` if there is no memory or no file descriptor left.
    pub fn new(bytes: usize) -> Result<Self, Error> {
        if bytes == 0 || bytes > MAX_SEGMENT {
            return Err(Error::Argument("a segment has between 1 byte and 4 GiB"));
        }
        let bytes = bytes.next_multiple_of(PAGE);
        let fd = file(bytes)?;
        let mapping = Arc::new(Mapping::new(
            &fd,
            bytes,
            ProtFlags::READ | ProtFlags::WRITE,
        )?);
        fcntl_add_seals(&fd, SEALS)?;
        mapping.keep_from_children();
        // SAFETY: the mapping is `bytes` long, writable, page-aligned, and lives in `keep`.
        let owner = unsafe { Owner::new(mapping.base.cast(), bytes, mapping.clone()) };
        Ok(Self {
            fd: Arc::new(fd),
            owner,
            mapping,
        })
    }

    /// Gives the memory back to the system, as soon as peers that have mapped it do so, too. Only
    /// for who reads and writes nothing in it any more.
    ///
    /// # Errors
    /// `System` if the kernel refuses; the addresses are then of no use any more.
    pub(crate) fn vacate(self) -> Result<Vacant, Error> {
        let Self { owner, mapping, .. } = self;
        mapping.replace(None)?;
        Ok(Vacant { owner, mapping })
    }

    /// Its file, to be sent to a peer.
    pub(crate) fn file(&self) -> Arc<OwnedFd> {
        self.fd.clone()
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// Never: a segment has at least one page.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Maps a segment that a peer has sent, which says that it has `bytes` bytes.
    ///
    /// # Errors
    /// `Violation::Segment` if it is no sealed memory file of that size, or not all of it is in
    /// memory.
    pub fn map(fd: &OwnedFd, bytes: usize) -> Result<View, Error> {
        Self::check(fd, bytes)?;
        let mapping = Mapping::new(fd, bytes, ProtFlags::READ)?;
        let base = mapping.base.cast_const().cast();
        // SAFETY: the mapping is `bytes` long and lives in `keep`; the seals that were checked
        // forbid to take pages away.
        Ok(unsafe { View::new(base, bytes, Arc::new(mapping)) })
    }

    fn check(fd: &OwnedFd, bytes: usize) -> Result<(), Violation> {
        // Only memory files have seals; all others answer with an error.
        let seals = fcntl_get_seals(fd).map_err(|_| Violation::Segment)?;
        let stat = fstat(fd).map_err(|_| Violation::Segment)?;
        let size = usize::try_from(stat.st_size).map_err(|_| Violation::Segment)?;
        let present = u64::try_from(stat.st_blocks)
            .unwrap_or(0)
            .saturating_mul(512);
        let fits = size == bytes && (1..=MAX_SEGMENT).contains(&size) && size % PAGE == 0;
        // Absent pages would be made, and charged to us, at the first touch; a full memory cgroup
        // would then kill us.
        if seals.contains(SEALS) && fits && present >= size as u64 {
            Ok(())
        } else {
            Err(Violation::Segment)
        }
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner.clone()
    }

    /// Keeps the memory, and gives the descriptor back to the system.
    pub(crate) fn into_owner(self) -> Owner {
        self.owner
    }
}

/// A file of so many bytes, all of them in memory.
fn file(bytes: usize) -> Result<OwnedFd, Error> {
    crate::headroom::check(bytes)?;
    let fd = memfd_create("dunlin", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    fallocate(&fd, FallocateFlags::empty(), 0, bytes as u64)?;
    Ok(fd)
}

impl Vacant {
    /// Makes another segment of the same size at the same addresses, zeroed.
    ///
    /// # Errors
    /// As [`Segment::new`]; it may be tried again.
    pub(crate) fn fill(&self) -> Result<Segment, Error> {
        if self.mapping.is_lost() {
            return Err(Error::Limit("the system has refused these addresses"));
        }
        let fd = file(self.mapping.bytes)?;
        self.mapping.replace(Some(&fd))?;
        if let Err(errno) = fcntl_add_seals(&fd, SEALS) {
            self.mapping.replace(None)?;
            return Err(errno.into());
        }
        self.mapping.keep_from_children();
        Ok(Segment {
            fd: Arc::new(fd),
            owner: self.owner.clone(),
            mapping: self.mapping.clone(),
        })
    }
}

impl AsFd for Segment {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[derive(Debug)]
struct Mapping {
    base: *mut c_void,
    bytes: usize,
    /// What is at these addresses is not known any more: perhaps nothing, perhaps somebody else's.
    lost: AtomicBool,
}

// SAFETY: the mapping belongs to the process, not to a thread; it is only unmapped here.
unsafe impl Send for Mapping {}
// SAFETY: as above; there is nothing to do with a shared one.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(fd: &OwnedFd, bytes: usize, protection: ProtFlags) -> Result<Self, Error> {
        if MAPPED.fetch_add(1, Relaxed) >= MOST_MAPPED {
            MAPPED.fetch_sub(1, Relaxed);
            return Err(Error::Limit("this process has too many segments"));
        }
        // SAFETY: no address is asked for, so nothing that exists is replaced.
        let base = unsafe {
            mmap(
                null_mut(),
                bytes,
                protection,
                MapFlags::SHARED | MapFlags::POPULATE,
                fd,
                0,
            )
        };
        match base {
            Ok(base) => Ok(Self {
                base,
                bytes,
                lost: AtomicBool::new(false),
            }),
            Err(errno) => {
                MAPPED.fetch_sub(1, Relaxed);
                Err(errno.into())
            }
        }
    }
}

impl Mapping {
    /// Maps another file at these addresses, or memory that is none before it is touched.
    fn replace(&self, file: Option<&OwnedFd>) -> Result<(), Error> {
        if self.is_lost() {
            return Err(Error::Limit("the system has refused these addresses"));
        }
        let (base, bytes) = (self.base, self.bytes);
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the addresses are this mapping's own, so nothing else is replaced; before and
        // after they are readable and writable, which is all that views rely on.
        let replaced = unsafe {
            match file {
                Some(fd) => {
                    let flags = MapFlags::SHARED | MapFlags::POPULATE | MapFlags::FIXED;
                    mmap(base, bytes, protection, flags, fd, 0)
                }
                None => {
                    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED;
                    mmap_anonymous(base, bytes, protection, flags)
                }
            }
        };
        // A kernel that fails halfway has unmapped what was there.
        replaced.inspect_err(|_| self.lost.store(true, Relaxed))?;
        Ok(())
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }

    /// A child of fork must not write what is ours alone; if the kernel refuses, only children that
    /// go on using the parent's connections notice.
    fn keep_from_children(&self) {
        // SAFETY: the range is this mapping.
        let _ = unsafe { madvise(self.base, self.bytes, Advice::LinuxDontFork) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // Another thread may have got the addresses meanwhile.
        if self.is_lost() {
            return;
        }
        // SAFETY: made by `new` with this length, and nobody has a view of it any more.
        let _ = unsafe { munmap(self.base, self.bytes) };
        MAPPED.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    fn file(bytes: u64, seals: SealFlags, present: bool) -> OwnedFd {
        let fd = memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        rustix::fs::ftruncate(&fd, bytes).unwrap();
        if present && bytes > 0 {
            fallocate(&fd, FallocateFlags::empty(), 0, bytes).unwrap();
        }
        fcntl_add_seals(&fd, seals).unwrap();
        fd
    }

    fn refused(fd: &OwnedFd, bytes: usize) {
        assert!(matches!(
            Segment::map(fd, bytes),
            Err(Error::Violation(Violation::Segment))
        ));
    }

    #[test]
    fn a_peer_sees_what_the_owner_writes_and_can_neither_write_nor_resize() {
        let segment = Segment::new(5000).unwrap();
        assert_eq!(segment.len(), 8192);
        let fd = segment.as_fd().try_clone_to_owned().unwrap();
        let view = Segment::map(&fd, 8192).unwrap();
        segment.owner().store(3, 42, Ordering::Release);
        assert_eq!(view.load_acquire(3), 42);
        assert!(Mapping::new(&fd, 8192, ProtFlags::READ | ProtFlags::WRITE).is_err());
        assert!(rustix::fs::ftruncate(&fd, 0).is_err());
        assert!(rustix::fs::ftruncate(&fd, 1 << 20).is_err());
        assert!(rustix::io::write(&fd, b"x").is_err());
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        assert!(fallocate(&fd, hole, 0, 4096).is_err());
    }

    #[test]
    fn memory_that_is_given_back_is_gone_and_its_addresses_stay() {
        let segment = Segment::new(8192).unwrap();
        let fd = segment.as_fd().try_clone_to_owned().unwrap();
        let view = Segment::map(&fd, 8192).unwrap();
        let owner = segment.owner();
        owner.store(3, 42, Ordering::Release);
        let vacant = segment.vacate().unwrap();
        assert_eq!((owner.load(3), view.load(3)), (0, 42));
        let again = vacant.fill().unwrap();
        assert_eq!(
            (again.owner().address(0), owner.load(3)),
            (owner.address(0), 0)
        );
        owner.store(3, 43, Ordering::Release);
        let other = again.as_fd().try_clone_to_owned().unwrap();
        let other = Segment::map(&other, 8192).unwrap();
        assert_eq!((other.load(3), view.load(3)), (43, 42));
        assert!(Mapping::new(&again.fd, 8192, ProtFlags::READ | ProtFlags::WRITE).is_err());
    }

    #[test]
    fn only_sealed_memory_of_the_announced_size_is_mapped() {
        refused(&file(4096, SealFlags::empty(), true), 4096);
        refused(&file(4096, SEALS.difference(SealFlags::SHRINK), true), 4096);
        refused(
            &file(4096, SEALS.difference(SealFlags::FUTURE_WRITE), true),
            4096,
        );
        refused(&file(4096, SEALS, false), 4096);
        refused(&file(4096, SEALS, true), 8192);
        refused(&file(8192, SEALS, true), 4096);
        refused(&file(100, SEALS, true), 100);
        refused(&file(0, SEALS, true), 0);
        refused(&std::fs::File::open("/dev/null").unwrap().into(), 4096);
        refused(&std::fs::File::open("/proc/self/exe").unwrap().into(), 4096);
        assert!(Segment::map(&file(4096, SEALS, true), 4096).is_ok());
    }
}
