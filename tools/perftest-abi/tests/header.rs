//! `dunlin/perftest.h` compiles everywhere and says what the library has.

use std::fmt::Write;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

use dunlin_perftest::driver::Header;
use dunlin_perftest_abi::*;

fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// Compiles a source; false where there is no such compiler.
fn compile(compiler: &str, flags: &[&str], source: &Path) -> bool {
    let mut command = Command::new(compiler);
    command.args(["-pedantic", "-Wall", "-Wextra", "-Werror"]);
    command.args(flags).arg("-I").arg(include()).arg(source);
    let Ok(output) = command.output() else {
        println!("SKIPPED {compiler}: not installed");
        return false;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{said}");
    true
}

#[test]
fn it_compiles_in_each_standard_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("include.c");
    let text = "#include <dunlin/perftest.h>\nint main(void) { return 0; }\n";
    std::fs::write(&source, text).unwrap();
    for (compiler, language, standards) in [
        ("gcc", "c", ["c99", "c11", "c2x"]),
        ("g++", "c++", ["c++98", "c++11", "c++20"]),
    ] {
        for standard in standards {
            let standard = format!("-std={standard}");
            compile(
                compiler,
                &["-fsyntax-only", "-x", language, &standard],
                &source,
            );
        }
    }
}

/// The size of a structure and where its members are.
macro_rules! layout {
    ($text:ident, $name:literal, $type:ty: $($member:ident),+) => {
        writeln!($text, "check(sizeof({}) == {});", $name, size_of::<$type>()).unwrap();
        $(writeln!(
            $text,
            "check(offsetof({}, {}) == {});",
            $name,
            stringify!($member),
            offset_of!($type, $member)
        ).unwrap();)+
    };
}

#[test]
fn structures_have_the_same_layout_in_c() {
    let mut text = String::from(
        "#include <dunlin/perftest.h>\n#include <stddef.h>\n\
         #define check(condition) do { typedef char ok[(condition) ? 1 : -1]; (void)sizeof(ok); } while (0)\n\
         int main(void) {\n",
    );
    layout!(text, "dunlin_perftest_header", Header:
        key, entity_id, seq_num, timestamp_sec, timestamp_usec, latency_ping);
    layout!(text, "dunlin_perftest_settings", dunlin_perftest_settings:
        size, flags, domain, subscriber, publishers, instances, payload, lease_duration,
        announce_period, heartbeat_period, linger, interfaces, interface_count, peers, peer_count,
        tls_authorities, tls_certificates, tls_key, tcp_public_address, tcp_public_port, tcp_port,
        inbox);
    layout!(text, "dunlin_perftest_endpoint", dunlin_perftest_endpoint:
        size, topic, reliable, transient_local, depth, max_samples, batch_bytes, multicast,
        max_blocking_time, filter, parameters, parameter_count);
    layout!(text, "dunlin_perftest_plan", dunlin_perftest_plan:
        size, flags, payload, samples, until, ping_timeout, per_batch, ping_every, entity_id,
        first_seq, instance, subscribers, ring, ring_size, taken);
    layout!(text, "dunlin_perftest_progress", dunlin_perftest_progress:
        sent, pings, answers, lost, late, waiting, blocked);
    layout!(text, "dunlin_perftest_traffic", dunlin_perftest_traffic:
        packets, bytes, others, echo_failures, lost, last_size, expected);
    layout!(text, "dunlin_perftest_losses", dunlin_perftest_losses: dropped, unsent);
    layout!(text, "dunlin_perftest_driver", dunlin_perftest_driver:
         size, version, flags, language, context, open, writer, reader, register_instances, matched, wait,
        wake, control, flush, measure, attach, traffic, explain, losses, allocations, close);
    writeln!(
        text,
        "check(DUNLIN_PERFTEST_VERSION == {DUNLIN_PERFTEST_VERSION});"
    )
    .unwrap();
    text.push_str("return 0;\n}\n");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("layout.c");
    std::fs::write(&source, text).unwrap();
    compile("gcc", &["-std=c99", "-fsyntax-only"], &source);
}
