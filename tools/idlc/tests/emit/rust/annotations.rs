// Made by dunlin idl 0.1.0 from annotations.idl. Do not edit: change the IDL.
// IDL and options: 90290fca26c92165e01c4c60f05a3d2c

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct One {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct Two {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "mutable", default)]
pub struct Three {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub type Ratio = f64;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Five {
    #[topic(default = 5, min = 1, max = 9, octet)]
    pub a: u8,
    #[topic(default = "hello \"world\"")]
    pub b: String,
    #[topic(default = true)]
    pub c: bool,
    #[topic(default = ::dunlin::cdr::Char8(99))]
    pub d: ::dunlin::cdr::Char8,
    #[topic(default = ::dunlin::cdr::Char16(119))]
    pub e: ::dunlin::cdr::Char16,
    #[topic(default = 1.5)]
    pub f: f32,
    #[topic(default = ::dunlin::cdr::Float128::from_le_bytes([154, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 251, 63]))]
    pub g: ::dunlin::cdr::Float128,
    #[topic(default = "w")]
    pub h: ::dunlin::cdr::String16,
    #[topic(try_construct = "trim", bound = 4)]
    pub i: String,
    #[topic(try_construct = "use_default", bound = 4)]
    pub j: String,
    #[key]
    pub k: i32,
    #[topic(must_understand)]
    pub l: i32,
    pub m: i32,
    pub n: i32,
    #[topic(alias("Ratio", min = 0.0, max = 1.0))]
    pub o: f64,
    #[topic(default = 18446744073709551615)]
    pub p: u64,
    #[topic(default = "☺ \" x")]
    pub q: ::dunlin::cdr::String16,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Six {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct OfVendor {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct MoreBits {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod N {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "N::Nested", extensibility = "final", nested, default)]
    pub struct Nested {
        pub a: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "N::Topic", extensibility = "final", default)]
    pub struct Topic {
        pub a: i32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "N::Plain", extensibility = "final", default)]
    pub struct Plain {
        pub a: i32,
    }
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod D {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "D::Four", extensibility = "final", default)]
    pub struct Four {
        #[topic(default = -3, min = -10, max = 10, unit = "m/s")]
        pub a: i32,
    }
}
