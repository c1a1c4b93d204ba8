//! Enums without data: IDL enumerations.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, Error, Ident, Result};

use syn::ext::IdentExt;

use crate::attributes::{Container, Element, Place};

pub(crate) fn expand(container: &Container, data: &DataEnum) -> Result<TokenStream> {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    let default = default_variant(container, data)?;
    let integer = integer(container.bit_bound);
    let (name, names) = (&container.name, names(&variants));
    let constants: Vec<_> = (0..variants.len())
        .map(|n| format_ident!("VALUE_{n}"))
        .collect();
    Ok(quote! {
        #[automatically_derived]
        impl #cdr::Layout for #ident {
            const LENGTH_CODE: u32 = <#integer as #cdr::Layout>::LENGTH_CODE;
            const MIN_SIZE: usize = <#integer as #cdr::Layout>::MIN_SIZE;

            #[inline]
            fn key_end(at: usize) -> ::core::option::Option<usize> {
                <#integer as #cdr::Layout>::key_end(at)
            }

            fn describe() -> ::core::option::Option<#cdr::Type> {
                static TYPE: #cdr::EnumerationType = #cdr::EnumerationType {
                    name: #name,
                    size: ::core::mem::size_of::<#integer>(),
                    literals: &[#(#cdr::EnumeratedLiteral {
                        name: #names,
                        value: #ident::#variants as i32,
                    }),*],
                    default: #ident::#default as i32,
                };
                ::core::option::Option::Some(#cdr::Type::Enumeration(&TYPE))
            }
        }

        #[automatically_derived]
        impl #cdr::Discriminator for #ident {
            fn number(&self) -> i64 {
                match self {
                    #(Self::#variants => const { #ident::#variants as i64 },)*
                }
            }
        }

        #[automatically_derived]
        impl #cdr::Serialize for #ident {
            #[inline]
            fn serialize<S: #cdr::Sink>(
                &self,
                w: &mut #cdr::Writer<S>,
            ) -> ::core::result::Result<(), #cdr::Error> {
                let value: #integer = match self {
                    #(Self::#variants => const { #ident::#variants as #integer },)*
                };
                #cdr::Serialize::serialize(&value, w)
            }
        }

        #[automatically_derived]
        impl #cdr::Deserialize for #ident {
            #[inline]
            fn deserialize(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                #(const #constants: #integer = #ident::#variants as #integer;)*
                match <#integer as #cdr::Deserialize>::deserialize(r)? {
                    #(#constants => ::core::result::Result::Ok(Self::#variants),)*
                    other => ::core::result::Result::Err(
                        #cdr::Error::UnknownEnumerator(::core::convert::From::from(other)),
                    ),
                }
            }

            #[inline]
            fn default_value() -> Self {
                Self::#default
            }
        }
    })
}

/// As IDL would have them.
fn names(variants: &[&Ident]) -> Vec<String> {
    let names = variants.iter().map(|ident| ident.unraw().to_string());
    names.collect()
}

/// The integer that carries an enumeration of so many bits (DDS-XTypes 1.3 7.4.3.5.3, rule 7).
fn integer(bit_bound: u32) -> TokenStream {
    match bit_bound {
        0..=8 => quote!(i8),
        9..=16 => quote!(i16),
        _ => quote!(i32),
    }
}

fn default_variant<'a>(container: &Container, data: &'a DataEnum) -> Result<&'a Ident> {
    let mut chosen = None;
    for variant in &data.variants {
        if Element::parse(&variant.attrs, Place::Enumerator)?.default
            && chosen.replace(&variant.ident).is_some()
        {
            return Err(Error::new_spanned(variant, "a second default"));
        }
    }
    chosen
        .or(data.variants.first().map(|variant| &variant.ident))
        .ok_or_else(|| Error::new_spanned(&container.ident, "an enumeration needs an enumerator"))
}
