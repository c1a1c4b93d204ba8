//! Whether a type of a program and that of an IDL file are the same.

use std::path::Path;

use dunlin_cdr::Layout;
use dunlin_idlc::Options;
use dunlin_xtypes::{DynamicType, idl};

/// Fails a test if a Rust type is not what an IDL file says: it panics and shows the lines in which
/// they differ. The path of the file is relative to the directory of the package; the type in it is
/// the one that has the name of the Rust type.
///
/// ```no_run
/// # use dunlin_derive::Data;
/// # #[derive(Data)] #[topic(crate = "dunlin_cdr")] struct ShapeType { x: i32 }
/// // In a test:
/// dunlin_build::assert_matches!("idl/shape.idl", ShapeType);
/// ```
#[macro_export]
macro_rules! assert_matches {
    ($file:expr, $ty:ty $(,)?) => {
        if let ::core::result::Result::Err(why) =
            $crate::difference::<$ty>(::core::env!("CARGO_MANIFEST_DIR"), $file)
        {
            ::core::panic!("{why}");
        }
    };
}

/// What differs between a Rust type and an IDL file, in words.
///
/// # Errors
/// Whatever keeps the two from being the same type.
pub fn difference<T: Layout>(directory: &str, file: &str) -> Result<(), String> {
    let rust = DynamicType::of::<T>().map_err(|error| error.to_string())?;
    let name = rust.name();
    let parsed = dunlin_idlc::parse_file(&Path::new(directory).join(file), &Options::default());
    let Some(model) = &parsed.model else {
        return Err(format!("{file} has mistakes:\n\n{}", parsed.rendered()));
    };
    let Some(there) = model.find(name) else {
        return Err(format!("there is no {name} in {file}"));
    };
    let (file_text, rust_text) = (printed(&there), printed(&rust));
    match file_text == rust_text {
        true => Ok(()),
        false => Err(format!(
            "{name} of {file} (-) and of Rust (+) differ:\n\n{}",
            compared(&file_text, &rust_text)
        )),
    }
}

/// A type with all that it needs.
fn printed(ty: &DynamicType) -> String {
    let wanted = |other: &DynamicType| other.index() == ty.index();
    idl::print_with(ty.tree(), &wanted, &|_, _| None)
}

/// The lines of two texts: those of one with `-`, those of the other with `+`.
fn compared(one: &str, other: &str) -> String {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    // How many lines the rests have in common.
    let mut common = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            common[i][j] = match one[i] == other[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut text = String::new();
    let mut line = |mark: char, line: &str| text.extend([&format!("{mark} {line}"), "\n"]);
    while i < one.len() || j < other.len() {
        if i < one.len() && j < other.len() && one[i] == other[j] {
            line(' ', one[i]);
            (i, j) = (i + 1, j + 1);
        } else if j == other.len() || i < one.len() && common[i + 1][j] >= common[i][j + 1] {
            line('-', one[i]);
            i += 1;
        } else {
            line('+', other[j]);
            j += 1;
        }
    }
    text
}
