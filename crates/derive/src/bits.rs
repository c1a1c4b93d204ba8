//! Structs around one number: IDL bitmasks and bitsets.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type, Visibility};

use crate::attributes::{Bitfield, Container, Flag};

pub(crate) fn expand(container: &Container, input: &DeriveInput) -> Result<TokenStream> {
    match (container.bitmask, container.bitset) {
        (true, true) => Err(Error::new_spanned(
            &container.ident,
            "a type is a `bitmask` or a `bitset`, not both",
        )),
        (true, false) => bitmask(container, input),
        _ => bitset(container, input),
    }
}

/// The integer that has so many bits, of which the struct consists.
fn integer(input: &DeriveInput, bits: u32) -> Result<Ident> {
    let integer = match bits {
        0..=8 => "u8",
        9..=16 => "u16",
        17..=32 => "u32",
        _ => "u64",
    };
    let ident = &input.ident;
    let wrong = || {
        Error::new_spanned(
            ident,
            format!("with {bits} bits it is `struct {ident}(pub {integer});`"),
        )
    };
    let Data::Struct(data) = &input.data else {
        return Err(wrong());
    };
    match &data.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => match fields.unnamed.first() {
            Some(syn::Field {
                ty: Type::Path(path),
                ..
            }) if path.path.is_ident(integer) => Ok(format_ident!("{integer}")),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

fn bitmask(container: &Container, input: &DeriveInput) -> Result<TokenStream> {
    container.refuse_mutable()?;
    let bits = container.bits(64)?;
    let integer = integer(input, bits)?;
    let (cdr, name) = (&container.cdr, &container.name);
    let mut mask = 0_u64;
    for flag in &container.flags {
        let bit = 1 << flag.position;
        if flag.position >= bits || mask & bit != 0 {
            let why = match flag.position >= bits {
                true => format!("bit {} is beyond the `bit_bound` {bits}", flag.position),
                false => format!("bit {} has two names", flag.position),
            };
            return Err(Error::new_spanned(&flag.ident, why));
        }
        mask |= bit;
    }
    let mask = proc_macro2::Literal::u64_unsuffixed(mask);
    let extensibility = container.extensibility();
    let bit_bound = bits as u16;
    let flags = container.flags.iter().map(|flag| {
        let (name, position) = (&flag.name, flag.position as u16);
        quote!(#cdr::FlagDescriptor { name: #name, position: #position })
    });
    let ty = quote! {
        static TYPE: #cdr::BitmaskType = #cdr::BitmaskType {
            name: #name,
            extensibility: #extensibility,
            bit_bound: #bit_bound,
            flags: &[#(#flags),*],
        };
        ::core::option::Option::Some(#cdr::Type::Bitmask(&TYPE))
    };
    let check = quote! {
        let mask: #integer = #mask;
        let unknown = bits & !mask != 0;
        let error = #cdr::Error::UnknownBits { bits: bits.into(), mask: mask.into() };
    };
    let write = quote! {
        let bits = self.0;
        #check
        if unknown {
            return ::core::result::Result::Err(error);
        }
    };
    let read = quote! {
        #check
        if unknown {
            r.unfit(error)?;
            return ::core::result::Result::Ok(Self(0));
        }
    };
    let codec = codec(container, &integer, &ty, &write, &read);
    let operators = operators(container, &input.vis, &integer, &mask);
    let label = label(container);
    let default = container.default();
    Ok(quote!(#codec #operators #label #default))
}

/// Constants, and what sets of bits have.
fn operators(
    container: &Container,
    visibility: &Visibility,
    integer: &Ident,
    mask: &proc_macro2::Literal,
) -> TokenStream {
    let ident = &container.ident;
    let flags = container.flags.iter().map(|flag| {
        let Flag {
            ident,
            position,
            doc,
            name,
        } = flag;
        let doc = match doc {
            Some(doc) => quote!(#[doc = #doc]),
            None => {
                let doc = format!("`{name}`: bit {position}.");
                quote!(#[doc = #doc])
            }
        };
        quote!(#doc #visibility const #ident: Self = Self(1 << #position);)
    });
    let binary = |name: &str, method: &str, operator: TokenStream| {
        let (name, method) = (format_ident!("{name}"), format_ident!("{method}"));
        let (assigns, assign) = (
            format_ident!("{name}Assign"),
            format_ident!("{method}_assign"),
        );
        quote! {
            #[automatically_derived]
            impl ::core::ops::#name for #ident {
                type Output = Self;

                #[inline]
                fn #method(self, other: Self) -> Self {
                    Self(self.0 #operator other.0)
                }
            }

            #[automatically_derived]
            impl ::core::ops::#assigns for #ident {
                #[inline]
                fn #assign(&mut self, other: Self) {
                    self.0 = self.0 #operator other.0;
                }
            }
        }
    };
    let or = binary("BitOr", "bitor", quote!(|));
    let and = binary("BitAnd", "bitand", quote!(&));
    quote! {
        #[automatically_derived]
        #[allow(dead_code, reason = "whoever has a bitmask need not use all of it")]
        impl #ident {
            #(#flags)*

            /// Whether all bits of `other` are set.
            #visibility const fn contains(&self, other: &Self) -> bool {
                self.0 & other.0 == other.0
            }
        }

        #or
        #and

        #[automatically_derived]
        impl ::core::ops::Not for #ident {
            type Output = Self;

            /// The bits that have names and are not set.
            #[inline]
            fn not(self) -> Self {
                let mask: #integer = #mask;
                Self(!self.0 & mask)
            }
        }
    }
}

/// A bitmask can select the case of a union, and be a default.
fn label(container: &Container) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    quote! {
        #[automatically_derived]
        impl #cdr::Discriminator for #ident {
            fn number(&self) -> i64 {
                #cdr::Discriminator::number(&self.0)
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
                #cdr::Constant::Integer(value.0.into())
            }
        }
    }
}

/// The encoding: that of the integer.
fn codec(
    container: &Container,
    integer: &Ident,
    ty: &TokenStream,
    write: &TokenStream,
    read: &TokenStream,
) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    quote! {
        #[automatically_derived]
        impl #cdr::Layout for #ident {
            const LENGTH_CODE: u32 = <#integer as #cdr::Layout>::LENGTH_CODE;
            const MIN_SIZE: usize = <#integer as #cdr::Layout>::MIN_SIZE;

            #[inline]
            fn key_end(at: usize) -> ::core::option::Option<usize> {
                <#integer as #cdr::Layout>::key_end(at)
            }

            fn describe() -> ::core::option::Option<#cdr::Type> {
                #ty
            }
        }

        #[automatically_derived]
        impl #cdr::Serialize for #ident {
            #[inline]
            fn serialize<S: #cdr::Sink>(
                &self,
                w: &mut #cdr::Writer<S>,
            ) -> ::core::result::Result<(), #cdr::Error> {
                #write
                #cdr::Serialize::serialize(&self.0, w)
            }
        }

        #[automatically_derived]
        impl #cdr::Deserialize for #ident {
            #[inline]
            fn deserialize(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                let bits = <#integer as #cdr::Deserialize>::deserialize(r)?;
                #read
                ::core::result::Result::Ok(Self(bits))
            }

            #[inline]
            fn default_value() -> Self {
                Self(0)
            }
        }
    }
}

