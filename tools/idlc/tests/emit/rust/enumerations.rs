// Made by dunlin idl 0.1.0 from enumerations.idl. Do not edit: change the IDL.
// IDL and options: b9573706178b608cfbbb72f2b8246090

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Uses {
    #[topic(default = self::E::Plain::P1)]
    pub a: self::E::Plain,
    #[topic(default = self::E::Plain::P2)]
    pub b: self::E::Plain,
    #[topic(default = self::E::Thirty(3))]
    pub c: self::E::Thirty,
    #[topic(default = self::E::Eight(9))]
    pub d: self::E::Eight,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod E {
    pub const DEFAULT: Plain = Plain::P1;

    pub const OTHER: Plain = Plain::P2;

    pub const MASK: Thirty = Thirty(2147483649);

    pub const NONE: Thirty = Thirty(0);

    pub const REST: Thirty = Thirty(2147483650);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Plain", extensibility = "appendable", default)]
    pub enum Plain {
        P0 = 0,
        P1 = 1,
        P2 = 2,
    }

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Final", extensibility = "final", default)]
    pub enum Final {
        F0 = 0,
    }

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Small", extensibility = "appendable", bit_bound = 8, default)]
    pub enum Small {
        S0 = -128,
        S1 = -127,
        S2 = 127,
    }

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Medium", extensibility = "appendable", bit_bound = 16, ignore_literal_names, default)]
    pub enum Medium {
        M0 = 0,
        #[topic(default)]
        M1 = 10,
        M2 = 11,
    }

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Thirty", bitmask, extensibility = "appendable", default)]
    #[topic(flag(A))]
    #[topic(flag(B))]
    #[topic(flag(C = 31))]
    pub struct Thirty(pub u32);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Eight", bitmask, extensibility = "appendable", bit_bound = 8, default)]
    #[topic(flag(D))]
    #[topic(flag(E = 7))]
    #[topic(flag(F = 3))]
    pub struct Eight(pub u8);

    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "E::Large", bitmask, extensibility = "final", bit_bound = 64, default)]
    #[topic(flag(G = 63))]
    pub struct Large(pub u64);
}
