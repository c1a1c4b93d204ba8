//! Enums with data: IDL unions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{DataEnum, Error, Expr, ExprLit, Fields, Ident, Lit, Result, Type, Variant, parse_quote};

use crate::attributes::{Container, Element, Extensibility, Place, number};

struct Case<'a> {
    ident: &'a Ident,
    /// `None` for a case without value.
    ty: Option<&'a Type>,
    id: u32,
    labels: Vec<Expr>,
    attributes: Element,
}

/// Whether an enum is meant as union rather than enumeration.
pub(crate) fn is_union(container: &Container, data: &DataEnum) -> Result<bool> {
    let with_data = data.variants.iter().any(|v| !v.fields.is_empty());
    Ok(container.discriminator.is_some() || with_data)
}

pub(crate) fn expand(container: &Container, data: &DataEnum) -> Result<TokenStream> {
    let cases = cases(data)?;
    let discriminator = container
        .discriminator
        .clone()
        .unwrap_or_else(|| parse_quote!(i32));
    let layout = layout(container, &discriminator, &cases);
    let serialize = serialize(container, &discriminator, &cases);
    let deserialize = deserialize(container, &discriminator, &cases)?;
    Ok(quote!(#layout #serialize #deserialize))
}

fn cases(data: &DataEnum) -> Result<Vec<Case<'_>>> {
    let mut cases = Vec::new();
    let mut next = Some(0);
    let mut seen = Vec::new();
    for variant in &data.variants {
        let mut attributes = Element::parse(&variant.attrs, Place::Case)?;
        let mut labels = std::mem::take(&mut attributes.cases);
        if labels.is_empty() {
            let label = next.ok_or_else(|| Error::new_spanned(variant, "which `case` is it?"))?;
            let label = proc_macro2::Literal::i64_unsuffixed(label);
            labels.push(parse_quote!(#label));
        }
        for label in &labels {
            if let Some(value) = integer(label) {
                if seen.contains(&value) {
                    return Err(Error::new_spanned(label, "this case is taken"));
                }
                seen.push(value);
            }
        }
        next = labels.last().and_then(integer).map(|value| value + 1);
        cases.push(Case {
            ident: &variant.ident,
            ty: value_type(variant)?,
            id: 0,
            labels,
            attributes,
        });
    }
    let ids = number(cases.iter().map(|case| (case.ident, &case.attributes)), 1)?;
    for (case, id) in cases.iter_mut().zip(ids) {
        case.id = id;
    }
    if let Some(second) = cases.iter().filter(|case| case.attributes.default).nth(1) {
        return Err(Error::new_spanned(second.ident, "a second default"));
    }
    Ok(cases)
}

fn value_type(variant: &Variant) -> Result<Option<&Type>> {
    match &variant.fields {
        Fields::Unit => Ok(None),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            Ok(fields.unnamed.first().map(|field| &field.ty))
        }
        _ => Err(Error::new_spanned(
            variant,
            "a case of a union has one value or none: `Name(Type)` or `Name`",
        )),
    }
}

/// The value of a label that is an integer literal.
fn integer(label: &Expr) -> Option<i64> {
    match label {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal.base10_parse().ok(),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            integer(&unary.expr).map(|value| -value)
        }
        _ => None,
    }
}

fn layout(container: &Container, discriminator: &Type, cases: &[Case<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let length_code = container.length_code();
    let min_size = container.min_size(quote!(<#discriminator as #cdr::Layout>::MIN_SIZE));
    let describe = describe(container, discriminator, cases);
    let ends = cases.iter().filter_map(|case| {
        let ty = case.ty?;
        Some(match &case.attributes.bound {
            Some(bound) => quote!(<#ty as #cdr::Bounded>::bounded_key_end(start, #bound)?),
            None => quote!(<#ty as #cdr::Layout>::key_end(start)?),
        })
    });
    quote! {
        #[automatically_derived]
        impl #cdr::Layout for #ident {
            const LENGTH_CODE: u32 = #length_code;
            const MIN_SIZE: usize = #min_size;

            fn key_end(at: usize) -> ::core::option::Option<usize> {
                let start = <#discriminator as #cdr::Layout>::key_end(at)?;
                let end = start;
                #(let end = ::core::cmp::Ord::max(end, #ends);)*
                ::core::option::Option::Some(end)
            }

            #describe
        }
    }
}

/// What the union is, as data.
fn describe(container: &Container, discriminator: &Type, cases: &[Case<'_>]) -> TokenStream {
    let (cdr, name) = (&container.cdr, &container.name);
    let extensibility = container.extensibility();
    let cases = cases.iter().map(|case| {
        let (name, id, labels) = (case.ident.unraw().to_string(), case.id, &case.labels);
        let is_default = case.attributes.default;
        let bound = case.attributes.bound();
        let describe = match case.ty {
            Some(ty) => quote!(::core::option::Option::Some(<#ty as #cdr::Layout>::describe)),
            None => quote!(::core::option::Option::None),
        };
        quote!(#cdr::CaseDescriptor {
            name: #name,
            id: #id,
            describe: #describe,
            labels: |label| {
                #(label({
                    let case: #discriminator = #labels;
                    #cdr::Discriminator::number(&case)
                });)*
            },
            is_default: #is_default,
            bound: #bound,
        })
    });
    quote! {
        fn describe() -> ::core::option::Option<#cdr::Type> {
            static TYPE: #cdr::UnionType = #cdr::UnionType {
                name: #name,
                extensibility: #extensibility,
                discriminator: <#discriminator as #cdr::Layout>::describe,
                cases: &[#(#cases),*],
            };
            ::core::option::Option::Some(#cdr::Type::Union(&TYPE))
        }
    }
}

fn serialize(container: &Container, discriminator: &Type, cases: &[Case<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let extensibility = container.extensibility();
    let arms = cases.iter().map(|case| {
        let (variant, id) = (case.ident, case.id);
        let label = &case.labels[0];
        let select = quote! {
            let case: #discriminator = #label;
            w.member(#extensibility, #cdr::Member { id: 0, must_understand: true }, &case)?;
        };
        if case.ty.is_none() {
            return quote!(Self::#variant => { #select });
        }
        let bound = case.attributes.bound.as_ref();
        let check = bound.map(|bound| quote!(w.check_bound(#id, value, #bound)?;));
        quote! {
            Self::#variant(value) => {
                #select
                #check
                w.member(#extensibility, #cdr::Member { id: #id, must_understand: false }, value)?;
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #cdr::Serialize for #ident {
            #[inline]
            fn serialize<S: #cdr::Sink>(
                &self,
                w: &mut #cdr::Writer<S>,
            ) -> ::core::result::Result<(), #cdr::Error> {
                let scope = w.begin(#extensibility);
                match self {
                    #(#arms)*
                }
                w.end(scope, #extensibility)
            }
        }
    }
}

fn deserialize(
    container: &Container,
    discriminator: &Type,
    cases: &[Case<'_>],
) -> Result<TokenStream> {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let body = match container.extensibility {
        Extensibility::Mutable => labelled_body(container, discriminator, cases),
        _ => plain_body(container, discriminator, cases),
    };
    let default = cases
        .iter()
        .find(|case| case.attributes.default)
        .or(cases.first())
        .ok_or_else(|| Error::new_spanned(ident, "a union needs a case"))?;
    let variant = default.ident;
    let value = default
        .ty
        .map(|ty| quote!((<#ty as #cdr::Deserialize>::default_value())));
    Ok(quote! {
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
                Self::#variant #value
            }
        }
    })
}

/// `if case == label { .. } else if ..`, ending in the default case or an error.
fn select(
    container: &Container,
    cases: &[Case<'_>],
    then: impl Fn(&Case<'_>) -> TokenStream,
) -> TokenStream {
    let cdr = &container.cdr;
    let branches = cases
        .iter()
        .filter(|case| !case.attributes.default)
        .map(|case| {
            let labels = &case.labels;
            let then = then(case);
            quote!(if #(case == (#labels))||* { #then } else)
        });
    let otherwise = match cases.iter().find(|case| case.attributes.default) {
        Some(case) => then(case),
        None => quote!(return ::core::result::Result::Err(#cdr::Error::UnknownCase)),
    };
    quote!(#(#branches)* { #otherwise })
}

fn bounded(case: &Case<'_>, value: TokenStream) -> TokenStream {
    match &case.attributes.bound {
        Some(bound) => quote!({ let value = #value; r.bounded(value, #bound)? }),
        None => value,
    }
}

fn plain_body(container: &Container, discriminator: &Type, cases: &[Case<'_>]) -> TokenStream {
    let extensibility = container.extensibility();
    let value = select(container, cases, |case| {
        let (variant, id) = (case.ident, case.id);
        match case.ty {
            Some(ty) => {
                let value = bounded(case, quote!(r.member::<#ty>(&scope, #id)?));
                quote!(Self::#variant(#value))
            }
            None => quote!(Self::#variant),
        }
    });
    quote! {
        let scope = r.begin(#extensibility)?;
        let case = r.member::<#discriminator>(&scope, 0)?;
        let value = #value;
        r.end(scope);
        ::core::result::Result::Ok(value)
    }
}

fn labelled_body(container: &Container, discriminator: &Type, cases: &[Case<'_>]) -> TokenStream {
    let cdr = &container.cdr;
    let extensibility = container.extensibility();
    let arms = cases.iter().filter_map(|case| {
        let (variant, id, ty) = (case.ident, case.id, case.ty?);
        let value = bounded(
            case,
            quote!(<#ty as #cdr::Deserialize>::deserialize_present(r)?),
        );
        Some(quote!(#id => found = ::core::option::Option::Some(Self::#variant(#value)),))
    });
    let value = select(container, cases, |case| {
        let variant = case.ident;
        if case.ty.is_none() {
            return quote!(Self::#variant);
        }
        quote! {
            match found {
                ::core::option::Option::Some(value @ Self::#variant(_)) => value,
                _ => return ::core::result::Result::Err(#cdr::Error::UnknownCase),
            }
        }
    });
    quote! {
        let scope = r.begin(#extensibility)?;
        let mut case: ::core::option::Option<#discriminator> = ::core::option::Option::None;
        let mut found: ::core::option::Option<Self> = ::core::option::Option::None;
        while let ::core::option::Option::Some(member) = r.next_member()? {
            match member.id() {
                0 => case = ::core::option::Option::Some(
                    <#discriminator as #cdr::Deserialize>::deserialize_present(r)?,
                ),
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
