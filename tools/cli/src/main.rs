//! The program `dunlin`.

fn main() -> std::process::ExitCode {
    dunlin_cli::main()
}
