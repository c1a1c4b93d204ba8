//! What is refused, and how that is said.

use super::*;
use syn::parse_quote;

#[track_caller]
fn refusal(input: &DeriveInput) -> String {
    refusal_as(input, true)
}

#[track_caller]
fn refusal_as(input: &DeriveInput, is_topic: bool) -> String {
    let refused = implementation(input, is_topic);
    refused.map_or_else(|error| error.to_string(), |_| "accepted".into())
}

#[test]
fn a_key_is_not_optional() {
    let why = "a key member cannot be optional, for every sample belongs to an instance";
    for ty in [
        parse_quote!(Option<u32>),
        parse_quote!(std::option::Option<String>),
        parse_quote!((Option<u32>)),
    ] {
        let ty: syn::Type = ty;
        let text = refusal(&parse_quote!(
            struct Bird {
                #[key]
                ring: #ty,
                x: f64,
            }
        ));
        assert!(text.starts_with(why), "{text}");
    }
    let other = parse_quote!(
        struct Bird {
            #[key]
            ring: u32,
            x: Option<f64>,
        }
    );
    assert_eq!(refusal(&other), "accepted");
}

/// What a `Data` is refused for.
macro_rules! refused {
    ($($why:literal: { $($input:tt)* })*) => {$(
        let text = refusal_as(&parse_quote!($($input)*), false);
        assert!(text.contains($why), "{:?} instead of {:?}", text, $why);
    )*};
}

/// What is written into the memory of a plain type is not looked at.
#[test]
fn ranges_of_plain_types_are_not_checked() {
    let with = |attributes: syn::Attribute| {
        refusal(&parse_quote!(
            #attributes
            #[repr(C)]
            struct Tank {
                #[topic(max = 100)]
                level: u32,
            }
        ))
    };
    let text = with(parse_quote!(#[topic(plain, range_checks)]));
    assert!(
        text.contains("leave out `plain` or `range_checks`"),
        "{text}"
    );
    for fine in [
        parse_quote!(#[topic(plain)]),
        parse_quote!(#[topic(range_checks)]),
    ] {
        assert_eq!(with(fine), "accepted");
    }
}

#[test]
fn misuse_of_attributes_of_types() {
    let text = refusal(&parse_quote!(
        #[topic(nested)]
        struct Bird {
            x: f64,
        }
    ));
    assert!(text.contains("no topic is of a nested type"), "{text}");
    refused! {
        "expected \"hash\" or \"sequential\"": { #[topic(autoid = "name")] struct Bird { x: f64 } }
        "`bit_bound` is 1 to 32": { #[topic(bit_bound = 33)] enum Bird { Wren } }
        "`bit_bound` is 1 to 64": { #[topic(bitmask, bit_bound = 65, flag(A))] struct Birds(u64); }
        "are final or appendable": { #[topic(extensibility = "mutable")] enum Bird { Wren } }
        "are final or appendable": { #[topic(bitmask, extensibility = "mutable")] struct Birds(u32); }
        "a second default": { enum Bird { #[topic(default)] Wren, #[topic(default)] Robin } }
        "expected `name`, `extensibility`": { #[topic(nestled)] struct Bird { x: f64 } }
    }
}

#[test]
fn misuse_of_attributes_of_members() {
    refused! {
        "`x` and `y` both have the member id 3: give one an `id`":
            { struct Bird { #[topic(id = 3)] x: f64, #[topic(id = 3)] y: f64 } }
        "`id` or `hashid`, not both": { struct Bird { #[topic(id = 3, hashid)] x: f64 } }
        "the name of a member has": { struct Bird { #[topic(name = "a b")] x: f64 } }
        "the name of a member has": { enum Bird { #[topic(name = "")] Wren } }
        "expected \"discard\", \"use_default\" or \"trim\"":
            { struct Bird { #[topic(try_construct = "cut")] x: String } }
        "expected `name`, `id`, `hashid`, `must_understand`, `default`, `min`":
            { struct Bird { #[topic(other)] x: f64 } }
        "expected `bound`, `octet`":
            { struct Bird { #[topic(element(id = 3))] x: Vec<f64> } }
        "expected `default`, `min`, `max`, `unit`":
            { struct Bird { #[topic(alias("Name", bound = 3))] x: String } }
        "expected `name` or `default`": { enum Bird { #[topic(id = 3)] Wren } }
    }
}

#[test]
fn misuse_of_attributes_of_unions() {
    refused! {
        "a second case for all other discriminators":
            { enum Bird { Wren(u8), #[topic(default)] All(i32, u8), #[topic(other)] Other(i32) } }
        "`Name(Discriminator)`, and has no `case`":
            { enum Bird { Wren(u8), #[topic(other, case = 3)] Other(i32) } }
        "`Name(Discriminator)`, and has no `case`":
            { enum Bird { Wren(u8), #[topic(other)] Other } }
        "this case is taken":
            { enum Bird { #[topic(case = 1)] Wren(u8), #[topic(case = 1)] Robin(i32, u8) } }
        "member id 0 is that of the discriminator":
            { enum Bird { #[topic(id = 0)] Wren(u8) } }
        "`Name(Type)`, `Name(Discriminator, Type)` or `Name`": { enum Bird { Wren(u8, u8, u8) } }
        "is `Name`, `Name(Type)` or `Name(Discriminator, Type)`": { enum Bird { Wren { x: u8 } } }
        "a union needs a case": { enum Bird { #[topic(other)] Other(i32) } }
        "expected `key`, `octet`": { #[topic(discriminator("u8", id = 3))] enum Bird { Wren(u8) } }
    }
}

#[test]
fn misuse_of_bits() {
    refused! {
        "with 9 bits it is `struct Birds(pub u16);`":
            { #[topic(bitmask, bit_bound = 9, flag(WREN))] struct Birds(u32); }
        "with 32 bits it is `struct Birds(pub u32);`": { #[topic(bitmask)] struct Birds { x: u32 } }
        "bit 8 is beyond the `bit_bound` 8":
            { #[topic(bitmask, bit_bound = 8, flag(WREN = 8))] struct Birds(u8); }
        "bit 1 has two names":
            { #[topic(bitmask, flag(WREN = 1), flag(ROBIN = 1))] struct Birds(u32); }
        "expected 0 to 63": { #[topic(bitmask, flag(WREN = 64))] struct Birds(u64); }
        "a `bitmask` or a `bitset`, not both": { #[topic(bitmask, bitset)] struct Birds(u32); }
        "a bitset needs a `field`": { #[topic(bitset)] struct Birds(u32); }
        "which `size` has it?": { #[topic(bitset, field(a: u8))] struct Birds(u8); }
        "expected 1 to 8": { #[topic(bitset, field(a: u8, size = 9))] struct Birds(u16); }
        "its bits are those of another field":
            { #[topic(bitset, field(a: u8, size = 8), field(b: u8, size = 1, position = 7))] struct Birds(u8); }
        "it ends at bit 70":
            { #[topic(bitset, field(a: u8, size = 8, position = 62))] struct Birds(u64); }
        "a field of a bitset is a `bool` or an integer":
            { #[topic(bitset, field(a: f32, size = 8))] struct Birds(u8); }
    }
}
