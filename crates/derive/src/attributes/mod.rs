//! What stands in `#[topic(...)]` and `#[key]`.

mod bits;
mod element;

use md5::{Digest, Md5};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{
    Attribute, DeriveInput, Error, Expr, Ident, LitInt, LitStr, Path, Result, Type, parse_quote,
};

pub(crate) use bits::{Bitfield, Flag};
pub(crate) use element::{Annotations, Element, TryConstruct};

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
    pub(crate) bit_bound: Option<LitInt>,
    pub(crate) discriminator: Option<Discriminator>,
    pub(crate) expansion: Option<LitInt>,
    /// The memory of the type is its encoding.
    pub(crate) plain: bool,
    pub(crate) nested: bool,
    /// Ids come from names.
    pub(crate) hashed_ids: bool,
    pub(crate) base: Option<Type>,
    /// Implements `Default`.
    pub(crate) default: bool,
    /// `min` and `max` of members are checked.
    pub(crate) range_checks: bool,
    pub(crate) ignores_literal_names: bool,
    pub(crate) bitmask: bool,
    pub(crate) flags: Vec<Flag>,
    pub(crate) bitset: bool,
    pub(crate) fields: Vec<Bitfield>,
    pub(crate) cdr: Path,
}

impl Container {
    pub(crate) fn parse(input: &DeriveInput, is_topic: bool) -> Result<Self> {
        let mut container = Self {
            ident: input.ident.clone(),
            is_topic,
            name: input.ident.unraw().to_string(),
            extensibility: Extensibility::Appendable,
            bit_bound: None,
            discriminator: None,
            expansion: None,
            plain: false,
            nested: false,
            hashed_ids: false,
            base: None,
            default: false,
            range_checks: false,
            ignores_literal_names: false,
            bitmask: false,
            flags: Vec::new(),
            bitset: false,
            fields: Vec::new(),
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
            self.bit_bound = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("discriminator") {
            self.discriminator = Some(Discriminator::parse(meta)?);
        } else if meta.path.is_ident("expansion") && self.is_topic {
            self.expansion = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("plain") {
            self.plain = true;
        } else if meta.path.is_ident("nested") {
            if self.is_topic {
                return Err(meta.error("no topic is of a nested type: derive `Data`"));
            }
            self.nested = true;
        } else if meta.path.is_ident("autoid") {
            self.hashed_ids = auto_id(&meta.value()?.parse()?)?;
        } else if meta.path.is_ident("base") {
            self.base = Some(meta.value()?.parse::<LitStr>()?.parse()?);
        } else if meta.path.is_ident("default") {
            self.default = true;
        } else if meta.path.is_ident("range_checks") {
            self.range_checks = true;
        } else if meta.path.is_ident("ignore_literal_names") {
            self.ignores_literal_names = true;
        } else if meta.path.is_ident("bitmask") {
            self.bitmask = true;
        } else if meta.path.is_ident("flag") {
            let next = self.flags.last().map_or(0, |flag| flag.position + 1);
            self.flags.push(Flag::parse(meta, next)?);
        } else if meta.path.is_ident("bitset") {
            self.bitset = true;
        } else if meta.path.is_ident("field") {
            let next = self.fields.last();
            let next = next.map_or(0, |field| field.position + field.size);
            self.fields.push(Bitfield::parse(meta, next)?);
        } else if meta.path.is_ident("crate") {
            self.cdr = meta.value()?.parse::<LitStr>()?.parse()?;
        } else {
            return Err(meta.error(
                "expected `name`, `extensibility`, `nested`, `autoid`, `base`, `default`, \
                 `range_checks`, `bit_bound`, `ignore_literal_names`, `bitmask`, `flag`, `bitset`, `field`, \
                 `discriminator`, `expansion`, `plain` or `crate`",
            ));
        }
        Ok(())
    }

    /// How many bits the values of an enumeration or bitmask have.
    pub(crate) fn bits(&self, most: u32) -> Result<u32> {
        let Some(literal) = &self.bit_bound else {
            return Ok(32);
        };
        match literal.base10_parse()? {
            bits if (1..=most).contains(&bits) => Ok(bits),
            _ => Err(Error::new_spanned(
                literal,
                format!("`bit_bound` is 1 to {most}"),
            )),
        }
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

    /// A type that is one number is not mutable: it has no members.
    pub(crate) fn refuse_mutable(&self) -> Result<()> {
        match self.extensibility {
            Extensibility::Mutable => Err(Error::new_spanned(
                &self.ident,
                "enumerations and bitmasks are final or appendable",
            )),
            _ => Ok(()),
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

    /// `Default`, if it is wanted.
    pub(crate) fn default(&self) -> Option<TokenStream> {
        let (cdr, ident) = (&self.cdr, &self.ident);
        self.default.then(|| {
            quote! {
                #[automatically_derived]
                impl ::core::default::Default for #ident {
                    fn default() -> Self {
                        <Self as #cdr::Deserialize>::default_value()
                    }
                }
            }
        })
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

fn auto_id(text: &LitStr) -> Result<bool> {
    match text.value().as_str() {
        "hash" => Ok(true),
        "sequential" => Ok(false),
        _ => Err(Error::new_spanned(
            text,
            "expected \"hash\" or \"sequential\"",
        )),
    }
}

/// What selects the case of a union.
pub(crate) struct Discriminator {
    pub(crate) ty: Type,
    pub(crate) key: bool,
    pub(crate) element: Element,
    pub(crate) annotations: Annotations,
}

impl Discriminator {
    pub(crate) fn of(ty: Type) -> Self {
        Self {
            ty,
            key: false,
            element: Element::default(),
            annotations: Annotations::default(),
        }
    }

    /// `discriminator = "u8"`, or `discriminator("u8", octet, key)`.
    fn parse(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        if !meta.input.peek(syn::token::Paren) {
            return Ok(Self::of(meta.value()?.parse::<LitStr>()?.parse()?));
        }
        let content;
        syn::parenthesized!(content in meta.input);
        let mut discriminator = Self::of(content.parse::<LitStr>()?.parse()?);
        if !content.is_empty() {
            content.parse::<syn::token::Comma>()?;
            let rest = syn::meta::parser(|meta| discriminator.set(&meta));
            syn::parse::Parser::parse2(rest, content.parse()?)?;
        }
        Ok(discriminator)
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("key") {
            self.key = true;
        } else if meta.path.is_ident("default") {
            self.annotations.default = Some(meta.value()?.parse()?);
        } else if !(self.element.set(meta)? || self.annotations.set(meta)?) {
            return Err(meta.error(
                "expected `key`, `octet`, `default`, `min`, `max`, `unit`, `try_construct` or \
                 `alias`",
            ));
        }
        Ok(())
    }
}

/// The attributes of a field or variant.
#[derive(Default)]
pub(crate) struct Member {
    name: Option<LitStr>,
    pub(crate) key: bool,
    pub(crate) id: Option<u32>,
    pub(crate) must_understand: bool,
    pub(crate) cases: Vec<Expr>,
    /// The default literal, or the case of all other discriminators.
    pub(crate) default: bool,
    /// All discriminators that select nothing.
    pub(crate) other: bool,
    pub(crate) element: Element,
    pub(crate) annotations: Annotations,
}

/// Where attributes stand, which says which of them make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Field,
    Enumerator,
    Case,
}

impl Member {
    pub(crate) fn parse(attributes: &[Attribute], place: Place) -> Result<Self> {
        let mut member = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("key") {
                attribute.meta.require_path_only()?;
                if place != Place::Field {
                    return Err(Error::new_spanned(
                        attribute,
                        "only fields of structs can be keys",
                    ));
                }
                member.key = true;
            } else if attribute.path().is_ident("topic") {
                attribute.parse_nested_meta(|meta| member.set(&meta, place))?;
            }
        }
        Ok(member)
    }

    /// The name in IDL.
    pub(crate) fn name(&self, ident: &Ident) -> String {
        match &self.name {
            Some(name) => name.value(),
            None => ident.unraw().to_string(),
        }
    }

    fn set(&mut self, meta: &ParseNestedMeta<'_>, place: Place) -> Result<()> {
        let is = |name, places: &[Place]| meta.path.is_ident(name) && places.contains(&place);
        let is_member = place != Place::Enumerator;
        if meta.path.is_ident("name") {
            self.name = Some(member_name(meta.value()?.parse()?)?);
        } else if is("id", &[Place::Field, Place::Case]) {
            self.id = Some(member_id(&meta.value()?.parse()?)?);
            self.one_id(meta)?;
        } else if is("hashid", &[Place::Field, Place::Case]) {
            let text = match meta.input.peek(syn::token::Eq) {
                true => meta.value()?.parse::<LitStr>()?.value(),
                false => String::new(),
            };
            self.annotations.hash_id = Some(text);
            self.one_id(meta)?;
        } else if is("must_understand", &[Place::Field]) {
            self.must_understand = true;
        } else if is("case", &[Place::Case]) {
            self.cases.push(meta.value()?.parse()?);
        } else if is("default", &[Place::Case, Place::Enumerator]) {
            self.default = true;
        } else if is("other", &[Place::Case]) {
            self.other = true;
        } else if is("default", &[Place::Field]) || is("default_value", &[Place::Case]) {
            self.annotations.default = Some(meta.value()?.parse()?);
        } else if !(is_member && (self.element.set(meta)? || self.annotations.set(meta)?)) {
            let expected = match place {
                Place::Field => "`name`, `id`, `hashid`, `must_understand`, `default`, ",
                Place::Enumerator => "`name` or `default`",
                Place::Case => {
                    "`case`, `default`, `other`, `name`, `id`, `hashid`, `default_value`, "
                }
            };
            let rest = match is_member {
                true => format!("`min`, `max`, `unit`, {}", Element::EXPECTED),
                false => String::new(),
            };
            return Err(meta.error(format!("expected {expected}{rest}")));
        }
        Ok(())
    }

    fn one_id(&self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match self.id.is_some() && self.annotations.hash_id.is_some() {
            true => Err(meta.error("a member has `id` or `hashid`, not both")),
            false => Ok(()),
        }
    }
}

/// A name that a path to the member can contain.
pub(crate) fn member_name(text: LitStr) -> Result<LitStr> {
    let name = text.value();
    let is_letter = |c: char| !c.is_control() && !c.is_whitespace() && !".[]:".contains(c);
    match !name.is_empty() && name.len() <= 255 && name.chars().all(is_letter) {
        true => Ok(text),
        false => Err(Error::new_spanned(
            text,
            "the name of a member has 1 to 255 bytes, and no spaces, `.`, `:`, `[` or `]`",
        )),
    }
}

fn member_id(literal: &LitInt) -> Result<u32> {
    match literal.base10_parse()? {
        id if id <= MAX_ID => Ok(id),
        _ => Err(Error::new_spanned(literal, "a member id has 28 bits")),
    }
}

/// The id that a name stands for (DDS-XTypes 1.3 7.3.1.2.1.1).
fn hash_id(name: &str) -> u32 {
    let hash: [u8; 16] = Md5::digest(name.as_bytes()).into();
    let [a, b, c, d, ..] = hash;
    u32::from_le_bytes([a, b, c, d]) & 0x0fff_ffff
}

/// Gives each member its id: its own, or that of the one before plus one, or that of its name.
pub(crate) fn number<'a>(
    container: &Container,
    members: impl Iterator<Item = (&'a Ident, &'a Member)>,
    first: u32,
) -> Result<Vec<u32>> {
    let mut ids: Vec<u32> = Vec::new();
    let mut idents: Vec<&Ident> = Vec::new();
    let mut next = first;
    for (ident, member) in members {
        let name = member.name(ident);
        let id = match (member.id, member.annotations.hash_id.as_deref()) {
            (Some(id), _) => id,
            (None, Some("")) => hash_id(&name),
            (None, Some(text)) => hash_id(text),
            (None, None) if container.hashed_ids => hash_id(&name),
            (None, None) => next,
        };
        if let Some(at) = ids.iter().position(|other| *other == id) {
            let other = idents[at];
            let why =
                format!("`{other}` and `{ident}` both have the member id {id}: give one an `id`");
            return Err(Error::new_spanned(ident, why));
        }
        if id < first || id > MAX_ID {
            let why = match id {
                0 => "member id 0 is that of the discriminator".into(),
                _ => format!("member id {id} is none: give the member an `id`"),
            };
            return Err(Error::new_spanned(ident, why));
        }
        ids.push(id);
        idents.push(ident);
        next = id + 1;
    }
    Ok(ids)
}
