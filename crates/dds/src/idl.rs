//! Types of IDL files in Rust, and types of Rust as IDL.

use dunlin_cdr::Layout;
use dunlin_xtypes::{BuildError, DynamicType, idl};

/// A type that derives [`Topic`](derive@crate::Topic) or [`Data`](crate::Data), and all types that
/// it consists of, as an IDL file: for programs in other languages.
///
/// ```
/// use dunlin::Topic;
///
/// #[derive(Topic)]
/// #[topic(name = "Geo::Position")]
/// struct Position {
///     #[key]
///     bird: u32,
///     x: f64,
/// }
///
/// let text = dunlin::idl::to_string::<Position>()?;
/// assert!(text.contains("module Geo {") && text.contains("@key uint32 bird;"), "{text}");
/// # Ok::<(), dunlin::xtypes::BuildError>(())
/// ```
///
/// # Errors
/// Those of [`DynamicType::of`]: parts of the type are encoded by code that was not derived, or have
/// no IDL.
pub fn to_string<T: Layout>() -> Result<String, BuildError> {
    let ty = DynamicType::of::<T>()?;
    Ok(idl::print(ty.tree()))
}

/// The types of an IDL file that the build script has compiled (`dunlin_build::idl`), by the name of
/// the file. It stands within a module of that name:
///
/// ```ignore
/// mod shape {
///     dunlin::include_idl!("shape");
/// }
/// ```
#[macro_export]
macro_rules! include_idl {
    ($name:literal) => {
        ::core::include!(::core::concat!(
            ::core::env!("OUT_DIR"),
            "/idl/",
            $name,
            ".rs"
        ));
    };
}
