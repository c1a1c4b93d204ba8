//! Programs in C: compiled with the header, linked with the shared library, and run.
mod common;
#[path = "common/program.rs"]
mod program;
use common::namespace::{LOOPBACK, in_namespace};
use dunlin_ffi::layout::LAYOUTS;
use program::{Folder, root, succeeds};
use std::fmt::Write;

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
    succeeds(folder.program("layout", &source, &[], &[]));
}

/// Each example in C prints what it is to print.
#[test]
fn the_examples_print_what_is_expected_of_them() {
    in_namespace(
        "the_examples_print_what_is_expected_of_them",
        LOOPBACK,
        || {
            let Some(folder) = Folder::new() else { return };
            let examples = std::fs::read_dir(root().join("examples")).unwrap();
            let examples = examples.map(|entry| entry.unwrap().path());
            let mut count = 0;
            for example in examples.filter(|example| example.join("c").exists()) {
                let expected = std::fs::read_to_string(example.join("expected")).unwrap();
                assert_eq!(folder.example(&example), expected, "{}", example.display());
                count += 1;
            }
            assert!(count > 0);
        },
    );
}

const BEGIN: &str = r#"
#define _GNU_SOURCE
#include "Position.h"
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
    CHECK(Position_topic(participant, "Positions", NULL, &topic) == DUNLIN_OK);
    CHECK(Position_writer(participant, topic, NULL, NULL, &writer) == DUNLIN_OK);
    CHECK(Position_reader(participant, topic, NULL, &listener, &reader) == DUNLIN_OK);
    CHECK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND) == DUNLIN_OK);
}

static int32_t write_one(void) {
    const Position position = { 7, 1, 0.5 };
    return Position_write(writer, &position, NULL);
}
"#;

/// A program that has the type of the example.
fn program(folder: &Folder, name: &str, source: &str) -> std::process::Command {
    let made = folder.idl(&root().join("examples/hello/Position.idl"));
    folder.program(name, &format!("{BEGIN}{source}"), &[&made], &[])
}

/// In a child nothing of the parent is there, and new entities are.
#[test]
fn a_forked_child_begins_anew_and_its_parent_goes_on() {
    in_namespace(
        "a_forked_child_begins_anew_and_its_parent_goes_on",
        LOOPBACK,
        || {
            let Some(folder) = Folder::new() else { return };
            let source = r#"
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
"#;
            succeeds(program(&folder, "fork", source));
        },
    );
}

/// By return, by `exit`, and after `dunlin_shutdown`, while samples stream.
#[test]
fn a_program_may_end_while_samples_stream() {
    in_namespace("a_program_may_end_while_samples_stream", LOOPBACK, || {
        let Some(folder) = Folder::new() else { return };
        let source = r#"
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
"#;
        let _ = program(&folder, "ending", source);
        for way in ["return", "exit", "shutdown"] {
            for _ in 0..5 {
                let mut command = folder.command(&folder.path("ending"));
                command.arg(way);
                succeeds(command);
            }
        }
    });
}
