// Made by dunlin idl 0.1.0 from constants.idl. Do not edit: change the IDL.
// IDL and options: 7bd9b03bb9483f4a87873be3a2f881cd

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod C {
    pub const A: i16 = -32768;

    pub const B: u64 = 18446744073709551615;

    pub const D: i32 = 46;

    pub const F: i32 = 5;

    pub const G: i32 = -6;

    pub const H: u8 = 255;

    pub const I: u32 = 4294967280;

    pub const J: f32 = 1500.0;

    pub const K: f64 = 0.3333333333333333;

    pub const L: ::dunlin::cdr::Float128 = ::dunlin::cdr::Float128::from_le_bytes([154, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 153, 251, 63]);

    pub const M: ::dunlin::cdr::Float128 = ::dunlin::cdr::Float128::from_le_bytes([85, 85, 85, 85, 85, 85, 85, 85, 85, 85, 85, 85, 85, 85, 253, 63]);

    pub const N: bool = true;

    pub const O: ::dunlin::cdr::Char8 = ::dunlin::cdr::Char8(65);

    pub const P: ::dunlin::cdr::Char16 = ::dunlin::cdr::Char16(9786);

    pub const Q: &str = "one two\t\"three\"";

    pub const R: &str = "wide";

    pub const S: &str = "eight by";

    pub const T: f64 = 2.0;

    pub const U: i32 = 45;

    pub const V: ::dunlin::cdr::Char8 = ::dunlin::cdr::Char8(39);

    pub const W: i64 = 4611686018427387904;

    pub const X: i8 = -1;

    pub const Y: u8 = 97;

    pub type Length = i32;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "C::Uses", extensibility = "final", default)]
    pub struct Uses {
        pub a: [i32; 45],
        #[topic(bound = 46)]
        pub b: String,
    }
}
