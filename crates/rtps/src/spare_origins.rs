//! Memory for what samples say of their origin, so that forwarding them allocates nothing once
//! there is some.
use alloc::boxed::Box;
use alloc::vec::Vec;
use dunlin_wire::SampleOrigin;

/// The most that are kept, of about a hundred bytes each.
const MOST: usize = 1024;

/// Boxes whose content nobody needs any more.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "it is the boxes that are kept")]
pub(crate) struct SpareOrigins(Vec<Box<SampleOrigin>>);

impl SpareOrigins {
    /// Keeps the memory of one that is not needed any more.
    #[cold]
    pub(crate) fn put(&mut self, origin: Box<SampleOrigin>) {
        if self.0.len() < MOST {
            self.0.push(origin);
        }
    }

    /// This, in a box.
    #[cold]
    pub(crate) fn fill(&mut self, origin: &SampleOrigin) -> Box<SampleOrigin> {
        match self.0.pop() {
            None => Box::new(*origin),
            Some(mut spare) => {
                *spare = *origin;
                spare
            }
        }
    }
}
