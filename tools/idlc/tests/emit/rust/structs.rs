// Made by dunlin idl 0.1.0 from structs.idl. Do not edit: change the IDL.
// IDL and options: c23e37284ef9a2701f9779f5a1352660

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Base {
    #[key]
    pub id: i32,
    #[topic(id = 9)]
    pub other: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub type Alias = Base;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default, base = "Base")]
pub struct Derived {
    #[key]
    pub id: i32,
    #[topic(id = 9)]
    pub other: i32,
    pub first: i32,
    #[topic(hashid)]
    pub second: i32,
    #[topic(hashid = "shapesize")]
    pub third: i32,
    #[topic(id = 64, must_understand)]
    pub fourth: i32,
    pub fifth: Option<String>,
    #[topic(external)]
    pub sixth: Box<Base>,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "mutable", autoid = "hash", default)]
pub struct Hashed {
    pub x: i32,
    pub y: i32,
    #[topic(id = 3)]
    pub z: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "mutable", default)]
pub struct Grown {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "mutable", default, base = "Grown")]
pub struct GrownMore {
    pub a: i32,
    pub b: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod M {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "M::InModule", extensibility = "final", nested, autoid = "hash", default)]
    pub struct InModule {
        pub color: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "M::Counted", extensibility = "final", default)]
    pub struct Counted {
        pub color: i32,
    }
}
