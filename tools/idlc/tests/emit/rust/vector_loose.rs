// Made by dunlin idl 0.1.0 from vector_loose.idl. Do not edit: change the IDL.
// IDL and options: 78628a4a705ac54458d87deb49c5441a

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod golden {
    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "golden::Color", extensibility = "final", default)]
    pub enum Color {
        RED = 0,
        GREEN = 1,
        BLUE = 2,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::Point", extensibility = "final", default)]
    pub struct Point {
        pub x: f64,
        pub y: f32,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::Inner", extensibility = "appendable", default)]
    pub struct Inner {
        #[key]
        pub id: i16,
        #[topic(octet)]
        pub tag: u8,
        pub name: String,
    }

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "golden::Small", extensibility = "final", bit_bound = 8, default)]
    pub enum Small {
        ONE = 0,
        TWO = 1,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "golden::Open", extensibility = "appendable", default, discriminator("u8", octet))]
    pub enum Open {
        #[topic(case = 1)]
        d(f64),
        #[topic(case = 2)]
        core(Inner),
        /// The discriminator selects no member.
        #[topic(other)]
        Other(u8),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::Loose", extensibility = "mutable", default)]
    pub struct Loose {
        #[key]
        #[topic(id = 3)]
        pub a: i32,
        #[topic(id = 1)]
        pub b: Option<String>,
        #[topic(id = 10)]
        pub shorts: Vec<i16>,
        pub longs: Vec<i32>,
        pub doubles: Vec<f64>,
        pub core: Inner,
        pub d: f64,
        pub hue: Color,
        #[topic(element(octet))]
        pub raw: [u8; 3],
        #[topic(must_understand)]
        pub name: String,
        pub spot: Point,
        #[key]
        #[topic(id = 2, octet)]
        pub k: u8,
        #[topic(id = 20)]
        pub flag: bool,
        pub bytes: ::dunlin::cdr::Bytes,
        pub small: Small,
        pub big: i64,
        pub inners: Vec<Inner>,
        pub names: [String; 2],
        pub s: i16,
        pub door: Open,
        #[topic(id = 20000)]
        pub far: Option<i32>,
    }
}
