// Made by dunlin idl 0.1.0 from vector_maps.idl. Do not edit: change the IDL.
// IDL and options: b4e859e3328378f3cc03a611d303d282

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Counted {
    #[key]
    pub id: i32,
    pub counts: ::std::collections::BTreeMap<String, i32>,
    pub numbers: ::std::collections::BTreeMap<i16, f64>,
}
