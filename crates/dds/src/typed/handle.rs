//! What handles of a Rust type have in common: each wraps the untyped handle, and is one.

/// Clones, equality, hash, `Debug` and the methods of the untyped handle in the field `untyped`.
macro_rules! typed_handle {
    ($type:ident, $untyped:ident) => {
        impl<T> Clone for $type<T> {
            fn clone(&self) -> Self {
                Self::new(self.untyped.clone())
            }
        }

        /// By identity: equal if both are the same entity.
        impl<T> PartialEq for $type<T> {
            fn eq(&self, other: &Self) -> bool {
                self.untyped == other.untyped
            }
        }

        impl<T> Eq for $type<T> {}

        impl<T> std::hash::Hash for $type<T> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.untyped.hash(state);
            }
        }

        impl<T> std::fmt::Debug for $type<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.untyped.fmt(f)
            }
        }

        impl<T> std::ops::Deref for $type<T> {
            type Target = $untyped;

            #[inline]
            fn deref(&self) -> &$untyped {
                &self.untyped
            }
        }

        impl<T> $type<T> {
            pub(crate) fn new(untyped: $untyped) -> Self {
                Self {
                    untyped,
                    marker: PhantomData,
                }
            }
        }
    };
}

pub(crate) use typed_handle;
