//! What stands in `#[topic(...)]` and `#[key]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, DeriveInput, Error, Expr, Ident, LitInt, LitStr, Path, Result, Type, parse_quote,
};

/// Member ids have 28 bits, and the last one stands for "none".
const MAX_ID: u32 = 0x0fff_fffe;

/// How a type may grow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extensibility {
    Final,
    Appendable,
    Mutable,
}

/// The attributes of a type.
pub(crate) struct Container {
    pub(crate) ident: Ident,
    pub(crate) is_topic: bool,
    pub(crate) name: String,
    pub(crate) extensibility: Extensibility,
    pub(crate) bit_bound: u32,
    pub(crate) discriminator: Option<Type>,
    pub(crate) expansion: Option<LitInt>,
    /// The memory of the type is its encoding.
    pub(crate) plain: bool,
    pub(crate) cdr: Path,
}

impl Container {
    pub(crate) fn parse(input: &DeriveInput, is_topic: bool) -> Result<Self> {
        let mut container = Self {
            ident: input.ident.clone(),
            is_topic,
            name: input.ident.to_string(),
            extensibility: Extensibility::Appendable,
            bit_bound: 32,
            discriminator: None,
            expansion: None,
            plain: false,
            cdr: parse_quote!(::dunlin::cdr),
        };
        for attribute in &input.attrs {
            if attribute.path().is_ident("topic") {
                attribute.parse_nested_meta(|meta| container.set(&meta))?;
            } else if attribute.path().is_ident("key") {
                return Err(Error::new_spanned(attribute, "`#[key]` belongs on a field"));
            }
        }
        Ok(container)
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("name") {
            self.name = meta.value()?.parse::<LitStr>()?.value();
        } else if meta.path.is_ident("extensibility") {
            self.extensibility = extensibility(&meta.value()?.parse()?)?;
        } else if meta.path.is_ident("bit_bound") {
            let bits: LitInt = meta.value()?.parse()?;
            self.bit_bound = bits.base10_parse()?;
            if !(1..=32).contains(&self.bit_bound) {
                return Err(Error::new_spanned(bits, "`bit_bound` is 1 to 32"));
            }
        } else if meta.path.is_ident("discriminator") {
            self.discriminator = Some(meta.value()?.parse::<LitStr>()?.parse()?);
        } else if meta.path.is_ident("expansion") && self.is_topic {
            self.expansion = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("plain") {
            self.plain = true;
        } else if meta.path.is_ident("crate") {
            self.cdr = meta.value()?.parse::<LitStr>()?.parse()?;
        } else {
            return Err(meta.error(
                "expected `name`, `extensibility`, `bit_bound`, `discriminator`, `expansion`, `plain` or `crate`",
            ));
        }
        Ok(())
    }

    /// The extensibility as an expression.
    pub(crate) fn extensibility(&self) -> TokenStream {
        let cdr = &self.cdr;
        match self.extensibility {
            Extensibility::Final => quote!(#cdr::Extensibility::Final),
            Extensibility::Appendable => quote!(#cdr::Extensibility::Appendable),
            Extensibility::Mutable => quote!(#cdr::Extensibility::Mutable),
        }
    }

    /// The length code of a member of this struct or union: a DHEADER can serve as length.
    pub(crate) fn length_code(&self) -> u32 {
        match self.extensibility {
            Extensibility::Final => 4,
            Extensibility::Appendable | Extensibility::Mutable => 5,
        }
    }

    /// The fewest bytes of this struct or union, given those of its content.
    pub(crate) fn min_size(&self, content: TokenStream) -> TokenStream {
        match self.extensibility {
            Extensibility::Final => content,
            // A delimiter in XCDR2, nothing but the content in XCDR1.
            Extensibility::Appendable => quote!({
                let content: usize = #content;
                if content < 4 { content } else { 4 }
            }),
            Extensibility::Mutable => quote!(4),
        }
    }
}

fn extensibility(text: &LitStr) -> Result<Extensibility> {
    match text.value().as_str() {
        "final" => Ok(Extensibility::Final),
        "appendable" => Ok(Extensibility::Appendable),
        "mutable" => Ok(Extensibility::Mutable),
        _ => Err(Error::new_spanned(
            text,
            "expected \"final\", \"appendable\" or \"mutable\"",
        )),
    }
}

/// The attributes of a field or variant.
#[derive(Default)]
pub(crate) struct Element {
    pub(crate) key: bool,
    pub(crate) id: Option<u32>,
    pub(crate) bound: Option<Expr>,
    pub(crate) must_understand: bool,
    pub(crate) cases: Vec<Expr>,
    pub(crate) default: bool,
}

/// Where attributes stand, which says which of them make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Field,
    Enumerator,
    Case,
}

impl Element {
    pub(crate) fn parse(attributes: &[Attribute], place: Place) -> Result<Self> {
        let mut element = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("key") {
                attribute.meta.require_path_only()?;
                if place != Place::Field {
                    return Err(Error::new_spanned(
                        attribute,
                        "only fields of structs can be keys",
                    ));
                }
                element.key = true;
            } else if attribute.path().is_ident("topic") {
                attribute.parse_nested_meta(|meta| element.set(&meta, place))?;
            }
        }
        Ok(element)
    }

    /// The bound as an expression.
    pub(crate) fn bound(&self) -> TokenStream {
        match &self.bound {
            Some(bound) => quote!(::core::option::Option::Some(#bound)),
            None => quote!(::core::option::Option::None),
        }
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>, place: Place) -> Result<()> {
        let is = |name, places: &[Place]| meta.path.is_ident(name) && places.contains(&place);
        if is("id", &[Place::Field, Place::Case]) {
            self.id = Some(member_id(&meta.value()?.parse()?)?);
        } else if is("bound", &[Place::Field, Place::Case]) {
            self.bound = Some(meta.value()?.parse()?);
        } else if is("must_understand", &[Place::Field]) {
            self.must_understand = true;
        } else if is("case", &[Place::Case]) {
            self.cases.push(meta.value()?.parse()?);
        } else if is("default", &[Place::Case, Place::Enumerator]) {
            self.default = true;
        } else {
            return Err(meta.error(match place {
                Place::Field => "expected `id`, `bound` or `must_understand`",
                Place::Enumerator => "expected `default`",
                Place::Case => "expected `case`, `default`, `id` or `bound`",
            }));
        }
        Ok(())
    }
}

fn member_id(literal: &LitInt) -> Result<u32> {
    match literal.base10_parse()? {
        id if id <= MAX_ID => Ok(id),
        _ => Err(Error::new_spanned(literal, "a member id has 28 bits")),
    }
}

/// Gives each element its id: its own, or that of the one before plus one.
pub(crate) fn number<'a>(
    elements: impl Iterator<Item = (&'a Ident, &'a Element)>,
    first: u32,
) -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    let mut next = first;
    for (ident, element) in elements {
        let id = element.id.unwrap_or(next);
        if ids.contains(&id) || id < first || id > MAX_ID {
            return Err(Error::new_spanned(
                ident,
                format!("member id {id} is taken"),
            ));
        }
        ids.push(id);
        next = id + 1;
    }
    Ok(ids)
}
