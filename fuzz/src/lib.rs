//! What each fuzz target does with its bytes: plain functions, so that the corpora can be replayed
//! without a fuzzer.
mod assignability;
#[path = "../../crates/transport/src/tcp/tests/authority.rs"]
mod authority;
mod cdr;
mod conversation;
mod discovery;
mod document;
mod filter;
mod idl;
mod lookup;
mod profiles;
mod reader;
mod routing;
mod script;
mod sites;
mod stream;
mod tls;
mod type_object;
mod wire;
mod writer;
mod xtypes;

pub use assignability::assignability;
pub use cdr::{cdr, d_cdr2, pl_cdr, pl_cdr2, xcdr1, xcdr2};
pub use conversation::conversation;
pub use discovery::discovery;
pub use document::document;
pub use filter::filter;
pub use idl::{idl, idl_preprocessor};
pub use lookup::{lookup_reply, lookup_request};
pub use profiles::profiles;
pub use reader::reader;
pub use routing::{routing_configuration, routing_pattern};
pub use sites::{site_data, site_key};
pub use stream::stream;
pub use tls::tls;
pub use type_object::{type_object, type_support};
pub use wire::{datagram, discovery_data, parameter_list};
pub use writer::writer;
pub use xtypes::xtypes;

/// Panics if a promise about these bytes is broken.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the name of their corpus.
pub const TARGETS: &[(&str, Target)] = &[
    ("assignability", assignability),
    ("cdr", cdr),
    ("conversation", conversation),
    ("d_cdr2", d_cdr2),
    ("datagram", datagram),
    ("discovery", discovery),
    ("discovery_data", discovery_data),
    ("document", document),
    ("filter", filter),
    ("idl", idl),
    ("idl_preprocessor", idl_preprocessor),
    ("lookup_reply", lookup_reply),
    ("lookup_request", lookup_request),
    ("parameter_list", parameter_list),
    ("pl_cdr", pl_cdr),
    ("pl_cdr2", pl_cdr2),
    ("profiles", profiles),
    ("reader", reader),
    ("routing_configuration", routing_configuration),
    ("routing_pattern", routing_pattern),
    ("site_data", site_data),
    ("site_key", site_key),
    ("stream", stream),
    ("tls", tls),
    ("type_object", type_object),
    ("type_support", type_support),
    ("writer", writer),
    ("xcdr1", xcdr1),
    ("xcdr2", xcdr2),
    ("xtypes", xtypes),
];
