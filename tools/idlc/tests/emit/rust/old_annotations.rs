// Made by dunlin idl 0.1.0 from old_annotations.idl. Do not edit: change the IDL.
// IDL and options: 5dd075bc428819cb5bacd57043dca8f9

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct Old {
    #[key]
    pub id: i32,
    pub a: Option<i32>,
    #[topic(id = 7)]
    pub b: i32,
    #[topic(external)]
    pub c: Box<i32>,
    #[topic(must_understand)]
    pub d: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", nested, default)]
pub struct Inner {
    #[key]
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(bitmask, extensibility = "appendable", bit_bound = 16, default)]
#[topic(flag(M3 = 3))]
#[topic(flag(M4))]
pub struct Mask(pub u16);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(extensibility = "appendable", bit_bound = 8, default)]
pub enum Small {
    S5 = 5,
    S6 = 6,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Unknown {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Mine {
    pub a: i32,
}
