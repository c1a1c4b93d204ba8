// Made by dunlin idl 0.1.0 from templates.idl. Do not edit: change the IDL.
// IDL and options: e514b364fdc565e311f7af87baeb8a58

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const N: i32 = 4;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub type Matrix = Vec<Vec<i32>>;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "mutable", default)]
pub struct Templates {
    pub a: String,
    #[topic(bound = 16)]
    pub b: String,
    pub c: ::dunlin::cdr::String16,
    #[topic(bound = 8)]
    pub d: ::dunlin::cdr::String16,
    #[topic(element(bound = 8))]
    pub e: Vec<String>,
    pub f: Vec<Vec<::dunlin::cdr::Bytes>>,
    #[topic(element(element(bound = 3)))]
    pub g: ::std::collections::BTreeMap<String, Vec<::std::collections::BTreeMap<i32, f64>>>,
    #[topic(bound = 2, element(external, try_construct = "trim", bound = 4))]
    pub h: Vec<Box<String>>,
    pub i: [i32; 3],
    pub j: [[i32; 2]; 4],
    pub k: i32,
    #[topic(element(alias = "Matrix", bound = 4, element(bound = 4)))]
    pub l: [Matrix; 2],
}
