//! How long 10,000 lines of IDL take to be parsed, checked and made code of, and types to be compared: each row beside
//! the time that it may take.
//!
//! ```text
//! cargo run --release -p dunlin-idlc --example speed
//! ```

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use dunlin_idlc::{Options, dump, emit, parse_str};
use dunlin_xtypes::assign::{Encoding, Rules, assignable};

/// Modules as they are in real files: structs with all kinds of members, enums, unions, typedefs.
fn text(lines: usize) -> String {
    let mut text = String::new();
    let mut module = 0;
    while text.lines().count() < lines {
        // Counting lines is costly, so many modules are added at once.
        for _ in 0..20 {
            add(&mut text, module);
            module += 1;
        }
    }
    text
}

fn add(text: &mut String, module: usize) {
    let _ = write!(
        text,
        r#"module Plant{module} {{
    const long LENGTH = 4 * {module} + 1;
    typedef sequence<double, LENGTH> Row;

    /// What a valve does.
    @appendable enum State {{
        OPEN,
        @value(5) CLOSED,
        MOVING
    }};

    @bit_bound(16) bitmask Faults {{
        LEAK,
        @position(9) STUCK
    }};

    /// A valve, and what is known of it.
    @mutable struct Valve {{
        @key long id;
        @key string<64> site;
        State state; ///< at the time of measurement
        @optional Faults faults;
        @unit("bar") @range(min=0.0, max=400.0) double pressure;
        @default(20.5) float temperature;
        Row history;
        sequence<string> log;
        map<string<32>, long> counters;
        long grid[3][LENGTH];
    }};

    @final union Reading switch (State) {{
        case OPEN:
            double flow;
        case CLOSED:
        case MOVING:
            @external Valve valve;
        }};

    @final struct Report {{
        unsigned long long sequence_number;
        Plant{module}::Reading reading;
        sequence<Valve, 16> valves;
    }};
}};
"#
    );
}

/// A structure of so many numbers, each of which is one longer word of IDL.
fn flat(members: usize) -> String {
    let members: String = (0..members)
        .map(|at| format!("    long long member_{at};\n"))
        .collect();
    format!("@appendable struct Flat {{\n{members}}};\n")
}

/// The best of some times, in milliseconds.
fn best<T>(times: u32, mut once: impl FnMut() -> T) -> f64 {
    let took = (0..times).map(|_| {
        let start = Instant::now();
        black_box(once());
        start.elapsed().as_secs_f64()
    });
    1e3 * took.fold(f64::MAX, f64::min)
}

fn row(what: &str, took: f64, bar: f64, unit: &str) {
    let verdict = if took <= bar { "met" } else { "missed" };
    println!("{what:<58} {took:>8.1} {unit}, at most {bar:>4} {unit}: {verdict}");
}

/// The most memory that this process has had, in MiB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}

fn main() {
    let text = text(10_000);
    let options = Options::default();
    println!("{} lines, {} KiB", text.lines().count(), text.len() >> 10);
    let parse = best(9, || {
        let parsed = parse_str("time.idl", &text, &options);
        assert!(parsed.model.is_some(), "{}", parsed.rendered());
        parsed
    });
    row("parsed and checked", parse, 60.0, "ms");
    let hashes = best(5, || {
        let parsed = parse_str("time.idl", &text, &options);
        let model = parsed.model.expect("it is right");
        dump::hash(&model, &dump::Selection::default()).text.len()
    });
    row("with hashes of all types", hashes, 100.0, "ms");
    let parsed = parse_str("time.idl", &text, &options);
    for language in emit::LANGUAGES {
        let choices = emit::Choices::default();
        let took = best(5, || {
            let made = emit::emit(&parsed, &options, language, &choices);
            assert!(!made.files.is_empty());
            made
        });
        let made = emit::emit(&parsed, &options, language, &choices);
        let bytes: usize = made.files.iter().map(|file| file.text.len()).sum();
        let what = format!("{} KiB of {}", bytes >> 10, language.name);
        row(&what, took, 150.0, "ms");
    }
    row("memory of this process at its peak", peak(), 64.0, "MiB");

    let of_flat = |members| {
        let parsed = parse_str("flat.idl", &flat(members), &options);
        let model = parsed.model.expect("it is right");
        let entry = model.types.first().expect("there is one").clone();
        model.ty(&entry).expect("it is a type")
    };
    let ty = of_flat(20);
    let took = best(99, || {
        ty.type_information().expect("it has all TypeObjects")
    });
    row("TypeInformation of 20 members", 1e3 * took, 100.0, "us");
    let (writer, reader) = (of_flat(100), of_flat(101));
    let rules = Rules {
        allow_coercion: true,
        ignore_sequence_bounds: true,
        ignore_string_bounds: true,
        ignore_member_names: false,
        prevent_type_widening: false,
    };
    let took = best(99, || {
        assignable(&reader, &writer, &rules, Encoding::Xcdr2).expect("it is")
    });
    row("whether 101 members take 100", 1e3 * took, 50.0, "us");
}
