//! Programs in C: compiled with the header, linked with the shared library, and run.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use dunlin::cdr::Extensibility;
use dunlin::xtypes::{EquivalenceKind, TypeIndex, TypeTreeBuilder};
use dunlin_ffi::layout::LAYOUTS;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder for programs, with the shared library under its name.
struct Folder(TempDir);

impl Folder {
    /// None where there is no compiler.
    fn new() -> Option<Self> {
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

    fn compile(&self, source: &Path) -> PathBuf {
        let program = self.0.path().join(source.file_stem().unwrap());
        let output = Command::new("gcc")
            .args([
                "-std=c11",
                "-pedantic",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-g",
                "-I",
            ])
            .arg(root().join("crates/ffi/include"))
            .arg(source)
            .arg("-o")
            .arg(&program)
            .arg(self.0.path().join("libdunlin.so.0"))
            .arg("-pthread")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", source.display());
        program
    }

    /// Compiles a program that is written here.
    fn program(&self, name: &str, source: &str) -> Command {
        let path = self.0.path().join(name).with_extension("c");
        std::fs::write(&path, source).unwrap();
        self.command(&self.compile(&path))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", self.0.path());
        command
    }
}

fn succeeds(mut command: Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// `sizeof` and `offsetof` of a compiler of C are what the library says.
#[test]
fn structures_have_the_same_layout_in_c() {
    let Some(folder) = Folder::new() else { return };
    let mut source = String::from(
        "#include <dunlin/dunlin.h>\n#include <stdio.h>\n\
         static int check(const char *name, size_t size, const size_t *offsets, uint64_t count) {\n\
         uint64_t is_size, is[64], is_count, i;\n\
         if (dunlin_abi_layout(dunlin_text_of(name), &is_size, is, 64, &is_count)) return 1;\n\
         if (is_size != size || is_count != count) return printf(\"%s\\n\", name);\n\
         for (i = 0; i < count; i++)\n\
         if (is[i] != offsets[i]) return printf(\"%s: member %u\\n\", name, (unsigned)i);\n\
         return 0;\n}\nint main(void) {\nint wrong = 0;\n",
    );
    for layout in LAYOUTS {
        let name = layout.name;
        let members = layout.members.iter();
        let offsets: Vec<_> = members
            .map(|(member, _)| format!("offsetof({name}, {member})"))
            .collect();
        writeln!(
            source,
            "{{ const size_t offsets[] = {{ {} }}; wrong |= check(\"{name}\", sizeof({name}), offsets, {}); }}",
            offsets.join(", "),
            offsets.len()
        )
        .unwrap();
    }
    source.push_str("return wrong != 0;\n}\n");
    succeeds(folder.program("layout", &source));
}

/// What stands in the example's header.
fn position_bytes() -> String {
    let mut types = TypeTreeBuilder::new();
    let position = types
        .structure("Position", Extensibility::Final)
        .member("bird", TypeIndex::UINT32)
        .key()
        .member("x", TypeIndex::FLOAT32)
        .finish();
    let position = types.build(position).unwrap();
    let objects = position.type_objects(EquivalenceKind::Complete).unwrap();
    let bytes = objects.to_sequence();
    let lines = bytes.chunks(12).map(|line| {
        let line: Vec<_> = line.iter().map(|byte| format!("0x{byte:02x},")).collect();
        format!("    {}", line.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_hello_example_prints_what_was_written() {
    in_namespace(
        "the_hello_example_prints_what_was_written",
        LOOPBACK,
        || {
            let Some(folder) = Folder::new() else { return };
            let example = root().join("examples/hello/c");
            let header = example.join("position.h");
            let text = std::fs::read_to_string(&header).unwrap();
            if std::env::var_os("DUNLIN_BLESS").is_some_and(|value| value == "1") {
                std::fs::write(&header, text.replace("@BYTES@", &position_bytes())).unwrap();
            }
            let text = std::fs::read_to_string(&header).unwrap();
            assert!(
                text.contains(&position_bytes()),
                "its type is:\n{}",
                position_bytes()
            );
            let publisher = folder.compile(&example.join("publisher.c"));
            let subscriber = folder.compile(&example.join("subscriber.c"));
            let printing = folder
                .command(&subscriber)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            succeeds(folder.command(&publisher));
            let output = printing.wait_with_output().unwrap();
            assert!(output.status.success());
            let expected: String = (0..10).map(|x| format!("7 {x}\n")).collect();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        },
    );
}

const BEGIN: &str = r#"
#include "position.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) do { if (!(condition)) { \
    fprintf(stderr, "line %d: %s\n", __LINE__, #condition); _exit(1); } } while (0)

static dunlin_participant participant;
static dunlin_topic topic;
static dunlin_writer writer;
static dunlin_reader reader;
static uint64_t heard;

static void on_data(void *context, dunlin_reader of) {
    dunlin_sample samples[8];
    uint64_t count;
    (void)context;
    while (dunlin_take(of, NULL, samples, 8, &count) == DUNLIN_OK) {
        __atomic_add_fetch(&heard, count, __ATOMIC_SEQ_CST);
        dunlin_give_back(of, samples, count);
    }
}

static void open_all(void) {
    dunlin_listener listener = { sizeof listener, DUNLIN_DATA_AVAILABLE, NULL, on_data, NULL, NULL, NULL };
    CHECK(dunlin_participant_new(0, NULL, NULL, NULL, &participant) == DUNLIN_OK);
    CHECK(Position_topic(participant, &topic) == DUNLIN_OK);
    CHECK(dunlin_writer_new(participant, topic, NULL, NULL, &writer) == DUNLIN_OK);
    CHECK(dunlin_reader_new(participant, topic, NULL, &listener, &reader) == DUNLIN_OK);
    CHECK(dunlin_writer_wait_for_matched(writer, 1, 20LL * DUNLIN_SECOND) == DUNLIN_OK);
}

static int32_t write_one(void) {
    const Position position = { 7, 1 };
    uint8_t payload[POSITION_PAYLOAD];
    Position_encode(&position, payload);
    return dunlin_write(writer, payload, sizeof payload, NULL);
}
"#;

fn with_example(source: &str) -> String {
    let folder = root().join("examples/hello/c/position.h");
    let header = folder.canonicalize().unwrap();
    let begin = BEGIN.replace("\"position.h\"", &format!("{header:?}"));
    format!("#define _GNU_SOURCE\n{begin}{source}")
}

/// In a child nothing of the parent is there, and new entities are.
#[test]
fn a_forked_child_begins_anew_and_its_parent_goes_on() {
    in_namespace(
        "a_forked_child_begins_anew_and_its_parent_goes_on",
        LOOPBACK,
        || {
            let Some(folder) = Folder::new() else { return };
            let source = with_example(
                r#"
int main(void) {
    pid_t child;
    int status;
    uint64_t count;
    dunlin_text why;
    open_all();
    CHECK(write_one() == DUNLIN_OK);
    child = fork();
    if (child == 0) {
        CHECK(write_one() == DUNLIN_ALREADY_DELETED);
        dunlin_last_error(&why);
        CHECK(strstr(why.data, "before the fork") != NULL);
        CHECK(dunlin_close(participant) == DUNLIN_ALREADY_DELETED);
        CHECK(dunlin_leaks(&count, NULL) == DUNLIN_OK && count == 0);
        open_all();
        CHECK(write_one() == DUNLIN_OK);
        CHECK(dunlin_close(participant) == DUNLIN_OK);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(write_one() == DUNLIN_OK);
    CHECK(dunlin_close(participant) == DUNLIN_OK);
    CHECK(dunlin_leaks(&count, NULL) == DUNLIN_OK && count == 0);
    return 0;
}
"#,
            );
            succeeds(folder.program("fork", &source));
        },
    );
}

/// By return, by `exit`, and after `dunlin_shutdown`, while samples stream.
#[test]
fn a_program_may_end_while_samples_stream() {
    in_namespace("a_program_may_end_while_samples_stream", LOOPBACK, || {
        let Some(folder) = Folder::new() else { return };
        let source = with_example(
            r#"
#include <pthread.h>

static void *stream(void *none) {
    (void)none;
    while (write_one() == DUNLIN_OK) {}
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    open_all();
    CHECK(pthread_create(&thread, NULL, stream, NULL) == 0);
    while (__atomic_load_n(&heard, __ATOMIC_SEQ_CST) < 100) usleep(100);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) exit(0);
    if (argc > 1 && strcmp(argv[1], "shutdown") == 0) {
        uint64_t count;
        CHECK(dunlin_shutdown() == DUNLIN_OK);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(dunlin_leaks(&count, NULL) == DUNLIN_OK && count == 0);
    }
    return 0;
}
"#,
        );
        let _ = folder.program("ending", &source);
        for way in ["return", "exit", "shutdown"] {
            for _ in 0..5 {
                let mut command = folder.command(&folder.0.path().join("ending"));
                command.arg(way);
                succeeds(command);
            }
        }
    });
}
