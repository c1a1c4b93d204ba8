//! What annotations say about a member that neither its type nor its encoding says.

use alloc::boxed::Box;

pub use dunlin_cdr::Constant;

/// Annotations of a member, a case, a discriminator or an alias (DDS-XTypes 1.3 7.2.2.4.8,
/// 7.3.1.2.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `@default`: its value where a sender lacks it.
    pub default: Option<Constant>,
    /// `@min`, or that of `@range`.
    pub min: Option<Constant>,
    /// `@max`, or that of `@range`.
    pub max: Option<Constant>,
    /// `@unit`.
    pub unit: Option<Box<str>>,
    /// `@hashid`: the text that the id comes from; empty if it is the name.
    pub hash_id: Option<Box<str>>,
}

impl Annotations {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Most members have none, so they take a pointer only.
pub(crate) type Annotated = Option<Box<Annotations>>;

pub(crate) fn annotated(annotations: Annotations) -> Annotated {
    (!annotations.is_empty()).then(|| Box::new(annotations))
}
