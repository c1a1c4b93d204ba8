//! What the user can choose.

use std::path::PathBuf;
use std::time::Duration;

use dunlin_cdr::Extensibility;

use crate::limits;
use crate::report::Levels;

/// How IDL is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where included files are looked for, behind the directory of the file that includes them.
    pub include_directories: Vec<PathBuf>,
    /// Roots of installed ROS 2 packages: their `share` directories are looked in, too.
    pub ros_directories: Vec<PathBuf>,
    /// Macros: names, parameters included, and what they stand for; 1 if nothing is given.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros that are not defined, whatever `defines` says.
    pub undefines: Vec<String>,
    /// How types grow that do not say it themselves.
    pub default_extensibility: Extensibility,
    /// Types that do not say it themselves are `@nested`.
    pub default_nested: bool,
    /// Names of types and their extensibility as ROS 2 has them on the wire.
    pub ros_names: bool,
    /// Comments like `//@key` are annotations.
    pub comment_annotations: bool,
    /// How long a file may take, with all that it includes.
    pub time_limit: Duration,
    /// What becomes of warnings.
    pub levels: Levels,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            include_directories: Vec::new(),
            ros_directories: Vec::new(),
            defines: Vec::new(),
            undefines: Vec::new(),
            default_extensibility: Extensibility::Appendable,
            default_nested: false,
            ros_names: false,
            comment_annotations: true,
            time_limit: limits::TIME,
            levels: Levels::default(),
        }
    }
}
