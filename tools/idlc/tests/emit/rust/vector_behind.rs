// Made by dunlin idl 0.1.0 from vector_behind.idl. Do not edit: change the IDL.
// IDL and options: 2649d3e0358b55d95ae85e2484a379b9

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Behind {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Behind::Whole", extensibility = "final", default)]
    pub struct Whole {
        pub a: i32,
        #[topic(octet)]
        pub b: u8,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Behind::Grows", extensibility = "appendable", default)]
    pub struct Grows {
        pub a: i32,
        #[topic(octet)]
        pub b: u8,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Behind::Loose", extensibility = "mutable", default)]
    pub struct Loose {
        pub a: i32,
        #[topic(octet)]
        pub b: u8,
    }
}
