//! How large input may be. Each limit has a code of its own kind, `E08xx`.

use std::time::Duration;

/// Bytes of a file.
pub const FILE: usize = 16 << 20;

/// Bytes after preprocessing. What a macro gives counts for at least 32 bytes a token.
pub const PREPROCESSED: usize = 64 << 20;

/// Files that are included, each as often as it is.
pub const INCLUDES: usize = 4_096;

/// How deep files may include each other.
pub const INCLUDE_DEPTH: usize = 200;

/// Macros that are expanded.
pub const EXPANSIONS: usize = 1_000_000;

/// How deep macros may be expanded within each other.
pub const EXPANSION_DEPTH: usize = 200;

/// How deep anything may be nested: modules, types, templates, parentheses, conditions.
pub const NESTING: usize = 100;

/// Types, the anonymous ones included.
pub const TYPES: usize = dunlin_xtypes::limits::NODES;

/// Members, cases, literals, flags or fields of a type.
pub const MEMBERS: usize = dunlin_xtypes::limits::MEMBERS;

/// Bytes of a name.
pub const NAME: usize = dunlin_xtypes::limits::NAME;

/// Dimensions of an array.
pub const DIMENSIONS: usize = dunlin_xtypes::limits::DIMENSIONS;

/// Reports that are kept.
pub const REPORTS: usize = 100;

/// Time for one file with all that it includes.
pub const TIME: Duration = Duration::from_secs(5);
