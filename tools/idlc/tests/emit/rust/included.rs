// Made by dunlin idl 0.1.0 from included.idl. Do not edit: change the IDL.
// IDL and options: 989ed884347eea18f6ef36bf26207655

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Included {
    pub a: i32,
}
