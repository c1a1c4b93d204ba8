//! Programs in C: made of IDL, compiled with the headers, linked with the shared library, and run.
use dunlin_idlc::emit::{self, Choices};
use dunlin_idlc::{Options, parse_file};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const STRICT: [&str; 6] = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-g"];
pub(crate) const SANITIZERS: [&str; 2] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder for programs, with the shared library under its name.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// None where there is no compiler.
    pub(crate) fn new() -> Option<Self> {
        if Command::new("gcc").arg("--version").output().is_err() {
            println!("SKIPPED: no gcc");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let test = std::env::current_exe().unwrap();
        let library = test.with_file_name("libdunlin_ffi.so");
        std::os::unix::fs::symlink(library, folder.path().join("libdunlin.so.0")).unwrap();
        Some(Self(folder))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Makes C of an IDL file; returns the source.
    pub(crate) fn idl(&self, file: &Path) -> PathBuf {
        self.idl_as(file, &Choices::default())
    }

    /// The same with what a user chooses.
    pub(crate) fn idl_as(&self, file: &Path, choices: &Choices) -> PathBuf {
        let options = Options::default();
        let parsed = parse_file(file, &options);
        assert!(parsed.model.is_some(), "{}", parsed.rendered());
        let language = emit::language("c").unwrap();
        let emitted = emit::emit(&parsed, &options, language, choices);
        for file in &emitted.files {
            std::fs::write(self.path(&file.name), &file.text).unwrap();
        }
        let stem = file.file_stem().unwrap().to_str().unwrap();
        self.path(&format!("{stem}.c"))
    }

    /// Compiles a program of these files.
    pub(crate) fn compile(&self, name: &str, sources: &[&Path], flags: &[&str]) -> PathBuf {
        let program = self.path(name);
        let output = Command::new("gcc")
            .args(STRICT)
            .args(flags)
            .arg("-I")
            .arg(root().join("crates/ffi/include"))
            .arg("-I")
            .arg(root().join("bindings/c/include"))
            .arg("-I")
            .arg(self.0.path())
            .args(sources)
            .arg("-o")
            .arg(&program)
            .arg(self.path("libdunlin.so.0"))
            .arg("-pthread")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        program
    }

    /// Compiles a program that is written here, and whatever else belongs to it.
    pub(crate) fn program(
        &self,
        name: &str,
        source: &str,
        others: &[&Path],
        flags: &[&str],
    ) -> Command {
        let path = self.path(&format!("{name}_main.c"));
        std::fs::write(&path, source).unwrap();
        let sources = [&[&*path], others].concat();
        self.command(&self.compile(name, &sources, flags))
    }

    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", self.0.path());
        command
    }

    /// The programs of an example in C, `make languages` has the same: what its subscriber prints.
    pub(crate) fn example(&self, example: &Path) -> String {
        let files = std::fs::read_dir(example).unwrap();
        let mut files = files.map(|entry| entry.unwrap().path());
        let idl = files.find(|file| file.extension().is_some_and(|ending| ending == "idl"));
        let made = self.idl(&idl.expect("an example has a type"));
        let side = |side: &str| {
            let source = example.join("c").join(side).with_extension("c");
            self.compile(side, &[&source, &made], &SANITIZERS)
        };
        let (publisher, subscriber) = (side("publisher"), side("subscriber"));
        let printing = self
            .command(&subscriber)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        succeeds(self.command(&publisher));
        let output = printing.wait_with_output().unwrap();
        assert!(output.status.success(), "{:?}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }
}

pub(crate) fn succeeds(mut command: Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{:?}: {said}\n{printed}",
        output.status
    );
    printed
}
