//! `flag(..)` of a bitmask, `field(..)` of a bitset.

use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Ident, LitInt, LitStr, Result, Token, parenthesized, token};

use super::member_name;

/// The most bits of a bitmask or bitset.
const BITS: u32 = 64;

/// A bit with a name.
pub(crate) struct Flag {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) position: u32,
    pub(crate) doc: Option<LitStr>,
}

impl Flag {
    /// `flag(A)`, `flag(A = 3, name = "a", doc = "..")`. Without position it is at `next`.
    pub(crate) fn parse(meta: &ParseNestedMeta<'_>, next: u32) -> Result<Self> {
        let content;
        parenthesized!(content in meta.input);
        let ident: Ident = content.parse()?;
        let mut flag = Self {
            name: ident.unraw().to_string(),
            ident,
            position: next,
            doc: None,
        };
        if content.peek(Token![=]) {
            content.parse::<Token![=]>()?;
            flag.position = small(&content.parse()?, 0, BITS - 1)?;
        }
        rest(&content, |meta| {
            if meta.path.is_ident("name") {
                flag.name = member_name(meta.value()?.parse()?)?.value();
            } else if meta.path.is_ident("doc") {
                flag.doc = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("expected `name` or `doc`"));
            }
            Ok(())
        })?;
        Ok(flag)
    }
}

/// A number within a bitset.
pub(crate) struct Bitfield {
    pub(crate) ident: Ident,
    pub(crate) ty: Ident,
    pub(crate) name: String,
    pub(crate) position: u32,
    pub(crate) size: u32,
    pub(crate) octet: bool,
    pub(crate) doc: Option<LitStr>,
}

impl Bitfield {
    /// `field(a: u8, size = 3)`, and `position`, `octet`, `name`, `doc`. Without position it is at
    /// `next`.
    pub(crate) fn parse(meta: &ParseNestedMeta<'_>, next: u32) -> Result<Self> {
        let content;
        parenthesized!(content in meta.input);
        let ident: Ident = content.parse()?;
        content.parse::<Token![:]>()?;
        let ty: Ident = content.parse()?;
        let room = room(&ty)?;
        let mut field = Self {
            name: ident.unraw().to_string(),
            ident,
            ty,
            position: next,
            size: 0,
            octet: false,
            doc: None,
        };
        rest(&content, |meta| {
            if meta.path.is_ident("size") {
                field.size = small(&meta.value()?.parse()?, 1, room)?;
            } else if meta.path.is_ident("position") {
                field.position = small(&meta.value()?.parse()?, 0, BITS - 1)?;
            } else if meta.path.is_ident("octet") && field.ty == "u8" {
                field.octet = true;
            } else if meta.path.is_ident("name") {
                field.name = member_name(meta.value()?.parse()?)?.value();
            } else if meta.path.is_ident("doc") {
                field.doc = Some(meta.value()?.parse()?);
            } else {
                return Err(
                    meta.error("expected `size`, `position`, `name`, `doc` or, at a `u8`, `octet`")
                );
            }
            Ok(())
        })?;
        match field.size {
            0 => Err(Error::new_spanned(&field.ident, "which `size` has it?")),
            _ => Ok(field),
        }
    }
}

/// How many bits a type has.
fn room(ty: &Ident) -> Result<u32> {
    let room = match ty.to_string().as_str() {
        "bool" => 1,
        "u8" | "i8" => 8,
        "u16" | "i16" => 16,
        "u32" | "i32" => 32,
        "u64" | "i64" => 64,
        _ => {
            return Err(Error::new_spanned(
                ty,
                "a field of a bitset is a `bool` or an integer of at most 64 bits",
            ));
        }
    };
    Ok(room)
}

fn small(literal: &LitInt, least: u32, most: u32) -> Result<u32> {
    match literal.base10_parse()? {
        number if (least..=most).contains(&number) => Ok(number),
        _ => Err(Error::new_spanned(
            literal,
            format!("expected {least} to {most}"),
        )),
    }
}

/// What stands behind the first comma.
fn rest(
    content: ParseStream<'_>,
    set: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    if content.is_empty() {
        return Ok(());
    }
    content.parse::<token::Comma>()?;
    syn::meta::parser(set).parse2(content.parse()?)
}
