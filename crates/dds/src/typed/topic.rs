//! Topics of a Rust type.
use crate::typed::handle::typed_handle;
use crate::untyped::UntypedTopic;
use std::marker::PhantomData;

pub use dunlin_cdr::Topic as TopicData;

/// A name in the domain with the type `T` (DDS 1.4 2.2.2.3.2). Clones are the same topic.
///
/// It is an [`UntypedTopic`], and has its methods.
pub struct Topic<T> {
    untyped: UntypedTopic,
    marker: PhantomData<fn() -> T>,
}

typed_handle!(Topic, UntypedTopic);
