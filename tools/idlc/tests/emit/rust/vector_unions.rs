// Made by dunlin idl 0.1.0 from vector_unions.idl. Do not edit: change the IDL.
// IDL and options: bbcf659ced8c4d1b546c5e2470875427

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Kind", extensibility = "appendable", default)]
    pub enum Kind {
        ONE = 0,
        SEVEN = 7,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Pair", extensibility = "final", default)]
    pub struct Pair {
        #[topic(octet)]
        pub left: u8,
        pub right: f64,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Golden::ByBoolean", extensibility = "final", default, discriminator = "bool")]
    pub enum ByBoolean {
        #[topic(case = true)]
        pair(Pair),
        #[topic(case = false, octet)]
        number(u8),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Golden::ByKind", extensibility = "mutable", default, discriminator = "Kind")]
    pub enum ByKind {
        #[topic(case = Kind::ONE)]
        text(String),
        #[topic(case = Kind::SEVEN)]
        number(i64),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Golden::ByLetter", extensibility = "appendable", default, discriminator = "::dunlin::cdr::Char8")]
    pub enum ByLetter {
        #[topic(case = ::dunlin::cdr::Char8(97), case = ::dunlin::cdr::Char8(98))]
        pairs(::dunlin::cdr::Char8, Vec<Pair>),
        #[topic(default)]
        flag(::dunlin::cdr::Char8, bool),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Unions", extensibility = "appendable", default)]
    pub struct Unions {
        #[key]
        pub kind: ByKind,
        pub yes: ByBoolean,
        pub letter: ByLetter,
        #[topic(external)]
        pub no: Box<ByBoolean>,
        pub all: Vec<ByLetter>,
    }
}
