// Made by dunlin idl 0.1.0 from skipped.idl. Do not edit: change the IDL.
// IDL and options: 8246186724af2d5229a7b9db9ec1bfd3

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Plain {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default, base = "Plain")]
pub struct Derived {
    pub a: i32,
    #[key]
    pub b: i32,
    #[topic(id = 8)]
    pub c: i32,
    pub d: i32,
}
