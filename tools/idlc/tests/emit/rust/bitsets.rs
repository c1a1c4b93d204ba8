// Made by dunlin idl 0.1.0 from bitsets.idl. Do not edit: change the IDL.
// IDL and options: 534d64298abb4cdad34b7ada2353073f

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(bitset, default)]
#[topic(field(a: u8, size = 3, octet))]
#[topic(field(b: bool, size = 1))]
pub struct Base(pub u8);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub type Alias = Base;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(bitset, default)]
#[topic(field(a: u8, size = 3, octet))]
#[topic(field(b: bool, size = 1))]
#[topic(field(c: i16, size = 10, position = 8))]
#[topic(field(d: u16, size = 12))]
#[topic(field(e: u16, size = 12))]
#[topic(field(f: i64, size = 20))]
pub struct Derived(pub u64);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Uses {
    pub d: Derived,
}
