// Made by dunlin idl 0.1.0 from vector_ou.idl. Do not edit: change the IDL.
// IDL and options: 338f97aff1965efb65e04af0b60ecd99

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct ou {
    #[key]
    pub id: i32,
    pub ts: u64,
    pub s: u32,
}
