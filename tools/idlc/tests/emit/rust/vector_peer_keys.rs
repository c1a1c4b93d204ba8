// Made by dunlin idl 0.1.0 from vector_peer_keys.idl. Do not edit: change the IDL.
// IDL and options: 4f210274309001f690bc5a7a9d76cee1

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::TwoKeys", extensibility = "final", default)]
    pub struct TwoKeys {
        #[key]
        #[topic(octet)]
        pub a: u8,
        #[key]
        pub b: i64,
        pub c: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::TwoKeysReversed", extensibility = "final", default)]
    pub struct TwoKeysReversed {
        #[key]
        pub b: i64,
        #[key]
        #[topic(octet)]
        pub a: u8,
        pub c: i32,
    }
}
