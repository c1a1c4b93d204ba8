//! The program `dunlin` with the adapter for zenoh.

fn main() -> std::process::ExitCode {
    // Nobody has done so before.
    let _ = dunlin_routing_zenoh::register();
    dunlin_cli::main()
}
