//! TYPE_CONSISTENCY_ENFORCEMENT (DDS-XTypes 1.3 7.6.3.7): which types a reader takes for its own.
use core::fmt;

/// Must the types of a writer and a reader be the same?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum TypeConsistencyKind {
    /// They must, as before the standard knew types that grow.
    DisallowTypeCoercion = 0,
    /// A writer's type may be another one from which the reader's can be assigned.
    AllowTypeCoercion = 1,
}

/// TYPE_CONSISTENCY_ENFORCEMENT of a reader: it concerns nobody but readers, is not requested and
/// offered, and is fixed once the reader is enabled.
///
/// The four options in the middle say which types are assignable, where coercion is allowed. They
/// act where both types are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeConsistencyEnforcement {
    /// Must types be the same?
    pub kind: TypeConsistencyKind,
    /// The largest number of elements of a sequence does not count.
    pub ignore_sequence_bounds: bool,
    /// The largest length of a string does not count.
    pub ignore_string_bounds: bool,
    /// Members are recognized by their ids alone.
    pub ignore_member_names: bool,
    /// A writer's type may lack nothing that the reader's has.
    pub prevent_type_widening: bool,
    /// No match before both types are known: their names do not suffice.
    pub force_type_validation: bool,
}

impl Default for TypeConsistencyEnforcement {
    fn default() -> Self {
        Self {
            kind: TypeConsistencyKind::AllowTypeCoercion,
            ignore_sequence_bounds: true,
            ignore_string_bounds: true,
            ignore_member_names: false,
            prevent_type_widening: false,
            force_type_validation: false,
        }
    }
}

impl TypeConsistencyEnforcement {
    /// The same types and no others. It is also what a reader is taken to want that does not
    /// announce the policy at all, so one of a product that does not know it.
    pub const DISALLOW: Self = Self {
        kind: TypeConsistencyKind::DisallowTypeCoercion,
        ignore_sequence_bounds: false,
        ignore_string_bounds: false,
        ignore_member_names: false,
        prevent_type_widening: true,
        force_type_validation: false,
    };

    /// Is a type that is known to be another one than the reader's refused?
    pub const fn wants_same(&self) -> bool {
        matches!(self.kind, TypeConsistencyKind::DisallowTypeCoercion) || self.force_type_validation
    }
}

impl fmt::Display for TypeConsistencyEnforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        let forced = self.force_type_validation;
        f.write_str(if forced {
            " with force_type_validation"
        } else {
            ""
        })
    }
}
