//! The files of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use dunlin_idlc::{Options, Parsed};

/// The IDL files of a folder of the tests.
pub(crate) fn corpus(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "idl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no files", folder.display());
    files
}

/// Options stand in the first line: `// options: --strict`.
pub(crate) fn options(text: &str) -> Options {
    let mut options = Options {
        time_limit: std::time::Duration::from_secs(3_600),
        ..Options::default()
    };
    let line = text.lines().next().unwrap_or_default();
    for word in line
        .strip_prefix("// options:")
        .unwrap_or_default()
        .split_whitespace()
    {
        match word {
            "--strict" => options.levels.strict = true,
            "-Werror" => options.levels.warnings_are_errors = true,
            "--ros" => {
                options.ros_names = true;
                options.default_extensibility = dunlin_cdr::Extensibility::Final;
            }
            "--default-nested" => options.default_nested = true,
            "--no-comment-annotations" => options.comment_annotations = false,
            define if define.starts_with("-D") => {
                options.defines.push((define[2..].to_string(), None));
            }
            other => panic!("{other} is no option"),
        }
    }
    options
}

/// A file of the corpus, without the folder of this machine in its name.
pub(crate) fn parse(path: &Path) -> Parsed {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let options = options(&text);
    let name = path.file_name().unwrap().to_str().unwrap();
    dunlin_idlc::parse(
        Path::new(name),
        Some(bytes),
        &options,
        &Beside(path.parent().unwrap().into()),
    )
}

/// Included files lie in the folder of the corpus.
pub(crate) struct Beside(pub(crate) PathBuf);

impl dunlin_idlc::source::Loader for Beside {
    fn load(&self, path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
        dunlin_idlc::source::Disk.load(&self.0.join(path), limit)
    }
}
