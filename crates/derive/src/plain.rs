//! Plain structs: their memory is their encoding.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Result};

use crate::attributes::{Container, Extensibility};
use crate::structure::Field;

/// Refuses what can be told without types.
pub(crate) fn check(container: &Container, input: &DeriveInput) -> Result<()> {
    if !matches!(input.data, Data::Struct(_)) {
        return Err(Error::new_spanned(
            &container.ident,
            "only a struct can be plain: not all bits are a value of an enumeration or union",
        ));
    }
    if container.extensibility == Extensibility::Mutable {
        return Err(Error::new_spanned(
            &container.ident,
            "a plain type is final or appendable: members of a mutable one have headers",
        ));
    }
    let mut is_c = false;
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            is_c |= meta.path.is_ident("C");
            if meta.path.is_ident("packed") {
                return Err(meta.error("the members of a plain type lie where CDR aligns them"));
            }
            // The argument of `align`.
            if meta.input.peek(syn::token::Paren) {
                let argument;
                syn::parenthesized!(argument in meta.input);
                argument.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    if is_c {
        return Ok(());
    }
    Err(Error::new_spanned(
        &container.ident,
        "a plain type is `#[repr(C)]`: its members lie in the order in which they are declared",
    ))
}

/// The implementations, and the proof that they are right.
pub(crate) fn expand(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let checks = fields.iter().map(|field| member_check(container, field));
    let is_final = container.extensibility == Extensibility::Final;
    let types: Vec<_> = fields.iter().map(|field| field.ty).collect();
    let members = fields.iter().map(|field| {
        let (name, member, ty) = (field.ident.to_string(), field.ident, field.ty);
        quote! {
            let hash = #cdr::hash_member(
                hash,
                #name,
                ::core::mem::offset_of!(#ident, #member),
                ::core::mem::size_of::<#ty>(),
                <#ty as #cdr::Plain>::HASH,
            );
        }
    });
    let end = format!(
        "plain type `{ident}` ends with padding: make its size a multiple of its largest member's alignment"
    );
    quote! {
        const _: () = {
            let mut end = 0usize;
            #(#checks)*
            ::core::assert!(::core::mem::size_of::<#ident>() == end, #end);
        };

        // SAFETY: all members are `Pod` and `Zeroable` by these very names, and there is no
        // padding, as is asserted above.
        #[allow(unsafe_code)]
        #[automatically_derived]
        unsafe impl #cdr::bytemuck::Zeroable for #ident {}

        // SAFETY: as above; `#[repr(C)]` is there, and the compiler checks `Copy`.
        #[allow(unsafe_code)]
        #[automatically_derived]
        unsafe impl #cdr::bytemuck::Pod for #ident {}

        #[automatically_derived]
        impl #cdr::Plain for #ident {
            const HASH: u64 = {
                let hash = #cdr::hash_struct(::core::mem::size_of::<#ident>());
                #(#members)*
                hash
            };
            const XCDR1: bool = true #(&& <#types as #cdr::Plain>::XCDR1)*;
            const XCDR2: bool = #is_final #(&& <#types as #cdr::Plain>::XCDR2)*;
        }
    }
}

fn member_check(container: &Container, field: &Field<'_>) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let (member, ty) = (field.ident, field.ty);
    let message = format!(
        "member `{member}` of plain type `{ident}` lies behind padding: reorder the members, or declare the padding as one"
    );
    quote_spanned! {ty.span()=>
        {
            // What is said below to be safe: `#cdr` may have another `Plain`, which demands less.
            const fn is_plain<
                T: #cdr::Plain + #cdr::bytemuck::Pod + #cdr::bytemuck::Zeroable,
            >() -> usize {
                ::core::mem::size_of::<T>()
            }
            ::core::assert!(::core::mem::offset_of!(#ident, #member) == end, #message);
            end += is_plain::<#ty>();
        }
    }
}

/// What `Topic` says of it.
pub(crate) fn constant(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let types = fields.iter().map(|field| field.ty);
    quote! {
        // The length before the outermost struct is no member's.
        const PLAIN: ::core::option::Option<#cdr::PlainLayout> = ::core::option::Option::Some(
            #cdr::PlainLayout::of::<#ident>(true #(&& <#types as #cdr::Plain>::XCDR2)*),
        );
    }
}
