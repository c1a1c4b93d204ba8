// Made by dunlin idl 0.1.0 from latin1.idl. Do not edit: change the IDL.
// IDL and options: a24758b9c12ada89b808b562ccad8860

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const NAME: &str = "café";

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Latin {
    pub a: i32,
}
