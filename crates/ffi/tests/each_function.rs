//! Each function that the header declares, called in C with each wrong handle and each null pointer.
//! The calls are made of the declarations, so a new function is called, too.
mod common;
#[path = "common/declared.rs"]
mod declared;
#[path = "common/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;
use common::namespace::{LOOPBACK, in_namespace};
use declared::{Function, Parameter, functions};
use dunlin_ffi::layout::LAYOUTS;
use program::{Folder, SANITIZERS, root, succeeds};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// Pointers that may be null, or are null with a count of 0; and handles that may be those of other
/// kinds, or 0. Whatever is returned then, nothing is broken.
const OPTIONAL: &[(&str, &str)] = &[
    ("dunlin_block_free", "block"),
    ("dunlin_last_error", "text"),
    ("dunlin_leaks", "text"),
    ("dunlin_set_log", "call"),
    ("dunlin_set_thread_hooks", "start"),
    ("dunlin_set_thread_hooks", "stop"),
    ("dunlin_octets_new", "writer"),
    ("dunlin_octets_wrap", "release"),
    ("dunlin_participant_new", "config"),
    ("dunlin_reader_new", "parent"),
    ("dunlin_reader_new", "topic"),
    ("dunlin_status_condition_mask", "before"),
    ("dunlin_status_condition_mask", "statuses"),
    ("dunlin_type_check", "topic"),
    ("dunlin_type_key", "key"),
    ("dunlin_waitset_wait", "count"),
    ("dunlin_writer_new", "parent"),
];

/// Parameters that may be null wherever they are.
const OPTIONAL_EVERYWHERE: &[&str] = &["listener", "select", "options"];

/// A QoS may be null where something is created.
fn is_optional(function: &Function, parameter: &Parameter) -> bool {
    OPTIONAL_EVERYWHERE.contains(&&*parameter.name)
        || parameter.name == "qos" && function.name.ends_with("_new")
        || parameter.name == "block" && function.name.contains("qos_get")
        || OPTIONAL.contains(&(&*function.name, &*parameter.name))
}

/// The handle types, with the number of their kind. A `dunlin_handle` may be of any.
const HANDLES: &[(&str, &str)] = &[
    ("dunlin_participant", "1"),
    ("dunlin_topic", "2"),
    ("dunlin_filtered_topic", "3"),
    ("dunlin_publisher", "4"),
    ("dunlin_subscriber", "5"),
    ("dunlin_writer", "6"),
    ("dunlin_reader", "7"),
    ("dunlin_condition", "8"),
    ("dunlin_waitset", "12"),
    ("dunlin_type", "13"),
    ("dunlin_octets", "14"),
    ("dunlin_handle", "0"),
];

fn kind(function: &Function, parameter: &Parameter) -> Option<&'static str> {
    let (_, kind) = HANDLES.iter().find(|(name, _)| *name == parameter.ty)?;
    // Queries, guards and statuses have functions of their own.
    Some(match (&*function.name, *kind) {
        (name, "8") if name.contains("guard") => "11",
        (name, "8") if name.contains("query") => "9",
        (name, "8") if name.contains("status") => "10",
        (_, kind) => kind,
    })
}

/// What a parameter is when it is not the wrong one.
fn right(function: &Function, parameter: &Parameter) -> String {
    let (ty, name) = (&*parameter.ty, &*parameter.name);
    if let Some(kind) = kind(function, parameter) {
        let kind = if kind == "0" { "7" } else { kind };
        return format!("living[{kind}]");
    }
    match ty.trim_start_matches("struct ") {
        "dunlin_text" => "dunlin_text_of(\"text\")".into(),
        "dunlin_release" | "dunlin_function" => "nothing".into(),
        "dunlin_log" => "no_line".into(),
        "uint32_t" if name == "kind" => "DUNLIN_SAMPLE_LOST".into(),
        "void *" => "NULL".into(),
        pointer if pointer.ends_with('*') => format!("s.{}", place(pointer)),
        // Counts and lengths: one of each; times and the like: 0.
        _ if ["count", "room", "length"]
            .iter()
            .any(|word| name.ends_with(word)) =>
        {
            "1".into()
        }
        _ => "0".into(),
    }
}

/// What a pointer points to. Pointers to constants share their room with the others.
fn pointed(pointer: &str) -> &str {
    let is = pointer.strip_suffix('*').unwrap().trim();
    match is.strip_prefix("const ") {
        Some(rest) if !rest.ends_with('*') => rest,
        _ => is,
    }
}

/// The name of the room for what a pointer points to.
fn place(pointer: &str) -> String {
    let is = pointed(pointer).trim_start_matches("struct ");
    let words = format!("{} p", is.replace('*', "p"));
    words.split_whitespace().collect::<Vec<_>>().join("_")
}

