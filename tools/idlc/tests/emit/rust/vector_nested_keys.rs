// Made by dunlin idl 0.1.0 from vector_nested_keys.idl. Do not edit: change the IDL.
// IDL and options: fb00451cfbdf9d763228b0ca6f48800c

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Marked", extensibility = "appendable", default)]
    pub struct Marked {
        pub before: u16,
        #[key]
        #[topic(id = 20)]
        pub high: u32,
        #[key]
        #[topic(id = 10, octet)]
        pub low: u8,
        pub after: String,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Unmarked", extensibility = "final", default)]
    pub struct Unmarked {
        #[topic(id = 9, octet)]
        pub left: u8,
        #[topic(id = 3)]
        pub right: u16,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Base", extensibility = "mutable", default)]
    pub struct Base {
        #[key]
        #[topic(id = 70)]
        pub second: i16,
        #[key]
        #[topic(id = 5)]
        pub marked: Marked,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Keys", extensibility = "mutable", default, base = "Base")]
    pub struct Keys {
        #[key]
        #[topic(id = 70)]
        pub second: i16,
        #[key]
        #[topic(id = 5)]
        pub marked: Marked,
        #[key]
        #[topic(id = 4)]
        pub pairs: [Unmarked; 2],
        #[key]
        #[topic(id = 6)]
        pub pair: Unmarked,
        #[topic(id = 100)]
        pub rest: Vec<String>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Deep", extensibility = "final", default)]
    pub struct Deep {
        #[key]
        #[topic(id = 2)]
        pub number: i32,
        #[key]
        #[topic(id = 1)]
        pub marked: Marked,
    }
}
