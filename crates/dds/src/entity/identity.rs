//! When two handles are equal: when they are of the same entity.
//!
//! Clones of a handle are the same entity, so they are equal and hash alike; two entities of the
//! same topic and QoS are not. What a wait set finds true, or a listener is told of, can be
//! compared with what the application keeps.

/// Equality, hash and `Debug` of a handle by the core that its clones share, which stands in
/// `$field`.
macro_rules! same_entity {
    ($type:ident $(<$of:ident>)?, $field:ident, $words:expr) => {
        /// By identity: equal if both are the same entity.
        impl $(<$of>)? PartialEq for $type $(<$of>)? {
            fn eq(&self, other: &Self) -> bool {
                std::sync::Arc::ptr_eq(&self.$field, &other.$field)
            }
        }

        impl $(<$of>)? Eq for $type $(<$of>)? {}

        impl $(<$of>)? std::hash::Hash for $type $(<$of>)? {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                std::sync::Arc::as_ptr(&self.$field).hash(state);
            }
        }

        impl $(<$of>)? std::fmt::Debug for $type $(<$of>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let words: fn(&Self) -> String = $words;
                f.write_str(&words(self))
            }
        }
    };
}

pub(crate) use same_entity;
