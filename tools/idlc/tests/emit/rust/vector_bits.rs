// Made by dunlin idl 0.1.0 from vector_bits.idl. Do not edit: change the IDL.
// IDL and options: 80722f2239d98c66be4cb3a45d7175aa

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Small", bitmask, extensibility = "appendable", bit_bound = 8, default)]
    #[topic(flag(A))]
    #[topic(flag(B))]
    #[topic(flag(H = 7))]
    pub struct Small(pub u8);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Middle", bitmask, extensibility = "appendable", bit_bound = 16, default)]
    #[topic(flag(D = 3))]
    #[topic(flag(P = 15))]
    pub struct Middle(pub u16);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Large", bitmask, extensibility = "appendable", bit_bound = 64, default)]
    #[topic(flag(LOW))]
    #[topic(flag(HIGH = 63))]
    pub struct Large(pub u64);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Fields", bitset, default)]
    #[topic(field(a: u8, size = 3, octet))]
    #[topic(field(b: bool, size = 1))]
    #[topic(field(c: i16, size = 10, position = 8))]
    pub struct Fields(pub u32);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Tiny", extensibility = "appendable", bit_bound = 8, default)]
    pub enum Tiny {
        MINUS = -100,
        PLUS = 100,
    }

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Short", extensibility = "appendable", bit_bound = 16, default)]
    pub enum Short {
        LOWEST = -30000,
        HIGHEST = 30000,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Bits", extensibility = "appendable", default)]
    pub struct Bits {
        #[key]
        pub small: Small,
        pub middle: Middle,
        pub large: Large,
        pub fields: Fields,
        pub tiny: Tiny,
        pub shorts: [Short; 3],
        pub smalls: Vec<Small>,
        pub pair: [Fields; 2],
    }
}
