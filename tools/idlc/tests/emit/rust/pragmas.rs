// Made by dunlin idl 0.1.0 from pragmas.idl. Do not edit: change the IDL.
// IDL and options: 7dcffe058ec4f4dc02734ca296e90459

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Topic {
    #[key]
    pub id: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod K {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "K::Inner", extensibility = "final", nested, default)]
    pub struct Inner {
        #[key]
        pub a: i32,
        pub b: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "K::Outer", extensibility = "final", default)]
    pub struct Outer {
        #[key]
        pub inner: Inner,
        #[key]
        pub id: i32,
        pub other: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "K::Keyless", extensibility = "final", default)]
    pub struct Keyless {
        pub a: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "K::Has", extensibility = "final", default)]
    pub struct Has {
        #[key]
        pub a: i32,
        pub b: i32,
    }
}
