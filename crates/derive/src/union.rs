//! Enums with data: IDL unions.

mod read;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, Error, Expr, ExprLit, Fields, Ident, Lit, Result, Type, Variant, parse_quote};

use crate::attributes::{Container, Discriminator, Member, Place, number};
use crate::{fit, range};

/// What a variant has.
#[derive(Clone, Copy)]
enum Form<'a> {
    /// No value. IDL has no such case.
    Nothing,
    /// A value: its first label is written.
    Value(&'a Type),
    /// The discriminator, and a value.
    Labelled(&'a Type),
    /// A discriminator that selects nothing.
    Other,
}

struct Case<'a> {
    ident: &'a Ident,
    form: Form<'a>,
    id: u32,
    labels: Vec<Expr>,
    attributes: Member,
}

impl<'a> Case<'a> {
    /// Calls `then` with what there is to know for checks of the range of its value.
    fn ranged<T>(&self, then: impl FnOnce(range::Of<'_>) -> T) -> Option<T> {
        let ty = self.ty()?;
        Some(then(range::Of {
            ty: &quote!(#ty),
            annotations: &self.attributes.annotations,
            element: &self.attributes.element,
        }))
    }

    /// The type of its value.
    fn ty(&self) -> Option<&'a Type> {
        match self.form {
            Form::Value(ty) | Form::Labelled(ty) => Some(ty),
            Form::Nothing | Form::Other => None,
        }
    }
}

/// Whether an enum is meant as union rather than enumeration.
pub(crate) fn is_union(container: &Container, data: &DataEnum) -> Result<bool> {
    let with_data = data.variants.iter().any(|v| !v.fields.is_empty());
    Ok(container.discriminator.is_some() || with_data)
}

pub(crate) fn expand(container: &Container, data: &DataEnum) -> Result<TokenStream> {
    let cases = cases(container, data)?;
    if cases.iter().all(|case| matches!(case.form, Form::Other)) {
        return Err(Error::new_spanned(&container.ident, "a union needs a case"));
    }
    let usual = Discriminator::of(parse_quote!(i32));
    let discriminator = container.discriminator.as_ref().unwrap_or(&usual);
    let layout = layout(container, discriminator, &cases);
    let serialize = serialize(container, discriminator, &cases);
    let deserialize = read::deserialize(container, discriminator, &cases);
    let default = container.default();
    Ok(quote!(#layout #serialize #deserialize #default))
}

fn cases<'a>(container: &Container, data: &'a DataEnum) -> Result<Vec<Case<'a>>> {
    let mut cases = Vec::new();
    let mut next = Some(0);
    let mut seen = Vec::new();
    for variant in &data.variants {
        let mut attributes = Member::parse(&variant.attrs, Place::Case)?;
        let form = form(variant, &attributes)?;
        let mut labels = std::mem::take(&mut attributes.cases);
        let has_none = match form {
            Form::Other => true,
            Form::Labelled(_) => attributes.default,
            Form::Nothing | Form::Value(_) => false,
        };
        if labels.is_empty() && !has_none {
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
        if let Some(last) = labels.last() {
            next = integer(last).map(|value| value + 1);
        }
        cases.push(Case {
            ident: &variant.ident,
            form,
            id: 0,
            labels,
            attributes,
        });
    }
    let members = |case: &&mut Case<'_>| !matches!(case.form, Form::Other);
    let numbered = cases
        .iter()
        .filter(|case| !matches!(case.form, Form::Other));
    let numbered = numbered.map(|case| (case.ident, &case.attributes));
    let ids = number(container, numbered, 1)?;
    for (case, id) in cases.iter_mut().filter(members).zip(ids) {
        case.id = id;
    }
    let mut rest = cases
        .iter()
        .filter(|case| case.attributes.default || case.attributes.other);
    if let Some(second) = rest.nth(1) {
        return Err(Error::new_spanned(
            second.ident,
            "a second case for all other discriminators",
        ));
    }
    Ok(cases)
}

fn form<'a>(variant: &'a Variant, attributes: &Member) -> Result<Form<'a>> {
    let types: Vec<&Type> = match &variant.fields {
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => fields.unnamed.iter().map(|field| &field.ty).collect(),
        Fields::Named(_) => {
            return Err(Error::new_spanned(
                variant,
                "a case of a union is `Name`, `Name(Type)` or `Name(Discriminator, Type)`",
            ));
        }
    };
    match (types.as_slice(), attributes.other) {
        ([_], true) if attributes.cases.is_empty() => Ok(Form::Other),
        (_, true) => Err(Error::new_spanned(
            variant,
            "what `other` stands at is `Name(Discriminator)`, and has no `case`",
        )),
        ([], false) => Ok(Form::Nothing),
        ([ty], false) => Ok(Form::Value(ty)),
        ([_, ty], false) => Ok(Form::Labelled(ty)),
        _ => Err(Error::new_spanned(
            variant,
            "a case of a union has one value or none: `Name(Type)`, `Name(Discriminator, Type)` or \
             `Name`",
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

fn layout(container: &Container, discriminator: &Discriminator, cases: &[Case<'_>]) -> TokenStream {
    let (cdr, ident) = (&container.cdr, &container.ident);
    let length_code = container.length_code();
    let of = &discriminator.ty;
    let min_size = container.min_size(quote!(<#of as #cdr::Layout>::MIN_SIZE));
    let heap = cases.iter();
    let heap = heap.map(|case| case.attributes.annotations.default_heap());
    let heap = heap.max().unwrap_or(0);
    let describe = describe(container, discriminator, cases);
    let ends = cases.iter().filter_map(|case| {
        let end = {
            let part = fit::Part::Whole;
            fit::end_in_key(cdr, case.ty()?, part, &case.attributes.element)
        };
        Some(quote!({
            let at = start;
            #end?
        }))
    });
    let text = cases.iter().filter_map(|case| {
        let ty = case.ty()?;
        case.attributes.annotations.check_default(cdr, &quote!(#ty))
    });
    quote! {
        #(#text)*

        #[automatically_derived]
        impl #cdr::Layout for #ident {
            const LENGTH_CODE: u32 = #length_code;
            const MIN_SIZE: usize = #min_size;
            const DEFAULT_HEAP: usize = #heap;

            fn key_end(at: usize) -> ::core::option::Option<usize> {
                let start = <#of as #cdr::Layout>::key_end(at)?;
                let end = start;
                #(let end = ::core::cmp::Ord::max(end, #ends);)*
                ::core::option::Option::Some(end)
            }

            #describe
        }
    }
}

/// What the union is, as data.
fn describe(
    container: &Container,
    discriminator: &Discriminator,
    cases: &[Case<'_>],
) -> TokenStream {
    let (cdr, name) = (&container.cdr, &container.name);
    let extensibility = container.extensibility();
    let (is_nested, has_hashed_ids) = (container.nested, container.hashed_ids);
    let cases = cases
        .iter()
        .filter(|case| !matches!(case.form, Form::Other));
    let cases = cases.map(|case| describe_case(container, &discriminator.ty, case));
    let (of, is_key) = (&discriminator.ty, discriminator.key);
    let element = discriminator.element.describe(cdr, &quote!(#of));
    let annotations = discriminator.annotations.describe(cdr, &quote!(#of));
    quote! {
        fn describe() -> ::core::option::Option<#cdr::Type> {
            static TYPE: #cdr::UnionType = #cdr::UnionType {
                name: #name,
                extensibility: #extensibility,
                is_nested: #is_nested,
                has_hashed_ids: #has_hashed_ids,
                discriminator: #cdr::MemberDescriptor {
                    name: "discriminator",
                    id: 0,
                    describe: <#of as #cdr::Layout>::describe,
                    is_key: #is_key,
                    must_understand: false,
                    element: #element,
                    annotations: #annotations,
                },
                cases: &[#(#cases),*],
            };
            ::core::option::Option::Some(#cdr::Type::Union(&TYPE))
        }
    }
}

fn describe_case(container: &Container, discriminator: &Type, case: &Case<'_>) -> TokenStream {
    let (cdr, attributes) = (&container.cdr, &case.attributes);
    let (name, id, labels) = (attributes.name(case.ident), case.id, &case.labels);
    let is_default = attributes.default;
    let describe = match case.ty() {
        Some(ty) => quote!(::core::option::Option::Some(<#ty as #cdr::Layout>::describe)),
        None => quote!(::core::option::Option::None),
    };
    let ty = match case.ty() {
        Some(ty) => quote!(#ty),
        None => quote!(#discriminator),
    };
    let element = attributes.element.describe(cdr, &ty);
    let annotations = attributes.annotations.describe(cdr, &ty);
    let label = match labels.is_empty() {
        true => quote!(_label),
        false => quote!(label),
    };
    quote!(#cdr::CaseDescriptor {
        name: #name,
        id: #id,
        describe: #describe,
        labels: |#label| {
            #(label({
                let case: #discriminator = #labels;
                #cdr::Discriminator::number(&case)
            });)*
        },
        is_default: #is_default,
        element: #element,
        annotations: #annotations,
    })
}

fn serialize(
    container: &Container,
    discriminator: &Discriminator,
    cases: &[Case<'_>],
) -> TokenStream {
    let (cdr, ident, of) = (&container.cdr, &container.ident, &discriminator.ty);
    let extensibility = container.extensibility();
    let selected = ranged(discriminator, |of| {
        range::check(container, 0, &quote!(case), of)
    });
    let select = quote! {
        #selected
        w.member(#extensibility, #cdr::Member { id: 0, must_understand: true }, case)?;
    };
    let arms = cases.iter().map(|case| {
        let (variant, id) = (case.ident, case.id);
        let check = fit::check(cdr, id, &quote!(value), &case.attributes.element);
        let range = case.ranged(|of| range::check(container, id, &quote!(value), of));
        let value = quote! {
            #check
            #range
            w.member(#extensibility, #cdr::Member { id: #id, must_understand: false }, value)?;
        };
        let label = case.labels.first();
        let first = quote! {
            let case: #of = #label;
            let case = &case;
        };
        let is_own = is_own(container, cases, case);
        match case.form {
            Form::Nothing => quote!(Self::#variant => { #first #select }),
            Form::Value(_) => quote!(Self::#variant(value) => { #first #select #value }),
            Form::Labelled(_) => quote!(Self::#variant(case, value) => { #is_own #select #value }),
            Form::Other => quote!(Self::#variant(case) => { #is_own #select }),
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

/// Calls `then` with what there is to know for checks of the range of the discriminator.
fn ranged<T>(of: &Discriminator, then: impl FnOnce(range::Of<'_>) -> T) -> T {
    let ty = &of.ty;
    then(range::Of {
        ty: &quote!(#ty),
        annotations: &of.annotations,
        element: &of.element,
    })
}

/// Refuses a discriminator that selects another case.
fn is_own(container: &Container, cases: &[Case<'_>], case: &Case<'_>) -> TokenStream {
    let cdr = &container.cdr;
    let own = &case.labels;
    let is_rest = case.attributes.default || case.attributes.other;
    let others = cases.iter().filter(|other| other.ident != case.ident);
    let others: Vec<&Expr> = others.flat_map(|other| &other.labels).collect();
    let is_wrong = match is_rest {
        true => quote!(false #(|| *case == (#others))*),
        false => quote!(true #(&& *case != (#own))*),
    };
    quote! {
        if #is_wrong {
            return ::core::result::Result::Err(#cdr::Error::WrongDiscriminator(
                #cdr::Discriminator::number(case),
            ));
        }
    }
}
