//! Structs are read.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::{Field, Part, is_sorted, keys, parts, sorted_keys};
use crate::attributes::{Container, Extensibility};
use crate::{fit, range};

pub(super) fn deserialize(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let body = |keys_only| match container.extensibility {
        Extensibility::Mutable => labelled_body(container, fields, keys_only),
        _ if keys_only => key_body(container, fields),
        _ => whole_body(container, fields),
    };
    let (all, keys) = (body(false), body(true));
    let plain_keys = plain_key_body(container, fields);
    let keys = if is_sorted(fields) && container.extensibility != Extensibility::Mutable {
        keys
    } else {
        quote!(if r.is_plain() { #plain_keys } else { #keys })
    };
    let defaults = fields.iter().map(|field| {
        let (ident, value) = (field.ident, field.default_value(cdr));
        quote!(#ident: #value)
    });
    quote! {
        #[automatically_derived]
        impl #cdr::Deserialize for #ident {
            #[inline]
            fn deserialize(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                #all
            }

            #[inline]
            fn deserialize_key(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                #keys
            }

            #[inline]
            fn default_value() -> Self {
                Self { #(#defaults),* }
            }
        }
    }
}

/// Whether a field is read when only keys, or everything, is.
fn is_read(fields: &[Field<'_>], field: &Field<'_>, keys_only: bool) -> bool {
    !keys_only || keys(fields).iter().any(|key| key.id == field.id)
}

/// What was read of a field, made fit.
fn fitting(container: &Container, field: &Field<'_>, value: TokenStream) -> TokenStream {
    let cdr = &container.cdr;
    let (value_of, heap) = (field.default_value(cdr), field.default_heap(cdr));
    let default = quote!({
        r.charge(#heap)?;
        #value_of
    });
    let value = fit::fit(cdr, value, &field.attributes.element, &default);
    field.ranged(|of| range::fit(container, value, of))
}

/// The next member of a type whose members have no headers.
fn next(container: &Container, field: &Field<'_>) -> TokenStream {
    let cdr = &container.cdr;
    let (ty, id) = (field.ty, field.id);
    let value = if field.attributes.annotations.default.is_some() {
        let (value, heap) = (field.default_value(cdr), field.default_heap(cdr));
        quote!(r.member_or::<#ty>(&scope, #id, #heap, || #value)?)
    } else {
        quote!(r.member::<#ty>(&scope, #id)?)
    };
    fitting(container, field, value)
}

/// The key part of the next member of a type whose members have no headers.
fn next_key(container: &Container, field: &Field<'_>) -> TokenStream {
    let cdr = &container.cdr;
    let ty = field.ty;
    let value = if field.attributes.annotations.default.is_some() {
        let (value, heap) = (field.default_value(cdr), field.default_heap(cdr));
        quote!(r.key_member_or::<#ty>(&scope, #heap, || #value)?)
    } else {
        quote!(r.key_member::<#ty>(&scope)?)
    };
    fitting(container, field, value)
}

/// The key members of a type whose members have no headers.
fn key_body(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let values = fields.iter().map(|field| {
        let ident = field.ident;
        let value = match is_read(fields, field, true) {
            true => next_key(container, field),
            false => field.default_value(cdr),
        };
        quote!(#ident: #value)
    });
    quote! {
        let scope = r.begin(#extensibility)?;
        let value = Self { #(#values),* };
        r.end(scope);
        ::core::result::Result::Ok(value)
    }
}

/// All members of a type whose members have no headers.
fn whole_body(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let read = |field: &Field<'_>| next(container, field);
    let reads = parts(container, fields).into_iter().map(|part| match part {
        Part::One(field) => {
            let (variable, value) = (member(field), read(field));
            quote!(let #variable = #value;)
        }
        Part::Run(run) => {
            let (constant, name) = (run.constant(cdr), &run.name);
            let variables = run.fields.iter().map(member);
            let together = run.fields.iter().enumerate().map(|(n, field)| {
                let ty = field.ty;
                quote!(#name.get::<#ty>(#n, run))
            });
            let one_by_one = run.fields.iter().map(read);
            quote! {
                #constant
                let (#(#variables),*) = match r.take_run::<{ #name.size() }>(#name.align()) {
                    ::core::option::Option::Some(run) => (#(#together),*),
                    ::core::option::Option::None => (#(#one_by_one),*),
                };
            }
        }
    });
    let (idents, variables) = (fields.iter().map(|f| f.ident), fields.iter().map(member));
    quote! {
        let scope = r.begin(#extensibility)?;
        #(#reads)*
        r.end(scope);
        ::core::result::Result::Ok(Self { #(#idents: #variables),* })
    }
}

/// The variable that a member is read into.
fn member(field: &Field<'_>) -> Ident {
    format_ident!("member_{}", field.id)
}

fn labelled_body(container: &Container, fields: &[Field<'_>], keys_only: bool) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let variables: Vec<_> = (0..fields.len())
        .map(|n| format_ident!("field_{n}"))
        .collect();
    let declarations = fields.iter().zip(&variables).map(|(field, variable)| {
        let value = field.default_value(cdr);
        let mutable = is_read(fields, field, keys_only).then(|| quote!(mut));
        quote!(let #mutable #variable = #value;)
    });
    let arms = fields.iter().zip(&variables).map(|(field, variable)| {
        let (ty, id) = (field.ty, field.id);
        if !is_read(fields, field, keys_only) {
            return quote!(#id => {});
        }
        let read = if keys_only {
            quote!(<#ty as #cdr::Deserialize>::deserialize_present_key(r)?)
        } else {
            quote!(<#ty as #cdr::Deserialize>::deserialize_present(r)?)
        };
        let value = fitting(container, field, read);
        quote!(#id => #variable = #value,)
    });
    let idents = fields.iter().map(|field| field.ident);
    quote! {
        let scope = r.begin(#extensibility)?;
        r.charge(<Self as #cdr::Layout>::DEFAULT_HEAP)?;
        #(#declarations)*
        while let ::core::option::Option::Some(member) = r.next_member()? {
            match member.id() {
                #(#arms)*
                _ => r.unknown_member(&member)?,
            }
            r.end_member(member);
        }
        r.end(scope);
        ::core::result::Result::Ok(Self { #(#idents: #variables),* })
    }
}

/// Keys without headers, in the order of their ids, as a key hash has them.
fn plain_key_body(container: &Container, fields: &[Field<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let reads = sorted_keys(fields).into_iter().map(|field| {
        let (variable, value) = (member(field), next_key(container, field));
        quote!(let #variable = #value;)
    });
    let values = fields.iter().map(|field| {
        let (ident, variable) = (field.ident, member(field));
        if is_read(fields, field, true) {
            quote!(#ident: #variable)
        } else {
            let value = field.default_value(cdr);
            quote!(#ident: #value)
        }
    });
    quote! {
        let scope = r.begin(#extensibility)?;
        #(#reads)*
        r.end(scope);
        ::core::result::Result::Ok(Self { #(#values),* })
    }
}
