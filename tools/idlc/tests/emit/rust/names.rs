// Made by dunlin idl 0.1.0 from names.idl. Do not edit: change the IDL.
// IDL and options: d3b0d6d58aa9592d66eb1a6152562012

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod N {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "N::struct", extensibility = "final", default)]
    pub struct r#struct {
        pub module: i32,
        pub Key: i32,
        pub _x: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "N::Key", extensibility = "final", default)]
    pub struct Key {
        #[key]
        pub key: i32,
        pub id: i32,
        pub default: r#struct,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "N::value", extensibility = "final", default)]
    pub struct value {
        pub optional: i32,
        pub r#final: i32,
        pub nested: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "N::Shadow", extensibility = "final", default)]
    pub struct Shadow {
        pub N: i32,
        pub k: Key,
    }
}
