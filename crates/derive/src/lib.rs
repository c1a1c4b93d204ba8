//! `#[derive(Topic)]` and `#[derive(Data)]`: the CDR encoding of a Rust type, see the crate
//! `dunlin-cdr`.
//!
//! `Topic` is for the types of topics, `Data` for types that occur inside them. Both write the same
//! encoding.
//!
//! On the type, `#[topic(...)]` with
//! - `name = "module::Type"`: the name on the network (default: the Rust name);
//! - `extensibility = "final" | "appendable" | "mutable"` (default: appendable, as DDS-XTypes 1.3
//!   7.2.2.4.4.4.6 says);
//! - `bit_bound = N`: enumerations of 1 to 32 bits (default 32);
//! - `discriminator = "u8"`: the type that selects the case of a union (default `i32`);
//! - `expansion = N`: a payload may take N times its length in memory (default 16, structs with
//!   `Topic`);
//! - `plain`: the memory of the struct is its encoding, which is checked (see `dunlin_cdr::Plain`);
//!   needs `#[repr(C)]`, `Clone` and `Copy`;
//! - `crate = "path"`: where the items of `dunlin-cdr` are found (default `::dunlin::cdr`).
//!
//! On a field, `#[key]` (not on an `Option`: every sample belongs to an instance), and
//! `#[topic(...)]` with
//! - `id = N`: its member id (default: that of the field before plus one);
//! - `bound = N`: how many elements a string (in bytes) or sequence may have;
//! - `must_understand`: readers that do not know the member refuse the sample.
//!
//! On a variant of a union, `#[topic(...)]` with `case = VALUE`, once or more often (the first is
//! written; default: that of the variant before plus one), `default` (it takes all other
//! discriminators), `id` and `bound`. On a variant of an enumeration, `#[topic(default)]` marks the
//! value of members that a sender does not have.

mod attributes;
mod enumeration;
mod plain;
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
mod tests {
    use super::*;
    use syn::parse_quote;

    #[track_caller]
    fn refusal(input: &DeriveInput) -> String {
        let refused = implementation(input, true);
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
}