fn bitset(container: &Container, input: &DeriveInput) -> Result<TokenStream> {
    let (cdr, name) = (&container.cdr, &container.name);
    let mut taken = 0_u64;
    for field in &container.fields {
        let (position, size) = (field.position, field.size);
        let bits = match position + size {
            0..=64 => (u64::MAX >> (64 - size)) << position,
            end => {
                let why = format!("it ends at bit {end}, and a bitset has at most 64");
                return Err(Error::new_spanned(&field.ident, why));
            }
        };
        if taken & bits != 0 {
            let why = "its bits are those of another field";
            return Err(Error::new_spanned(&field.ident, why));
        }
        taken |= bits;
    }
    if taken == 0 {
        return Err(Error::new_spanned(
            &container.ident,
            "a bitset needs a `field`",
        ));
    }
    let integer = integer(input, 64 - taken.leading_zeros())?;
    let fields = container.fields.iter().map(|field| {
        let (name, position, size) = (&field.name, field.position as u16, field.size as u8);
        let holder = holder(field);
        quote!(#cdr::BitfieldDescriptor {
            name: #name,
            position: #position,
            size: #size,
            holder: #cdr::Type::#holder,
        })
    });
    let ty = quote! {
        static TYPE: #cdr::BitsetType = #cdr::BitsetType {
            name: #name,
            fields: &[#(#fields),*],
        };
        ::core::option::Option::Some(#cdr::Type::Bitset(&TYPE))
    };
    let codec = codec(container, &integer, &ty, &quote!(), &quote!());
    let accessors = container.fields.iter();
    let accessors = accessors.map(|field| accessors_of(field, &input.vis, &integer));
    let (ident, default) = (&container.ident, container.default());
    Ok(quote! {
        #codec
        #default

        #[automatically_derived]
        #[allow(dead_code, reason = "whoever has a bitset need not use all of it")]
        #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
        impl #ident {
            #(#accessors)*
        }
    })
}

fn holder(field: &Bitfield) -> Ident {
    let name = match field.ty.to_string().as_str() {
        "bool" => "Boolean",
        "u8" if field.octet => "Octet",
        "u8" => "UInt8",
        "i8" => "Int8",
        "u16" => "UInt16",
        "i16" => "Int16",
        "u32" => "UInt32",
        "i32" => "Int32",
        "u64" => "UInt64",
        _ => "Int64",
    };
    format_ident!("{name}")
}

/// What reads and what sets a number.
fn accessors_of(field: &Bitfield, visibility: &Visibility, integer: &Ident) -> TokenStream {
    let Bitfield {
        ident,
        ty,
        position,
        size,
        ..
    } = field;
    let set = format_ident!("set_{}", ident.unraw());
    let mask = proc_macro2::Literal::u64_unsuffixed(u64::MAX >> (64 - size));
    let unused = 64 - size;
    let value = match ty.to_string().as_str() {
        "bool" => quote!(bits & 1 == 1),
        signed if signed.starts_with('i') => {
            quote!((((bits << #unused) as i64) >> #unused) as #ty)
        }
        _ => quote!((bits & #mask) as #ty),
    };
    let doc = match &field.doc {
        Some(doc) => doc.value(),
        None => format!("`{}`: {size} bits from bit {position}.", field.name),
    };
    let sets = format!("Sets `{}`. More than {size} bits are cut off.", field.name);
    quote! {
        #[doc = #doc]
        #visibility const fn #ident(&self) -> #ty {
            let bits = (self.0 as u64) >> #position;
            #value
        }

        #[doc = #sets]
        #visibility const fn #set(&mut self, value: #ty) {
            let mask: u64 = #mask;
            let others = self.0 as u64 & !(mask << #position);
            self.0 = (others | ((value as u64 & mask) << #position)) as #integer;
        }
    }
}
