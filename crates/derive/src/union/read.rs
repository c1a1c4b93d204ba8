//! Unions are read.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Case, Form, ranged};
use crate::attributes::{Container, Discriminator, Extensibility};
use crate::{fit, range};

pub(super) fn deserialize(
    container: &Container,
    discriminator: &Discriminator,
    cases: &[Case<'_>],
) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let body = match container.extensibility {
        Extensibility::Mutable => labelled_body(container, discriminator, cases),
        _ => plain_body(container, discriminator, cases),
    };
    let default = default_value(container, discriminator, cases);
    quote! {
        #[automatically_derived]
        impl #cdr::Deserialize for #ident {
            #[inline]
            fn deserialize(
                r: &mut #cdr::Reader<'_>,
            ) -> ::core::result::Result<Self, #cdr::Error> {
                #body
            }

            #[inline]
            fn default_value() -> Self {
                #default
            }
        }
    }
}

/// What its value is if a sender lacks the member.
fn default_of(container: &Container, case: &Case<'_>) -> TokenStream {
    let cdr = &container.cdr;
    let Some(ty) = case.ty() else {
        return quote!();
    };
    match &case.attributes.annotations.default {
        Some(value) => quote!(<#ty as #cdr::Annotated>::of(#value)),
        None => quote!(<#ty as #cdr::Deserialize>::default_value()),
    }
}

fn default_discriminator(container: &Container, of: &Discriminator) -> TokenStream {
    let (cdr, ty) = (&container.cdr, &of.ty);
    match &of.annotations.default {
        Some(value) => quote!(<#ty as #cdr::Annotated>::of(#value)),
        None => quote!(<#ty as #cdr::Deserialize>::default_value()),
    }
}

/// The case of all other discriminators if it has one that is written, else that of the default of
/// the discriminator.
fn default_value(
    container: &Container,
    discriminator: &Discriminator,
    cases: &[Case<'_>],
) -> TokenStream {
    let make = |case: &Case<'_>| {
        let (variant, value) = (case.ident, default_of(container, case));
        match case.form {
            Form::Nothing => quote!(Self::#variant),
            Form::Value(_) => quote!(Self::#variant(#value)),
            Form::Labelled(_) => quote!(Self::#variant(case, #value)),
            Form::Other => quote!(Self::#variant(case)),
        }
    };
    let mut cases_with_label = cases.iter().filter(|case| !case.labels.is_empty());
    if let Some(case) = cases_with_label
        .clone()
        .find(|case| case.attributes.default)
        && !matches!(case.form, Form::Labelled(_))
    {
        return make(case);
    }
    let first = cases_with_label.next().map(|case| {
        let label = case.labels.first();
        let (of, value) = (&discriminator.ty, make(case));
        quote!({
            let case: #of = #label;
            let _ = &case;
            #value
        })
    });
    let (of, case) = (
        &discriminator.ty,
        default_discriminator(container, discriminator),
    );
    let value = select(cases, make, first.unwrap_or_default());
    quote! {
        let case: #of = #case;
        #value
    }
}

/// `if case == label { .. } else if ..`, ending in the case of all others or in `nothing`.
fn select(
    cases: &[Case<'_>],
    then: impl Fn(&Case<'_>) -> TokenStream,
    nothing: TokenStream,
) -> TokenStream {
    let is_rest = |case: &&Case<'_>| case.attributes.default || case.attributes.other;
    let branches = cases.iter().filter(|case| !is_rest(case)).map(|case| {
        let labels = &case.labels;
        let then = then(case);
        quote!(if #(case == (#labels))||* { #then } else)
    });
    let otherwise = cases.iter().find(is_rest).map(&then).unwrap_or(nothing);
    quote!(#(#branches)* { #otherwise })
}

/// The discriminator selects no case of the type.
fn unknown(container: &Container) -> TokenStream {
    let cdr = &container.cdr;
    quote! {
        r.unfit(#cdr::Error::UnknownCase)?;
        <Self as #cdr::Deserialize>::default_value()
    }
}

/// What was read of a case, made fit.
fn fitting(container: &Container, case: &Case<'_>, value: TokenStream) -> TokenStream {
    let default = default_of(container, case);
    let value = fit::fit(&container.cdr, value, &case.attributes.element, &default);
    match case.ty() {
        Some(_) => case
            .ranged(|of| range::fit(container, value, of))
            .unwrap_or_default(),
        None => value,
    }
}

/// What was read of the discriminator, made fit.
fn fitting_discriminator(
    container: &Container,
    discriminator: &Discriminator,
    value: TokenStream,
) -> TokenStream {
    let default = default_discriminator(container, discriminator);
    let value = fit::fit(&container.cdr, value, &discriminator.element, &default);
    ranged(discriminator, |of| range::fit(container, value, of))
}

fn plain_body(
    container: &Container,
    discriminator: &Discriminator,
    cases: &[Case<'_>],
) -> TokenStream {
    let extensibility = container.extensibility();
    let then = |case: &Case<'_>| {
        let (variant, id, ty) = (case.ident, case.id, case.ty());
        let value = fitting(container, case, quote!(r.member::<#ty>(&scope, #id)?));
        match case.form {
            Form::Nothing => quote!(Self::#variant),
            Form::Value(_) => quote!(Self::#variant(#value)),
            Form::Labelled(_) => quote!(Self::#variant(case, #value)),
            Form::Other => quote!(Self::#variant(case)),
        }
    };
    let value = select(cases, then, unknown(container));
    let of = &discriminator.ty;
    let case = fitting_discriminator(
        container,
        discriminator,
        quote!(r.member::<#of>(&scope, 0)?),
    );
    quote! {
        let scope = r.begin(#extensibility)?;
        let case = #case;
        let value = #value;
        r.end(scope);
        ::core::result::Result::Ok(value)
    }
}

fn labelled_body(
    container: &Container,
    discriminator: &Discriminator,
    cases: &[Case<'_>],
) -> TokenStream {
    let (cdr, of) = (&container.cdr, &discriminator.ty);
    let extensibility = container.extensibility();
    let no_case = default_discriminator(container, discriminator);
    let arms = cases.iter().filter_map(|case| {
        let (variant, id, ty) = (case.ident, case.id, case.ty()?);
        let value = quote!(<#ty as #cdr::Deserialize>::deserialize_present(r)?);
        let value = fitting(container, case, value);
        // The discriminator may come later.
        let case = matches!(case.form, Form::Labelled(_)).then(|| quote!(#no_case,));
        Some(quote!(#id => found = ::core::option::Option::Some(Self::#variant(#case #value)),))
    });
    let then = |case: &Case<'_>| {
        let variant = case.ident;
        let found = match case.form {
            Form::Nothing => return quote!(Self::#variant),
            Form::Other => return quote!(Self::#variant(case)),
            Form::Value(_) => quote!(value @ Self::#variant(_)),
            Form::Labelled(_) => quote!(Self::#variant(_, value)),
        };
        let value = match case.form {
            Form::Labelled(_) => quote!(Self::#variant(case, value)),
            _ => quote!(value),
        };
        quote! {
            match found {
                ::core::option::Option::Some(#found) => #value,
                _ => return ::core::result::Result::Err(#cdr::Error::UnknownCase),
            }
        }
    };
    let value = select(cases, then, unknown(container));
    let case = quote!(<#of as #cdr::Deserialize>::deserialize_present(r)?);
    let case = fitting_discriminator(container, discriminator, case);
    quote! {
        let scope = r.begin(#extensibility)?;
        let mut case: ::core::option::Option<#of> = ::core::option::Option::None;
        let mut found: ::core::option::Option<Self> = ::core::option::Option::None;
        while let ::core::option::Option::Some(member) = r.next_member()? {
            match member.id() {
                0 => case = ::core::option::Option::Some(#case),
                #(#arms)*
                _ => r.unknown_member(&member)?,
            }
            r.end_member(member);
        }
        r.end(scope);
        let case = case.ok_or(#cdr::Error::UnknownCase)?;
        let value = #value;
        ::core::result::Result::Ok(value)
    }
}
