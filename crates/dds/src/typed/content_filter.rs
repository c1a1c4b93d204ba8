//! Content filters on topics of a Rust type (DDS 1.4 2.2.2.3.3).
use crate::typed::handle::typed_handle;
use crate::typed::topic::Topic;
use crate::untyped::{UntypedContentFilteredTopic, UntypedTopicDescription};
use std::marker::PhantomData;

/// What a reader of `T` can be made for: a topic, or a part of one (DDS 1.4 2.2.2.3.1).
pub trait TopicDescription<T> {
    /// Without its Rust type.
    fn untyped(&self) -> &dyn UntypedTopicDescription;

    /// Its name.
    fn name(&self) -> &str {
        self.untyped().name()
    }
}

impl<T> TopicDescription<T> for Topic<T> {
    fn untyped(&self) -> &dyn UntypedTopicDescription {
        &**self
    }
}

impl<T> TopicDescription<T> for ContentFilteredTopic<T> {
    fn untyped(&self) -> &dyn UntypedTopicDescription {
        &**self
    }
}

/// Those samples of a topic that pass a filter. Clones are the same.
///
/// It is an [`UntypedContentFilteredTopic`], and has its methods.
pub struct ContentFilteredTopic<T> {
    untyped: UntypedContentFilteredTopic,
    marker: PhantomData<fn() -> T>,
}

typed_handle!(ContentFilteredTopic, UntypedContentFilteredTopic);