fn call(function: &Function, wrong: usize, value: &str) -> String {
    let arguments: Vec<String> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(at, parameter)| match at == wrong {
            true => value.into(),
            false => right(function, parameter),
        })
        .collect();
    format!("{}({})", function.name, arguments.join(", "))
}

/// Room for everything that is pointed to, as a caller prepares it.
fn scratch(functions: &[Function]) -> String {
    let types = functions.iter().flat_map(|function| &function.parameters);
    let types = types.map(|parameter| &*parameter.ty);
    let pointers: BTreeMap<String, &str> = types
        .filter(|ty| ty.ends_with('*') && *ty != "void *")
        .map(|ty| (place(ty), pointed(ty)))
        .collect();
    let mut text = String::from("static struct {\n");
    for (place, is) in &pointers {
        let count = match *is {
            "uint8_t" => 256,
            // Whoever passes a QoS of any kind passes a whole one.
            "struct dunlin_qos" => 32,
            _ => 4,
        };
        writeln!(text, "    {is} {place}[{count}];").unwrap();
    }
    text.push_str("} s;\n\nstatic void fresh(void) {\n    memset(&s, 0, sizeof s);\n");
    for place in pointers.keys() {
        let name = place.trim_end_matches("_p");
        let layout = LAYOUTS.iter().find(|layout| layout.name == name);
        let has = |member: &str| {
            layout.is_some_and(|layout| layout.members.first().is_some_and(|one| one.0 == member))
        };
        if has("size") {
            writeln!(text, "    *(uint32_t *)&s.{place} = sizeof({name});").unwrap();
        }
    }
    text.push_str("    s.dunlin_qos_p[0].size = sizeof(dunlin_reader_qos);\n");
    text.push_str("    s.dunlin_qos_p[0].kind = DUNLIN_QOS_READER;\n}\n");
    text
}

/// Calls of a function, each with one argument that is wrong.
fn calls(function: &Function, text: &mut String) {
    let name = &function.name;
    for (at, parameter) in function.parameters.iter().enumerate() {
        let called = &parameter.name;
        let may = i32::from(is_optional(function, parameter));
        if let Some(kind) = kind(function, parameter) {
            let call = call(function, at, "wrong");
            writeln!(
                text,
                "    for (i = 0; (wrong = handle({kind}, i, &expected)) != END; i++) {{ fresh(); \
                 expect(\"{name}\", \"{called}\", {call}, expected, {may}); }}"
            )
            .unwrap();
        } else if parameter.ty != "void *"
            && (parameter.ty.ends_with('*') || right(function, parameter).starts_with("no"))
        {
            let call = call(function, at, "NULL");
            writeln!(
                text,
                "    fresh(); expect(\"{name}\", \"{called}\", {call}, DUNLIN_BAD_PARAMETER, {may});"
            )
            .unwrap();
        }
    }
}

fn has_valgrind() -> bool {
    let found = Command::new("valgrind").arg("--version").output().is_ok();
    if !found {
        println!("SKIPPED valgrind: not installed");
    }
    found
}

/// The library has no sanitizer in it, but valgrind sees all of the process.
fn under_valgrind(program: &Command) -> Command {
    let mut command = Command::new("valgrind");
    let leaks = ["--leak-check=full", "--errors-for-leak-kinds=definite"];
    command.args(["-q", "--error-exitcode=9"]).args(leaks);
    command.arg(program.get_program());
    for (name, value) in program.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
}

#[test]
fn each_function_refuses_each_wrong_handle_and_each_null_pointer() {
    let name = "each_function_refuses_each_wrong_handle_and_each_null_pointer";
    in_namespace(name, LOOPBACK, || {
        let Some(folder) = Folder::new() else { return };
        let functions: Vec<Function> = functions()
            .into_iter()
            .filter(|function| function.returns == "int32_t")
            .collect();
        assert!(functions.len() > 110);
        let mut source = String::from("#include \"Position.h\"\n#include \"dunlin/listener.h\"\n");
        source.push_str(&scratch(&functions));
        source.push_str(include_str!("c/each_function.h"));
        source.push_str("static void each(void) {\n    dunlin_handle wrong;\n    int32_t expected;\n    unsigned i;\n");
        functions
            .iter()
            .for_each(|function| calls(function, &mut source));
        source.push_str("}\n");
        let made = folder.idl(&root().join("examples/hello/Position.idl"));
        if std::env::var("DUNLIN_LONG").is_ok_and(|long| long == "1") && has_valgrind() {
            let program = folder.program("each_function", &source, &[&made], &[]);
            succeeds(under_valgrind(&program));
        }
        let command = folder.program("each_function", &source, &[&made], &SANITIZERS);
        let said = succeeds(command);
        println!("{said}");
        let calls: u32 = said.trim().parse().unwrap();
        assert!(calls > 5000, "{calls} calls");
    });
}
