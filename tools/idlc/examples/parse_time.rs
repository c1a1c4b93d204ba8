//! How long 10,000 lines take to be parsed and checked, and how that compares with reading them.
//!
//! ```text
//! cargo run --release -p dunlin-idlc --example parse_time
//! ```

use std::fmt::Write;
use std::time::Instant;

use dunlin_idlc::{Options, parse_str};

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

fn main() {
    let text = text(10_000);
    let options = Options::default();
    let (mut parse, mut read) = (f64::MAX, f64::MAX);
    for _ in 0..9 {
        let start = Instant::now();
        let parsed = parse_str("time.idl", &text, &options);
        parse = parse.min(start.elapsed().as_secs_f64());
        assert!(parsed.model.is_some(), "{}", parsed.rendered());
        let start = Instant::now();
        let sum: usize = text
            .bytes()
            .filter(|byte| byte.is_ascii_alphanumeric())
            .count();
        read = read.min(start.elapsed().as_secs_f64());
        assert!(sum > 0);
    }
    println!(
        "{} lines, {} KiB: {:.1} ms, {:.0} times as long as looking at each byte (the bar is 60 ms)",
        text.lines().count(),
        text.len() >> 10,
        1e3 * parse,
        parse / read
    );
}
