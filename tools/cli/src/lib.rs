//! The one command `dunlin`; each tool is a subcommand.
//!
//! A library, so that a program with adapters of its own for the Routing Service is the same
//! command.
mod idl;
mod qos;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Dunlin: DDS with the lowest latency that the machine allows.
#[derive(Parser)]
#[command(name = "dunlin", version = dunlin_perftest::VERSION, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Subcommand)]
enum Tool {
    /// Measures latency and throughput with the command lines and tables of RTI Perftest; without
    /// arguments runs both sides over loopback. `dunlin perftest -help` lists its options.
    #[command(disable_help_flag = true)]
    Perftest {
        /// Options of perftest.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Lists participants, topics and endpoints with their QoS: of Dunlin and of every other
    /// product in the domain.
    #[command(allow_negative_numbers = true)]
    Ls(dunlin_observe::ls::Options),
    /// Says in words why nothing arrives on a topic, or from one endpoint to another, and what
    /// helps. Exit status 0: everything matches and flows; 1: something was found; 2: wrong usage.
    #[command(allow_negative_numbers = true)]
    Why(dunlin_observe::why::Options),
    /// Checks IDL files and shows what they say. `dunlin idl explain CODE` explains a report.
    Idl(idl::Options),
    /// Joins data domains and passes samples between them: Routing Service. `dunlin route` lists
    /// its commands and options.
    #[command(disable_help_flag = true)]
    Route {
        /// Command, files and options.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Shows QoS profiles in XML with all that they inherit, finds mistakes in them, compares them.
    Qos(qos::Options),
    /// Moving shapes on the terminal, published and subscribed to: works with the shapes demos of
    /// other products. With -P or -S it is `shape_main`, the program of the OMG's interoperability
    /// suite.
    #[command(disable_help_flag = true)]
    Shapes {
        /// Options; `dunlin shapes --help` lists those of the view, `dunlin shapes -P --help` those
        /// of the suite.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if is_called(&arguments, "rtiroutingservice") {
        return dunlin_routing::command::rtiroutingservice(arguments.into_iter().skip(1).collect());
    }
    let arguments = idl::translate(arguments);
    match Cli::parse_from(arguments).tool {
        Tool::Perftest { arguments } => dunlin_perftest::main(arguments),
        Tool::Ls(options) => dunlin_observe::ls::main(&options),
        Tool::Idl(options) => idl::main(&options),
        Tool::Qos(options) => qos::main(&options),
        Tool::Why(options) => dunlin_observe::why::main(&options),
        Tool::Route { arguments } => dunlin_routing::command::main(arguments),
        Tool::Shapes { arguments } => dunlin_shapes::main(arguments),
    }
}

/// Whether the program was started under this name: by a link.
fn is_called(arguments: &[String], name: &str) -> bool {
    let program = arguments.first().map(std::path::Path::new);
    let stem = program.and_then(std::path::Path::file_stem);
    stem.is_some_and(|stem| stem == name)
}
