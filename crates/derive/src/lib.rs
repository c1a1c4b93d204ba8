//! `#[derive(Topic)]` and `#[derive(Data)]`: the CDR encoding of a Rust type, see the crate
//! `dunlin-cdr`.
//!
//! `Topic` is for the types of topics, `Data` for types that occur inside them. Both write the same
//! encoding. `docs/derive.md` has the attributes beside what they are in IDL.
//!
//! On the type, `#[topic(...)]` with
//! - `name = "module::Type"`: the name on the network (default: the Rust name);
//! - `extensibility = "final" | "appendable" | "mutable"` (default: appendable, as DDS-XTypes 1.3
//!   7.2.2.4.4.4.6 says);
//! - `nested`: no topic is of it (`Data` alone);
//! - `autoid = "hash" | "sequential"`: where member ids come from (default: sequential);
//! - `base = "Type"`: the struct begins with the fields of this one, which is its base in IDL;
//! - `default`: implements `Default` by the default values of DDS-XTypes and those of members;
//! - `range_checks`: `min` and `max` of members are checked when values are written and read;
//! - `bit_bound = N`: enumerations of 1 to 32 bits, bitmasks of 1 to 64 (default 32);
//! - `ignore_literal_names`: literals of an enumeration are compared by value alone;
//! - `bitmask` and `flag(NAME = POSITION, name = "..", doc = "..")`: a struct around one unsigned
//!   integer is a bitmask with these flags;
//! - `bitset` and `field(name: type, size = BITS, position = FIRST, octet, name = "..", doc = "..")`:
//!   a struct around one unsigned integer is a bitset of these numbers;
//! - `discriminator = "u8"`: the type that selects the case of a union (default `i32`); with
//!   annotations, `discriminator("u8", key, octet, default = 1)`;
//! - `expansion = N`: a payload may take N times its length in memory (default 16, structs with
//!   `Topic`);
//! - `plain`: the memory of the struct is its encoding, which is checked (see `dunlin_cdr::Plain`);
//!   needs `#[repr(C)]`, `Clone` and `Copy`;
//! - `crate = "path"`: where the items of `dunlin-cdr` are found (default `::dunlin::cdr`).
//!
//! On a field, `#[key]` (not on an `Option`: every sample belongs to an instance), and
//! `#[topic(...)]` with
//! - `name = ".."`: its name in IDL (default: the Rust name);
//! - `id = N`, `hashid` or `hashid = ".."`: its member id (default: that of the field before plus
//!   one);
//! - `must_understand`: readers that do not know the member refuse the sample;
//! - `default = VALUE`: what it is if the sender lacks it;
//! - `min = VALUE`, `max = VALUE`, `unit = ".."`: for those who read the type, and for
//!   `range_checks`;
//! - `bound = N`: how many elements a string (in bytes) or sequence may have;
//! - `octet`, `uint8`: what bytes in it are;
//! - `external`: it is reached by a reference;
//! - `try_construct = "discard" | "use_default" | "trim"`: what happens to values that it cannot
//!   hold;
//! - `alias = ".."`: the typedef that its type is;
//! - `element(...)`, `map_key(...)`: the last five of the elements of a collection, and of the keys
//!   of a map.
//!
//! On a variant of a union, `#[topic(...)]` with `case = VALUE`, once or more often (the first is
//! written; default: that of the variant before plus one), `default` (it takes all other
//! discriminators), `other` (all that select nothing), `default_value`, and what fields have besides
//! `must_understand`. A variant with two values has the discriminator as the first.
//! On a variant of an enumeration, `#[topic(default)]` marks the value of members that a sender does
//! not have, and `name` is its name in IDL.

mod attributes;
mod bits;
mod enumeration;
mod fit;
mod plain;
mod range;
mod structure;
mod union;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Error, Result, parse_macro_input};

use attributes::Container;

/// The encoding of a struct that is the type of a topic.
#[proc_macro_derive(Topic, attributes(topic, key))]
pub fn derive_topic(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(parse_macro_input!(input), true)
}

/// The encoding of a struct, enumeration or union that occurs inside topics.
#[proc_macro_derive(Data, attributes(topic, key))]
pub fn derive_data(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(parse_macro_input!(input), false)
}

fn expand(input: DeriveInput, is_topic: bool) -> proc_macro::TokenStream {
    implementation(&input, is_topic)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn implementation(input: &DeriveInput, is_topic: bool) -> Result<TokenStream> {
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(
            parameter,
            "a type with generic parameters has no fixed encoding",
        ));
    }
    let container = Container::parse(input, is_topic)?;
    if container.plain {
        plain::check(&container, input)?;
    }
    if container.bitmask || container.bitset {
        return bits::expand(&container, input);
    }
    match &input.data {
        Data::Struct(data) => structure::expand(&container, data),
        Data::Enum(data) if is_topic => Err(Error::new_spanned(
            data.enum_token,
            "only a struct can be the type of a topic; derive `Data` for enumerations and unions",
        )),
        Data::Enum(data) if union::is_union(&container, data)? => union::expand(&container, data),
        Data::Enum(data) => enumeration::expand(&container, data),
        Data::Union(data) => Err(Error::new_spanned(
            data.union_token,
            "an IDL union is a Rust enum whose variants have one value or none",
        )),
    }
}

#[cfg(test)]
mod tests;
