// Made by dunlin idl 0.1.0 from vector_peer_grown.idl. Do not edit: change the IDL.
// IDL and options: 719cf7cfc76fd41885d11f4c040032ce

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
    #[topic(name = "golden::Grown", extensibility = "appendable", default)]
    pub struct Grown {
        #[key]
        pub core: Inner,
        #[topic(octet)]
        pub o: u8,
        pub maybe: Option<i32>,
        pub never: Option<String>,
        pub sure: Option<f64>,
        pub door: Open,
        pub inners: Vec<Inner>,
        pub pair: [Inner; 2],
        pub last: f64,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::Nested", extensibility = "appendable", default)]
    pub struct Nested {
        #[key]
        pub core: Inner,
        #[key]
        pub spot: Point,
        pub c: i32,
    }
}
