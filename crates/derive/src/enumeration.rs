//! Enums without data: IDL enumerations.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, Error, Ident, Result};

use crate::attributes::{Container, Member, Place};

pub(crate) fn expand(container: &Container, data: &DataEnum) -> Result<TokenStream> {
    container.refuse_mutable()?;
    let (cdr, ident) = (&container.cdr, &container.ident);
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    let members = data.variants.iter();
    let members = members.map(|variant| Member::parse(&variant.attrs, Place::Enumerator));
    let members: Vec<Member> = members.collect::<Result<_>>()?;
    let default = default_variant(container, &variants, &members)?;
    let bits = container.bits(32)?;
    let integer = integer(bits);
    let bit_bound = bits as u16;
    let checks = checks(container, bits, &variants);
    let extensibility = container.extensibility();
    let ignores_literal_names = container.ignores_literal_names;
    let implements_default = container.default();
    let name = &container.name;
    let names = variants.iter().zip(&members);
    let names: Vec<String> = names.map(|(ident, member)| member.name(ident)).collect();
    let constants: Vec<_> = (0..variants.len())
        .map(|n| format_ident!("VALUE_{n}"))
        .collect();
    Ok(quote! {
        #checks
        #implements_default

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
                    extensibility: #extensibility,
                    bit_bound: #bit_bound,
                    literals: &[#(#cdr::EnumeratedLiteral {
                        name: #names,
                        value: #ident::#variants as i32,
                    }),*],
                    default: #ident::#default as i32,
                    ignores_literal_names: #ignores_literal_names,
                };
                ::core::option::Option::Some(#cdr::Type::Enumeration(&TYPE))
            }
        }

        #[automatically_derived]
        impl #cdr::Annotated for #ident {
            type Value = Self;

            #[inline]
            fn of(value: Self) -> Self {
                value
            }

            fn constant(value: Self) -> #cdr::Constant {
                #cdr::Constant::Integer(#cdr::Discriminator::number(&value).into())
            }
        }

        #[automatically_derived]
        impl #cdr::Ranged for #ident {
            const KIND: #cdr::NumberKind = #cdr::NumberKind::Signed;

            fn outside(
                &self,
                min: ::core::option::Option<Self>,
                max: ::core::option::Option<Self>,
            ) -> ::core::option::Option<u64> {
                let number = #cdr::Discriminator::number(self);
                let is_in = min.is_none_or(|min| number >= #cdr::Discriminator::number(&min))
                    && max.is_none_or(|max| number <= #cdr::Discriminator::number(&max));
                (!is_in).then_some(number as u64)
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
                    other => {
                        let value = ::core::convert::From::from(other);
                        r.unfit(#cdr::Error::UnknownEnumerator(value))?;
                        ::core::result::Result::Ok(Self::#default)
                    }
                }
            }

            #[inline]
            fn default_value() -> Self {
                Self::#default
            }
        }
    })
}

/// The integer that carries an enumeration of so many bits (DDS-XTypes 1.3 7.4.3.5.3, rule 7).
fn integer(bit_bound: u32) -> TokenStream {
    match bit_bound {
        0..=8 => quote!(i8),
        9..=16 => quote!(i16),
        _ => quote!(i32),
    }
}

/// Each value has to fit the bits.
fn checks(container: &Container, bits: u32, variants: &[&Ident]) -> TokenStream {
    let ident = &container.ident;
    let most = (1_i64 << (bits - 1)) - 1;
    let least = -most - 1;
    let checks = variants.iter().map(|variant| {
        let why = format!(
            "the value of `{ident}::{variant}` has more than {bits} bits: {least} to {most}"
        );
        quote!(
            const _: () = ::core::assert!(
                #ident::#variant as i64 >= #least && #ident::#variant as i64 <= #most,
                #why
            );
        )
    });
    checks.collect()
}

fn default_variant<'a>(
    container: &Container,
    variants: &[&'a Ident],
    members: &[Member],
) -> Result<&'a Ident> {
    let mut marked = variants.iter().zip(members);
    let mut marked = marked.by_ref().filter(|(_, member)| member.default);
    let first = marked.next();
    if let Some((second, _)) = marked.next() {
        return Err(Error::new_spanned(second, "a second default"));
    }
    let chosen = first.map(|(ident, _)| ident).or(variants.first());
    chosen
        .copied()
        .ok_or_else(|| Error::new_spanned(&container.ident, "an enumeration needs an enumerator"))
}
