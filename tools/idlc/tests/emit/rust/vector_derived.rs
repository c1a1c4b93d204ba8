// Made by dunlin idl 0.1.0 from vector_derived.idl. Do not edit: change the IDL.
// IDL and options: e0bbd33ab09606c209c8497841f1ea96

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Base", extensibility = "final", default)]
    pub struct Base {
        pub a: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Derived", extensibility = "final", default, base = "Base")]
    pub struct Derived {
        pub a: i32,
        pub b: i16,
    }
}
