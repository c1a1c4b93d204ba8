//! Values and the bounds of what they consist of.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Path, Type};

use crate::attributes::{Element, TryConstruct};

/// Refuses the value at `place`, a reference, if it is no value of its member: for writing.
pub(crate) fn check(cdr: &Path, id: u32, place: &TokenStream, of: &Element) -> TokenStream {
    if !of.has_nested_bounds() {
        let bound = of.bound.as_ref();
        return bound.map_or_else(
            TokenStream::new,
            |bound| quote!(w.check_bound(#id, #place, #bound)?;),
        );
    }
    let checks = checks(cdr, place, of);
    quote! {
        w.part(#cdr::Step::Member(#id), |w| {
            #checks
            ::core::result::Result::Ok(())
        })?;
    }
}

fn checks(cdr: &Path, place: &TokenStream, of: &Element) -> TokenStream {
    let own = of.bound.as_ref();
    let own = own.map(|bound| quote!(w.check_length(#place, #bound)?;));
    let inner = |of: &Element, each: TokenStream| {
        (of.bound.is_some() || of.has_nested_bounds()).then(|| {
            let check = checks(cdr, &quote!(element), of);
            quote! {
                #each(#place, &mut |step, element| {
                    w.part(step, |w| {
                        #check
                        ::core::result::Result::Ok(())
                    })
                })?;
            }
        })
    };
    let of_keys = of.map_key.as_deref();
    let of_keys = of_keys.and_then(|of| inner(of, quote!(#cdr::Keyed::each_key)));
    let of_elements = of.element.as_deref();
    let of_elements = of_elements.and_then(|of| inner(of, quote!(#cdr::Collection::each)));
    quote!(#own #of_keys #of_elements)
}

/// What was read, made fit: an expression. `default` is what the member has if its sender lacks it.
pub(crate) fn fit(
    cdr: &Path,
    value: TokenStream,
    of: &Element,
    default: &TokenStream,
) -> TokenStream {
    let read = match (&of.bound, of.try_construct, of.has_nested_bounds()) {
        (None, _, false) => value,
        (Some(bound), TryConstruct::Discard | TryConstruct::UseDefault, false) => {
            quote!({ let value = #value; r.bounded(value, #bound)? })
        }
        _ => {
            let changes = changes(cdr, &quote!(&mut value), of);
            quote!({ let mut value = #value; #changes value })
        }
    };
    match of.try_construct {
        TryConstruct::UseDefault => quote! {
            match r.construct(|r| {
                let value = #read;
                ::core::result::Result::Ok(value)
            })? {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => #default,
            }
        },
        _ => read,
    }
}

/// Makes the value at `place`, a mutable reference, fit.
fn changes(cdr: &Path, place: &TokenStream, of: &Element) -> TokenStream {
    let inner = |of: &Element, each: TokenStream| {
        (of.bound.is_some() || of.has_nested_bounds()).then(|| {
            let changes = changes(cdr, &quote!(&mut *element), of);
            let changes = match of.try_construct {
                TryConstruct::UseDefault => quote! {
                    let fits = r.construct(|r| { #changes ::core::result::Result::Ok(()) })?;
                    if fits.is_none() {
                        *element = #cdr::Deserialize::default_value();
                    }
                },
                _ => changes,
            };
            quote! {
                #each(#place, &mut |element| {
                    #changes
                    ::core::result::Result::Ok(())
                })?;
            }
        })
    };
    let own = of.bound.as_ref().map(|bound| match of.try_construct {
        TryConstruct::Trim => quote!(#cdr::Bounded::truncate(#place, #bound);),
        _ => quote!(r.check_bound(#place, #bound)?;),
    });
    let of_keys = of.map_key.as_deref();
    let of_keys = of_keys.and_then(|of| inner(of, quote!(#cdr::Keyed::each_key_mut)));
    let of_elements = of.element.as_deref();
    let of_elements = of_elements.and_then(|of| inner(of, quote!(#cdr::Collection::each_mut)));
    quote!(#own #of_keys #of_elements)
}

/// What of a value is in a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its key members.
    Key,
    Whole,
    /// All of it, as a row of an array.
    Row,
}

/// Where such a member ends at most in a key: an expression of the variable `at`.
pub(crate) fn end_in_key(cdr: &Path, ty: &Type, part: Part, of: &Element) -> TokenStream {
    end(cdr, &quote!(#ty), part, of)
}

fn end(cdr: &Path, ty: &TokenStream, part: Part, of: &Element) -> TokenStream {
    let bound = of.bound.as_ref();
    let nested = of.element.as_deref();
    match (nested.filter(|_| of.has_nested_bounds()), bound) {
        (None, Some(bound)) => quote!(<#ty as #cdr::Bounded>::bounded_key_end(at, #bound)),
        (None, None) => match part {
            Part::Key => quote!(<#ty as #cdr::Layout>::key_end(at)),
            Part::Whole => quote!(<#ty as #cdr::Layout>::whole_end(at)),
            Part::Row => quote!(<#ty as #cdr::Layout>::row_key_end(at)),
        },
        (Some(element), _) => {
            let bound = match bound {
                Some(bound) => quote!(::core::option::Option::Some(#bound)),
                None => quote!(::core::option::Option::None),
            };
            let inner = quote!(<#ty as #cdr::Collection>::Element);
            let whole = end(cdr, &inner, Part::Whole, element);
            // The rows of an array have no headers, unless they have a name.
            let of_one = match element.has_alias() || element.element.is_none() {
                true => whole,
                false => {
                    let row = end(cdr, &inner, Part::Row, element);
                    quote!(if <#ty as #cdr::Collection>::IS_ARRAY { #row } else { #whole })
                }
            };
            let method = match part {
                Part::Row => quote!(row_key_end_with),
                _ => quote!(key_end_with),
            };
            quote!(<#ty as #cdr::Collection>::#method(at, #bound, &|at| #of_one))
        }
    }
}
