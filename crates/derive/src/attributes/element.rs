//! What is said of a member or element besides its Rust type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Error, Expr, Lit, LitStr, Path, Result, token};

/// What a reader does with a value that does not fit.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TryConstruct {
    #[default]
    Discard,
    UseDefault,
    Trim,
}

impl TryConstruct {
    fn parse(text: &LitStr) -> Result<Self> {
        match text.value().as_str() {
            "discard" => Ok(Self::Discard),
            "use_default" => Ok(Self::UseDefault),
            "trim" => Ok(Self::Trim),
            _ => Err(Error::new_spanned(
                text,
                "expected \"discard\", \"use_default\" or \"trim\"",
            )),
        }
    }

    fn describe(self, cdr: &Path) -> TokenStream {
        match self {
            Self::Discard => quote!(#cdr::TryConstruct::Discard),
            Self::UseDefault => quote!(#cdr::TryConstruct::UseDefault),
            Self::Trim => quote!(#cdr::TryConstruct::Trim),
        }
    }
}

/// `default`, `min`, `max`, `unit`, `hashid`.
#[derive(Default)]
pub(crate) struct Annotations {
    pub(crate) default: Option<Expr>,
    min: Option<Expr>,
    max: Option<Expr>,
    unit: Option<LitStr>,
    /// Empty if it is the name.
    pub(crate) hash_id: Option<String>,
}

impl Annotations {
    /// Whether it was one of `min`, `max`, `unit`.
    pub(crate) fn set(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        if meta.path.is_ident("min") {
            self.min = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("max") {
            self.max = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("unit") {
            self.unit = Some(meta.value()?.parse()?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `min` and `max`, if there is one of them.
    pub(crate) fn range(&self) -> Option<(Option<&Expr>, Option<&Expr>)> {
        let range = (self.min.as_ref(), self.max.as_ref());
        (range.0.is_some() || range.1.is_some()).then_some(range)
    }

    /// Of a member of type `ty`.
    pub(crate) fn describe(&self, cdr: &Path, ty: &TokenStream) -> TokenStream {
        let constant = |name: TokenStream, value: &Option<Expr>| {
            let value = value.as_ref()?;
            Some(quote!(#name: ::core::option::Option::Some(
                || <#ty as #cdr::Annotated>::constant(#value)
            ),))
        };
        let text = |name: TokenStream, value: &dyn quote::ToTokens| quote!(#name: ::core::option::Option::Some(#value),);
        let parts = [
            constant(quote!(default), &self.default),
            constant(quote!(min), &self.min),
            constant(quote!(max), &self.max),
            self.unit.as_ref().map(|unit| text(quote!(unit), unit)),
            self.hash_id
                .as_ref()
                .map(|of| text(quote!(hash_id), &of.as_str())),
        ];
        let parts: Vec<TokenStream> = parts.into_iter().flatten().collect();
        match parts.as_slice() {
            [] => quote!(#cdr::AnnotationsDescriptor::NONE),
            parts => {
                quote!(#cdr::AnnotationsDescriptor { #(#parts)* ..#cdr::AnnotationsDescriptor::NONE })
            }
        }
    }

    /// Bytes that the default has behind a pointer, at most.
    pub(crate) fn default_heap(&self) -> usize {
        match &self.default {
            Some(Expr::Lit(of)) => match &of.lit {
                // As UTF-16, a character has at most twice the bytes that it has as UTF-8.
                Lit::Str(text) => 2 * text.value().len(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Text as default is a literal, or it is not known how much memory it takes.
    pub(crate) fn check_default(&self, cdr: &Path, ty: &TokenStream) -> Option<TokenStream> {
        let default = self.default.as_ref()?;
        if matches!(default, Expr::Lit(_)) {
            return None;
        }
        Some(quote!(
            const _: () = ::core::assert!(
                !<#ty as #cdr::Annotated>::ON_HEAP,
                "text as `default` is to be a literal"
            );
        ))
    }
}

/// A typedef that a type is known by.
struct Alias {
    name: LitStr,
    is_external: bool,
    try_construct: TryConstruct,
    annotations: Annotations,
}

impl Alias {
    /// `alias = "A::B"`, or `alias("A::B", min = 1)`.
    fn parse(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let of = |name| Self {
            name,
            is_external: false,
            try_construct: TryConstruct::default(),
            annotations: Annotations::default(),
        };
        if !meta.input.peek(token::Paren) {
            return meta.value()?.parse().map(of);
        }
        let content;
        syn::parenthesized!(content in meta.input);
        let mut alias = of(content.parse()?);
        if !content.is_empty() {
            content.parse::<token::Comma>()?;
            let rest = syn::meta::parser(|meta| alias.set(&meta));
            syn::parse::Parser::parse2(rest, content.parse()?)?;
        }
        Ok(alias)
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if self.annotations.set(meta)? {
        } else if meta.path.is_ident("default") {
            self.annotations.default = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("external") {
            self.is_external = true;
        } else if meta.path.is_ident("try_construct") {
            self.try_construct = TryConstruct::parse(&meta.value()?.parse()?)?;
        } else {
            return Err(meta
                .error("expected `default`, `min`, `max`, `unit`, `external` or `try_construct`"));
        }
        Ok(())
    }

    fn describe(&self, cdr: &Path, ty: &TokenStream) -> TokenStream {
        let (name, is_external) = (&self.name, self.is_external);
        let try_construct = self.try_construct.describe(cdr);
        let annotations = self.annotations.describe(cdr, ty);
        quote!(#cdr::AliasDescriptor {
            name: #name,
            is_external: #is_external,
            try_construct: #try_construct,
            annotations: #annotations,
        })
    }
}

/// What is said of a member, of the elements of a collection or of the keys of a map.
#[derive(Default)]
pub(crate) struct Element {
    pub(crate) bound: Option<Expr>,
    octet: Option<bool>,
    external: bool,
    pub(crate) try_construct: TryConstruct,
    aliases: Vec<Alias>,
    pub(crate) element: Option<Box<Self>>,
    pub(crate) map_key: Option<Box<Self>>,
}

impl Element {
    pub(crate) const EXPECTED: &'static str =
        "`bound`, `octet`, `uint8`, `external`, `try_construct`, `alias`, `element` or `map_key`";

    /// Whether it was one of these.
    pub(crate) fn set(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        if meta.path.is_ident("bound") {
            self.bound = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("octet") {
            self.octet = Some(true);
        } else if meta.path.is_ident("uint8") {
            self.octet = Some(false);
        } else if meta.path.is_ident("external") {
            self.external = true;
        } else if meta.path.is_ident("try_construct") {
            self.try_construct = TryConstruct::parse(&meta.value()?.parse()?)?;
        } else if meta.path.is_ident("alias") {
            self.aliases.push(Alias::parse(meta)?);
        } else if meta.path.is_ident("element") {
            self.element.get_or_insert_default().nested(meta)?;
        } else if meta.path.is_ident("map_key") {
            self.map_key.get_or_insert_default().nested(meta)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn nested(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        meta.parse_nested_meta(|meta| match self.set(&meta)? {
            true => Ok(()),
            false => Err(meta.error(format!("expected {}", Self::EXPECTED))),
        })
    }

    /// Of a member or element of type `ty`.
    pub(crate) fn describe(&self, cdr: &Path, ty: &TokenStream) -> TokenStream {
        let some = |name: TokenStream, value: TokenStream| quote!(#name: ::core::option::Option::Some(#value),);
        let mut parts = Vec::new();
        if let Some(bound) = &self.bound {
            parts.push(some(quote!(bound), quote!(#bound)));
        }
        if let Some(octet) = self.octet {
            parts.push(some(quote!(octet), quote!(#octet)));
        }
        if self.external {
            parts.push(quote!(is_external: true,));
        }
        if self.try_construct != TryConstruct::Discard {
            let rule = self.try_construct.describe(cdr);
            parts.push(quote!(try_construct: #rule,));
        }
        if !self.aliases.is_empty() {
            let aliases = self.aliases.iter().map(|alias| alias.describe(cdr, ty));
            parts.push(quote!(aliases: &[#(#aliases),*],));
        }
        if let Some(element) = &self.element {
            let of = element.describe(cdr, &quote!(<#ty as #cdr::Collection>::Element));
            parts.push(some(quote!(element), quote!(&#of)));
        }
        if let Some(key) = &self.map_key {
            let of = key.describe(cdr, &quote!(<#ty as #cdr::Keyed>::Key));
            parts.push(some(quote!(map_key), quote!(&#of)));
        }
        match parts.as_slice() {
            [] => quote!(#cdr::ElementDescriptor::NONE),
            parts => quote!(#cdr::ElementDescriptor { #(#parts)* ..#cdr::ElementDescriptor::NONE }),
        }
    }

    /// Whether any value of its Rust type is one of it.
    pub(crate) fn is_plain(&self) -> bool {
        self.bound.is_none() && !self.has_nested_bounds()
    }

    /// What is said of the typedefs that it is known by.
    pub(crate) fn of_aliases(&self) -> impl Iterator<Item = &Annotations> {
        self.aliases.iter().map(|alias| &alias.annotations)
    }

    /// Whether a typedef has a range, or one of its elements.
    pub(crate) fn has_ranges(&self) -> bool {
        let nested = [&self.element, &self.map_key];
        let mut nested = nested.into_iter().flatten();
        let mut aliases = self.of_aliases();
        aliases.any(|of| of.range().is_some()) || nested.any(|of| of.has_ranges())
    }

    /// Whether its type has a name of its own.
    pub(crate) fn has_alias(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// Whether its elements have a bound, or theirs.
    pub(crate) fn has_nested_bounds(&self) -> bool {
        let nested = [&self.element, &self.map_key];
        let mut nested = nested.into_iter().flatten();
        nested.any(|of| of.bound.is_some() || of.has_nested_bounds())
    }
}
