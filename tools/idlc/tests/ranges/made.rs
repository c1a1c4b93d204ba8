// Made by dunlin idl 0.1.0 from ranges.idl. Do not edit: change the IDL.
// IDL and options: 21d19998205af57e73d09b7ffae46c83

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Ranges {
    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Ranges::Level", extensibility = "appendable", default)]
    pub enum Level {
        LOW = 0,
        MIDDLE = 5,
        HIGH = 6,
    }

    pub type Ratio = f64;

    pub type Month = u8;

    pub type Cold = f32;

    pub type Mild = f32;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Ranges::Pair", extensibility = "final", nested, default, range_checks)]
    pub struct Pair {
        #[topic(min = -10, max = 10)]
        pub a: i32,
        #[topic(max = 100)]
        pub b: u32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Ranges::Free", extensibility = "final", nested, default)]
    pub struct Free {
        pub a: i32,
        pub b: u32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Ranges::Choice", extensibility = "appendable", default, range_checks, discriminator = "i32")]
    pub enum Choice {
        #[topic(case = 1, max = 7)]
        a(i32),
        #[topic(case = 2, alias("Ranges::Ratio", min = 0.0, max = 1.0))]
        r(f64),
        #[topic(case = 3)]
        p(Pair),
        #[topic(default)]
        s(i32, String),
    }

    pub type Selector = i32;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Ranges::Few", extensibility = "mutable", default, range_checks, discriminator("i32", alias("Ranges::Selector", max = 2)))]
    pub enum Few {
        #[topic(case = 1, default_value = 4, min = 4, octet)]
        a(u8),
        #[topic(default)]
        b(i32, i32),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Ranges::All", extensibility = "appendable", default, range_checks)]
    pub struct All {
        #[key]
        #[topic(min = 0, max = 1000)]
        pub id: i32,
        #[topic(min = -5, max = 5)]
        pub i8: i8,
        #[topic(max = 200)]
        pub u8: u8,
        #[topic(max = 9, octet)]
        pub o: u8,
        #[topic(min = -300)]
        pub i16: i16,
        #[topic(max = 60000)]
        pub u16: u16,
        #[topic(min = -2147483647, max = 2147483646)]
        pub i32: i32,
        #[topic(default = 2, min = 2, max = 4000000000)]
        pub u32: u32,
        #[topic(min = -9223372036854775807, max = 9223372036854775806)]
        pub i64: i64,
        #[topic(max = 18446744073709551614)]
        pub u64: u64,
        #[topic(min = -1.5, max = 1.5)]
        pub f32: f32,
        #[topic(min = -2.5, max = 2.5)]
        pub f64: f64,
        #[topic(max = ::dunlin::cdr::Char8(90))]
        pub c: ::dunlin::cdr::Char8,
        #[topic(max = ::dunlin::cdr::Char16(353))]
        pub w: ::dunlin::cdr::Char16,
        #[topic(max = Level::MIDDLE)]
        pub level: Level,
        #[topic(min = 1, max = 3)]
        pub maybe: Option<i32>,
        #[topic(alias("Ranges::Mild", max = 20.0), alias("Ranges::Cold", min = -1.5))]
        pub mild: f32,
        #[topic(alias("Ranges::Ratio", min = 0.0, max = 1.0))]
        pub ratio: f64,
        #[topic(bound = 4, element(alias("Ranges::Ratio", min = 0.0, max = 1.0)))]
        pub ratios: Vec<f64>,
        #[topic(element(element(alias("Ranges::Ratio", min = 0.0, max = 1.0))))]
        pub rows: [[f64; 2]; 2],
        #[topic(map_key(alias("Ranges::Month", default = 1, min = 1, max = 12), octet), element(alias("Ranges::Ratio", min = 0.0, max = 1.0)))]
        pub shares: ::std::collections::BTreeMap<u8, f64>,
        #[topic(element(alias("Ranges::Month", default = 1, min = 1, max = 12), octet))]
        pub months: Vec<u8>,
        pub pair: Pair,
        pub pairs: Vec<Pair>,
        pub twins: [Pair; 2],
        #[topic(external)]
        pub held: Box<Pair>,
        pub choice: Choice,
        pub few: Few,
        #[topic(min = 0)]
        pub any: u32,
        pub free: Free,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Ranges::Loose", extensibility = "mutable", default, range_checks)]
    pub struct Loose {
        #[key]
        pub place: Pair,
        #[key]
        #[topic(default = 1, min = 1, max = 9)]
        pub k: i32,
        #[topic(max = 5)]
        pub v: i32,
        #[topic(alias("Ranges::Ratio", min = 0.0, max = 1.0))]
        pub r: Option<f64>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Ranges::Derived", extensibility = "final", default, range_checks, base = "Pair")]
    pub struct Derived {
        #[topic(min = -10, max = 10)]
        pub a: i32,
        #[topic(max = 100)]
        pub b: u32,
        #[topic(max = 3, octet)]
        pub c: u8,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Ranges::Node", extensibility = "appendable", default, range_checks)]
    pub struct Node {
        #[topic(max = 9)]
        pub value: i32,
        pub children: Vec<Node>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Ranges::Plain", extensibility = "final", default)]
    pub struct Plain {
        pub a: i32,
        pub free: Free,
    }
}
