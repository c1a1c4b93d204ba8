// Made by dunlin idl 0.1.0 from basic_types.idl. Do not edit: change the IDL.
// IDL and options: 2cf98acecedfc396640a78f177a14251

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct All {
    pub a: i16,
    pub b: i32,
    pub c: i64,
    pub d: u16,
    pub e: u32,
    pub f: u64,
    pub g: i8,
    pub h: i16,
    pub i: i32,
    pub j: i64,
    pub k: u8,
    pub l: u16,
    pub m: u32,
    pub n: u64,
    pub o: f32,
    pub p: f64,
    pub q: ::dunlin::cdr::Float128,
    pub r: ::dunlin::cdr::Char8,
    pub s: ::dunlin::cdr::Char16,
    pub t: bool,
    #[topic(octet)]
    pub u: u8,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Empty {
}
