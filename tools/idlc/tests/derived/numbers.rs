//! Enumerations, bitmasks, bitsets and unions.

use dunlin_cdr::{Char16, Endianness, Error, Xcdr, from_payload, to_payload_as};
use dunlin_derive::{Data, Topic};

use super::{round_trip, same};

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq)]
#[topic(
    crate = "dunlin_cdr",
    name = "E::Small",
    extensibility = "final",
    bit_bound = 7
)]
enum Small {
    #[topic(name = "lowest")]
    Lowest = -64,
    #[topic(default)]
    Middle = 1,
    Highest = 63,
}

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq)]
#[topic(crate = "dunlin_cdr", ignore_literal_names, bit_bound = 16)]
enum Plain {
    One,
    Two,
}

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq)]
#[topic(
    crate = "dunlin_cdr",
    bitmask,
    bit_bound = 9,
    extensibility = "final",
    default
)]
#[topic(flag(A), flag(B_ = 7, name = "B", doc = "The last but one."), flag(C))]
struct Flags(pub u16);

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[topic(crate = "dunlin_cdr", bitmask, bit_bound = 64, flag(LAST = 63))]
struct Large(u64);

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[topic(
    crate = "dunlin_cdr",
    bitset,
    field(a: u8, size = 3, octet),
    field(b: bool, size = 1, position = 5),
    field(r#type: i16, size = 10, name = "c"),
    field(d: u64, size = 33)
)]
struct Bits(u64);

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq)]
#[topic(crate = "dunlin_cdr", bitset, default, field(a: i8, size = 8))]
struct Byte(u8);

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Numbers {
    #[key]
    small: Small,
    plain: Plain,
    #[topic(default = Flags::A | Flags::C)]
    flags: Flags,
    list: Vec<Flags>,
    large: Large,
    #[key]
    bits: Bits,
    byte: Byte,
}

const NUMBERS: &str = "
    module E { @final @bit_bound(7) enum Small {
        @value(-64) lowest, @value(1) @default_literal Middle, @value(63) Highest }; };
    @bit_bound(16) @ignore_literal_names enum Plain { One, Two };
    @final @bit_bound(9) bitmask Flags { A, @position(7) B, C };
    @bit_bound(64) bitmask Large { @position(63) LAST };
    bitset Bits { bitfield<3, octet> a; bitfield<2>; bitfield<1, boolean> b; bitfield<10, short> c;
        bitfield<33, uint64> d; };
    bitset Byte { bitfield<8, int8> a; };
    @final struct Numbers { @key E::Small small; Plain plain; @default(A | C) Flags flags;
        sequence<Flags> list; Large large; @key Bits bits; Byte byte; };";

#[test]
fn numbers_with_parts() {
    let mut bits = Bits::default();
    bits.set_a(9);
    bits.set_b(true);
    bits.set_type(-512);
    bits.set_d(1 << 32);
    assert_eq!(
        (bits.a(), bits.b(), bits.r#type(), bits.d()),
        (1, true, -512, 1 << 32)
    );
    assert_eq!(bits.0, 1 | 1 << 5 | 512 << 6 | 1 << 48);
    bits.set_b(false);
    bits.set_type(511);
    assert_eq!(
        (bits.a(), bits.b(), bits.r#type(), bits.d()),
        (1, false, 511, 1 << 32)
    );
    let mut byte = Byte::default();
    byte.set_a(-128);
    assert_eq!((byte.0, byte.a()), (128, -128));
    let mut flags = Flags::A | Flags::B_;
    assert_eq!(flags.0, 0x81);
    assert!(flags.contains(&Flags::A) && !flags.contains(&Flags::C));
    assert_eq!((!flags, flags & Flags::A), (Flags::C, Flags::A));
    flags &= Flags::B_;
    flags |= Flags::C;
    assert_eq!(flags.0, 0x180);
    let value = Numbers {
        small: Small::Lowest,
        plain: Plain::Two,
        flags,
        list: vec![Flags::A, Flags::default()],
        large: Large::LAST,
        bits,
        byte,
    };
    // Bits between fields are no error, so validity is compared too.
    round_trip(NUMBERS, &value);
    let unknown = Numbers {
        flags: Flags(2),
        ..value
    };
    let mut out = bytes::BytesMut::new();
    let refused = to_payload_as(&unknown, Xcdr::V1, Endianness::Little, &mut out);
    assert_eq!(
        refused,
        Err(Error::UnknownBits {
            bits: 2,
            mask: 0x181
        })
    );
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Numbers", extensibility = "final")]
struct Raw {
    small: i8,
    plain: i16,
    flags: u16,
}

#[test]
fn bits_without_name_are_refused() {
    #[derive(Topic, Debug, PartialEq)]
    #[topic(crate = "dunlin_cdr", extensibility = "final")]
    struct First {
        small: Small,
        plain: Plain,
        flags: Flags,
    }
    let payload = |flags| {
        let raw = Raw {
            small: 1,
            plain: 1,
            flags,
        };
        let mut out = bytes::BytesMut::new();
        to_payload_as(&raw, Xcdr::V1, Endianness::Little, &mut out).unwrap();
        out
    };
    assert!(from_payload::<First>(&payload(0x181)).is_ok());
    let refused = from_payload::<First>(&payload(4)).map(|_| ());
    assert_eq!(
        refused,
        Err(Error::UnknownBits {
            bits: 4,
            mask: 0x181
        })
    );
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    discriminator("i16", key),
    autoid = "hash",
    nested,
    default
)]
enum ByShort {
    #[topic(case = 1, name = "a", octet)]
    A(u8),
    #[topic(case = 2, case = -3, name = "b", bound = 3)]
    B(i16, String),
    #[topic(default, name = "c", id = 9, default_value = 7, unit = "m")]
    C(i16, u32),
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    extensibility = "mutable",
    discriminator("Small", alias = "Little", default = Small::Highest),
    default
)]
enum BySmall {
    #[topic(case = Small::Lowest, name = "low")]
    Low(i32),
    #[topic(case = Small::Middle, name = "texts", element(bound = 4))]
    Texts(Vec<String>),
    #[topic(other)]
    Other(Small),
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    extensibility = "final",
    discriminator = "Char16"
)]
enum ByLetter {
    #[topic(case = Char16(97), name = "a")]
    A(u8),
    #[topic(other)]
    Other(Char16),
}

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Unions {
    one: ByShort,
    two: BySmall,
    three: ByLetter,
}

