//! Checks of `min` and `max`, where a type has `range_checks`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::attributes::{Annotations, Container, Element};

/// A member: its type, what is said of it, and what of its elements.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) ty: &'a TokenStream,
    pub(crate) annotations: &'a Annotations,
    pub(crate) element: &'a Element,
}

impl Of<'_> {
    /// Whether a number of it has a range that its type wants to be checked.
    pub(crate) fn is_checked(&self, container: &Container) -> bool {
        let has_range = self.annotations.range().is_some() || self.element.has_ranges();
        container.range_checks && has_range
    }
}

/// Refuses the value at `place`, a reference, which is to be written as the member of this id.
pub(crate) fn check(
    container: &Container,
    id: u32,
    place: &TokenStream,
    of: Of<'_>,
) -> TokenStream {
    if !of.is_checked(container) {
        return TokenStream::new();
    }
    let cdr = &container.cdr;
    let checks = checks(cdr, place, Some(of.annotations), (of.ty, of.element), true);
    quote! {
        w.part(#cdr::Step::Member(#id), |w| {
            let _ = &w;
            #checks
            ::core::result::Result::Ok(())
        })?;
    }
}

/// What was read, refused if it is out of its range: an expression.
pub(crate) fn fit(container: &Container, value: TokenStream, of: Of<'_>) -> TokenStream {
    if !of.is_checked(container) {
        return value;
    }
    let place = quote!(&value);
    let checks = checks(
        &container.cdr,
        &place,
        Some(of.annotations),
        (of.ty, of.element),
        false,
    );
    quote!({ let value = #value; #checks value })
}

fn checks(
    cdr: &Path,
    place: &TokenStream,
    annotations: Option<&Annotations>,
    (ty, of): (&TokenStream, &Element),
    writes: bool,
) -> TokenStream {
    let own = annotations.into_iter().chain(of.of_aliases());
    let own = own.filter_map(Annotations::range).map(|(min, max)| {
        let text = |value: Option<&syn::Expr>| option(value.map(shown));
        let (min_text, max_text) = (text(min), text(max));
        let (min, max) = (option(min), option(max));
        quote!({
            static RANGE: #cdr::ValueRange = #cdr::ValueRange {
                kind: <#ty as #cdr::Ranged>::KIND,
                min: #min_text,
                max: #max_text,
            };
            #cdr::check_range::<#ty>(#place, #min, #max, &RANGE)?;
        })
    });
    let inner =
        |of: Option<&Element>, collection: TokenStream, part: TokenStream, each: TokenStream| {
            let of = of.filter(|of| of.has_ranges())?;
            let ty = quote!(<#ty as #cdr::#collection>::#part);
            let check = checks(cdr, &quote!(element), None, (&ty, of), writes);
            let check = quote!(#check ::core::result::Result::Ok(()));
            Some(match writes {
                true => quote! {
                    #cdr::#collection::#each(#place, &mut |step, element| w.part(step, |w| {
                        let _ = &w;
                        #check
                    }))?;
                },
                false => quote!(#cdr::#collection::#each(#place, &mut |_, element| { #check })?;),
            })
        };
    let of_keys = inner(
        of.map_key.as_deref(),
        quote!(Keyed),
        quote!(Key),
        quote!(each_key),
    );
    let of_elements = inner(
        of.element.as_deref(),
        quote!(Collection),
        quote!(Element),
        quote!(each),
    );
    quote!(#(#own)* #of_keys #of_elements)
}

fn option<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// An expression as it is written; of a character the number.
fn shown(value: &syn::Expr) -> String {
    if let syn::Expr::Call(call) = value
        && let (Some(syn::Expr::Lit(of)), 1) = (call.args.first(), call.args.len())
    {
        return quote!(#of).to_string();
    }
    let text = quote!(#value).to_string();
    text.replace("- ", "-").replace(" :: ", "::")
}
