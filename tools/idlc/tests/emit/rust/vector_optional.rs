// Made by dunlin idl 0.1.0 from vector_optional.idl. Do not edit: change the IDL.
// IDL and options: 5e5fa9b311856a972d242aa2988c430c

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Inner", extensibility = "final", default)]
    pub struct Inner {
        #[topic(octet)]
        pub a: u8,
        pub b: Option<f64>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::FinalOptional", extensibility = "final", default)]
    pub struct FinalOptional {
        #[key]
        #[topic(octet)]
        pub first: u8,
        pub number: Option<i32>,
        pub text: Option<String>,
        pub inner: Option<Inner>,
        #[topic(id = 20000)]
        pub far: Option<f64>,
        pub shorts: Option<Vec<i16>>,
        #[topic(octet)]
        pub last: u8,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::AppendableOptional", extensibility = "appendable", default)]
    pub struct AppendableOptional {
        #[key]
        #[topic(octet)]
        pub first: u8,
        pub number: Option<i32>,
        pub text: Option<String>,
        pub inner: Option<Inner>,
        #[topic(id = 20000)]
        pub far: Option<f64>,
        pub shorts: Option<Vec<i16>>,
        #[topic(octet)]
        pub last: u8,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::MutableOptional", extensibility = "mutable", default)]
    pub struct MutableOptional {
        #[key]
        #[topic(octet)]
        pub first: u8,
        pub number: Option<i32>,
        pub text: Option<String>,
        pub inner: Option<Inner>,
        #[topic(id = 20000)]
        pub far: Option<f64>,
        pub shorts: Option<Vec<i16>>,
        #[topic(octet)]
        pub last: u8,
    }
}
