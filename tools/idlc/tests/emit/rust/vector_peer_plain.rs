// Made by dunlin idl 0.1.0 from vector_peer_plain.idl. Do not edit: change the IDL.
// IDL and options: bb5d3ac80eab836d18e4f4c069c98ba9

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
    #[topic(name = "golden::Choice", extensibility = "final", default, discriminator = "i32")]
    pub enum Choice {
        #[topic(case = 1)]
        t(f32),
        #[topic(case = 2, case = 3)]
        words(i32, Vec<String>),
        #[topic(default, octet)]
        other(i32, u8),
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::Plain", extensibility = "final", default)]
    pub struct Plain {
        #[key]
        #[topic(octet)]
        pub o: u8,
        pub b: bool,
        pub c: ::dunlin::cdr::Char8,
        pub s: i16,
        pub us: u16,
        pub l: i32,
        pub ll: i64,
        pub f: f32,
        pub d: f64,
        pub grid: [[i32; 3]; 2],
        pub hue: Color,
        pub colors: [Color; 2],
        pub spot: Point,
        pub points: Vec<Point>,
        pub doubles: Vec<f64>,
        pub strings: Vec<String>,
        pub names: [String; 2],
        pub flags: Vec<bool>,
        pub pick: Choice,
        pub palette: Vec<Color>,
    }
}
