//! A Routing Service from domain 0 to domain 1, until its standard input closes. Its argument is
//! what its route says beside that, in TOML; without it all topics pass as they are.
use dunlin_routing::Service;
use dunlin_routing::config::{Input, load};
use std::io::Read;

/// The types of the peers.
const IDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/interop.idl");

fn configuration(route: &str) -> String {
    format!(
        "name = \"between\"\nidl_files = [{IDL:?}]\n\
         [participants.near]\ndomain = 0\n[participants.far]\ndomain = 1\n\
         [[routes]]\nfrom = \"near\"\nto = \"far\"\ntopics = [\"*\"]\nannounce = \"always\"\n{route}\n"
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let route = std::env::args().nth(1).unwrap_or_default();
    let read = load(
        &[Input::Text {
            name: "between.toml".into(),
            text: configuration(&route),
        }],
        &Default::default(),
    );
    let report = read.report();
    let service = Service::start(read.plan.ok_or(report)?)?;
    println!("up");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    for node in service.state().walk() {
        println!(
            "{} {} {:?} {:?}",
            node.path, node.state, node.note, node.counters
        );
    }
    service.stop();
    Ok(())
}