const UNIONS: &str = "module E { @final @bit_bound(7) enum Small {
        @value(-64) lowest, @value(1) @default_literal Middle, @value(63) Highest }; };
    typedef E::Small Little;
    @nested @autoid(HASH) union ByShort switch (@key short) {
        case 1: octet a; case 2: case -3: string<3> b; default: @id(9) @default(7) @unit(\"m\") uint32 c; };
    @mutable union BySmall switch (@default(E::Highest) Little) {
        case E::lowest: long low; case E::Middle: sequence<string<4>> texts; };
    @final union ByLetter switch (wchar) { case L'a': uint8 a; };
    @final struct Unions { ByShort one; BySmall two; ByLetter three; };";

#[test]
fn unions_keep_their_discriminators() {
    let ones = [
        ByShort::A(1),
        ByShort::B(2, "two".into()),
        ByShort::B(-3, "3".into()),
        ByShort::C(1000, 5),
    ];
    let twos = [
        BySmall::Low(1),
        BySmall::Texts(vec!["abcd".into()]),
        BySmall::Other(Small::Highest),
    ];
    let threes = [ByLetter::A(1), ByLetter::Other(Char16(98))];
    for one in &ones {
        for two in &twos {
            for three in &threes {
                let value = Unions {
                    one: one.clone(),
                    two: two.clone(),
                    three: three.clone(),
                };
                round_trip(UNIONS, &value);
            }
        }
    }
    assert_eq!(ByShort::default(), ByShort::C(0, 7));
    assert_eq!(BySmall::default(), BySmall::Other(Small::Highest));
}

#[test]
fn a_discriminator_is_that_of_its_case() {
    let value = Unions {
        one: ByShort::A(1),
        two: BySmall::Low(1),
        three: ByLetter::A(1),
    };
    let write = |value: &Unions| {
        let mut out = bytes::BytesMut::new();
        to_payload_as(value, Xcdr::V1, Endianness::Little, &mut out)
    };
    let with = |one| Unions {
        one,
        ..value.clone()
    };
    assert_eq!(
        write(&with(ByShort::B(1, "".into()))),
        Err(Error::WrongDiscriminator(1))
    );
    assert_eq!(
        write(&with(ByShort::C(-3, 1))),
        Err(Error::WrongDiscriminator(-3))
    );
    let wrong = Unions {
        three: ByLetter::Other(Char16(97)),
        ..value.clone()
    };
    assert_eq!(write(&wrong), Err(Error::WrongDiscriminator(97)));
    let wrong = Unions {
        two: BySmall::Other(Small::Lowest),
        ..value
    };
    assert_eq!(write(&wrong), Err(Error::WrongDiscriminator(-64)));
}

#[test]
fn an_enumeration_alone_is_that_of_idl() {
    same::<Plain>("@bit_bound(16) @ignore_literal_names enum Plain { One, Two };");
}
