// Made by dunlin idl 0.1.0 from unions.idl. Do not edit: change the IDL.
// IDL and options: 0c4930f73c23bab0dcb086a02e9a1873

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(extensibility = "appendable", default)]
pub enum Color {
    RED = 0,
    GREEN = 1,
    BLUE = 2,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(bitmask, extensibility = "appendable", default)]
#[topic(flag(A))]
#[topic(flag(B))]
pub struct Flags(pub u32);

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub type Hue = Color;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator("Hue", alias = "Hue"))]
pub enum ByEnum {
    #[topic(case = Color::RED)]
    a(i32),
    #[topic(case = Color::GREEN, case = Color::BLUE)]
    b(Hue, String),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "appendable", default, discriminator("i32", key))]
pub enum ByLong {
    #[topic(case = 1)]
    a(i32),
    #[topic(case = -2, case = 3)]
    b(i32, f64),
    #[topic(default, id = 9, octet)]
    c(i32, u8),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "mutable", default, discriminator = "::dunlin::cdr::Char8")]
pub enum ByChar {
    #[topic(case = ::dunlin::cdr::Char8(97))]
    a(i32),
    #[topic(case = ::dunlin::cdr::Char8(65))]
    b(i32),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(::dunlin::cdr::Char8),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator = "::dunlin::cdr::Char16")]
pub enum ByWide {
    #[topic(case = ::dunlin::cdr::Char16(97))]
    a(i32),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(::dunlin::cdr::Char16),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator = "bool")]
pub enum ByBoolean {
    #[topic(case = true)]
    a(i32),
    #[topic(case = false)]
    b(i32),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator = "Flags")]
pub enum ByFlags {
    #[topic(case = Flags(1))]
    a(i32),
    #[topic(case = Flags(3))]
    b(i32),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(Flags),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator("u8", octet))]
pub enum ByOctet {
    #[topic(case = 255)]
    a(i32),
    #[topic(default)]
    b(u8, i32),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", default, discriminator = "u64")]
pub enum ByLarge {
    #[topic(case = 18446744073709551615)]
    a(i32),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(u64),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "final", autoid = "hash", default, discriminator("Color", try_construct = "use_default", default = Color::GREEN))]
pub enum Hashed {
    #[topic(case = Color::RED)]
    c(i32),
    #[topic(case = Color::GREEN)]
    d([i32; 2]),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(Color),
}
