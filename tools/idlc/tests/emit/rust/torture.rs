// Made by dunlin idl 0.1.0 from torture.idl. Do not edit: change the IDL.
// IDL and options: f3af8615bb62f3982ffb23d9bc603c28

// The first line.

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const VALUE: i32 = 3;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const TEXT: &str = "a\"\\A";

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const MIN: i64 = -9223372036854775808;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const MAX: u64 = 18446744073709551615;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const RATIO: f64 = 1e300;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const SIGN: ::dunlin::cdr::Char16 = ::dunlin::cdr::Char16(120);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const LETTER: ::dunlin::cdr::Char8 = ::dunlin::cdr::Char8(120);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const WIDE: &str = "wä";

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct String {
    pub u8: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(name = "member", bitmask, extensibility = "appendable", default)]
#[topic(flag(W))]
pub struct member_(pub u32);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator = "i32")]
pub enum Reader {
    #[topic(case = 3)]
    r(member_),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(i32),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default, base = "String")]
pub struct Result {
    pub u8: i32,
    pub Ok: ::std::vec::Vec<Reader>,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod r#fn {
    pub type r#extern = self::r#impl::r#match;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "fn::crate", extensibility = "final", default, discriminator = "self::r#impl::r#match")]
    pub enum crate_ {
        #[topic(case = self::r#impl::r#match::r#ref)]
        r#let(i32),
        #[topic(case = self::r#impl::r#match::self_, case = self::r#impl::r#match::r#mut, bound = 4)]
        r#for(self::r#impl::r#match, ::std::string::String),
        /// The discriminator selects no member.
        #[topic(other)]
        Other(self::r#impl::r#match),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "fn::super", extensibility = "mutable", default, discriminator("::dunlin::cdr::Char8", key, try_construct = "use_default"))]
    pub enum super_ {
        #[topic(case = ::dunlin::cdr::Char8(97), default_value = 7)]
        Other(i32),
        #[topic(default, external)]
        value(::dunlin::cdr::Char8, ::std::boxed::Box<super::String>),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "fn::type", extensibility = "appendable", autoid = "hash", default)]
    pub struct r#type {
        #[key]
        pub r#type: i32,
        #[key]
        #[topic(name = "self", hashid = "x", octet)]
        pub self_: u8,
        #[topic(name = "super", must_understand)]
        pub super_: ::std::option::Option<bool>,
        #[topic(name = "crate", default = self::r#impl::r#match::self_)]
        pub crate_: self::r#impl::r#match,
        #[topic(default = 1.5, min = 0.5, max = 2.5, unit = "m/s")]
        pub r#dyn: f32,
        #[topic(default = "a\"b", bound = 8)]
        pub r#struct: ::std::string::String,
        #[topic(default = self::r#impl::loop_(1))]
        pub r#yield: self::r#impl::loop_,
        #[topic(element(element(alias = "fn::u8::f32", bound = 3)))]
        pub value: [[self::u8_::f32_; 3]; 2],
        #[topic(external)]
        pub r#await: ::std::boxed::Box<crate_>,
        #[topic(alias = "fn::extern")]
        pub r#abstract: r#extern,
        #[topic(element(bound = 2, element(bound = 3)))]
        pub r#try: ::std::vec::Vec<::std::vec::Vec<::std::string::String>>,
        #[topic(map_key(bound = 2))]
        pub r#become: ::std::collections::BTreeMap<::std::string::String, ::dunlin::cdr::Bytes>,
        #[topic(try_construct = "trim", bound = 4)]
        pub r#pub: ::dunlin::cdr::Bytes,
        pub r#priv: ::std::vec::Vec<u8>,
        pub r#mod: ::dunlin::cdr::Float128,
        #[topic(bound = 5)]
        pub r#in: ::dunlin::cdr::String16,
        pub Vec: u8,
        #[topic(element(octet))]
        pub r#gen: [u8; 4],
    }

    pub type Box = ::std::vec::Vec<r#type>;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "fn::static", extensibility = "final", nested, default)]
    pub struct r#static {
        #[topic(alias = "fn::Box")]
        pub Option: Box,
        pub r#move: ::std::option::Option<::std::boxed::Box<r#static>>,
    }

    pub mod r#impl {
        pub const WHERE: r#match = r#match::Self_;

        pub const BREAK: loop_ = loop_(513);

        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
        #[topic(name = "fn::impl::match", extensibility = "appendable", default)]
        pub enum r#match {
            r#ref = 0,
            #[topic(name = "self")]
            self_ = 1,
            #[topic(name = "Self")]
            Self_ = 2,
            #[topic(default)]
            r#mut = 3,
        }

        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
        #[topic(name = "fn::impl::loop", bitmask, extensibility = "appendable", default)]
        #[topic(flag(r#while))]
        #[topic(flag(r#dyn = 9))]
        pub struct loop_(pub u32);

        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
        #[topic(name = "fn::impl::yield", bitmask, extensibility = "appendable", bit_bound = 64, default)]
        #[topic(flag(r#async))]
        pub struct yield_(pub u64);

        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
        #[topic(name = "fn::impl::trait", bitset, default)]
        #[topic(field(type_: u8, size = 3, octet, name = "type"))]
        #[topic(field(move_: u8, size = 5, position = 5, octet, name = "move"))]
        pub struct trait_(pub u16);
    }

    pub mod u8_ {
        #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
        #[topic(name = "fn::u8::bool", extensibility = "final", default)]
        pub struct bool_ {
            #[topic(octet)]
            pub str: u8,
        }

        pub type f32_ = ::std::vec::Vec<bool_>;
    }
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod std {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "std::Vec", extensibility = "final", default)]
    pub struct Vec {
        pub Some: ::std::vec::Vec<Vec>,
    }
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod dunlin {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "dunlin::Option", extensibility = "final", default)]
    pub struct Option {
        pub scope: ::std::option::Option<super::std::Vec>,
    }
}
