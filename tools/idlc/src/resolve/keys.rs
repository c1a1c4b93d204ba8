//! Pragmas that name keys: `keylist`, `DCPS_DATA_KEY`.

use super::Resolver;
use super::scope::Entity;
use super::types::{NamedKind, Ty};
use crate::ast::{Name, ScopedName};
use crate::preprocess::Pragma;
use crate::report::{Report, codes};
use crate::source::Span;

impl Resolver<'_, '_> {
    pub(super) fn apply_pragmas(&mut self) {
        for (pragma, span, scope) in std::mem::take(&mut self.pragmas) {
            match pragma {
                Pragma::Keys { ty, fields } => {
                    if let Some(number) = self.pragma_type(&ty, scope) {
                        self.keys(number, &fields, span);
                    }
                }
                Pragma::Topic { ty } => {
                    if let Some(number) = self.pragma_type(&ty, scope)
                        && let Some(named) = self.result.types.get_mut(number)
                    {
                        match &mut named.kind {
                            NamedKind::Struct(of) => of.is_nested = false,
                            NamedKind::Union(of) => of.is_nested = false,
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// The struct or union that a pragma names.
    fn pragma_type(&mut self, ty: &(String, Span), scope: usize) -> Option<usize> {
        let (text, span) = ty;
        let (is_absolute, path) = match text.strip_prefix("::") {
            Some(path) => (true, path),
            None => (false, text.as_str()),
        };
        let parts = path.split("::").map(|part| Name {
            symbol: self.session.symbols.intern(part),
            span: *span,
        });
        let name = ScopedName {
            is_absolute,
            parts: parts.collect(),
            span: *span,
        };
        match self.look_up(&name, scope, "type")? {
            Entity::Type(number) => match self.behind(&Ty::Named(number)) {
                Ty::Named(number) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    fn keys(&mut self, number: usize, fields: &[(String, Span)], span: Span) {
        let Some(NamedKind::Struct(of)) = self.named(number).map(|named| &named.kind) else {
            let message = "a list of keys is for a struct";
            self.session
                .report(Report::new(codes::BAD_PRAGMA, span, message));
            return;
        };
        if let Some(key) = of.members.iter().find(|member| member.is_key) {
            let at = key.name.span;
            let message = "this list of keys has no effect: the struct has @key already";
            let report =
                Report::new(codes::KEYLIST_IGNORED, span, message).label(at, "this is a key");
            self.session.report(report);
            return;
        }
        for (path, span) in fields {
            self.key_path(number, path, *span);
        }
    }

    /// Each member on the way is a key.
    fn key_path(&mut self, number: usize, path: &str, span: Span) {
        let mut ty = Ty::Named(number);
        for part in path.split('.') {
            let symbol = self.session.symbols.intern(part);
            let owner = match self.behind(&ty) {
                Ty::Named(owner) => owner,
                _ => return self.no_key(path, part, span),
            };
            let Some(next) = self.mark_key(owner, symbol) else {
                return self.no_key(path, part, span);
            };
            ty = next;
        }
    }

    /// Makes a member a key; gives its type. Bases are looked in, too.
    fn mark_key(&mut self, owner: usize, symbol: crate::symbol::Symbol) -> Option<Ty> {
        let mut next = Some(owner);
        while let Some(number) = next {
            let named = self.result.types.get_mut(number)?;
            let NamedKind::Struct(of) = &mut named.kind else {
                return None;
            };
            if let Some(member) = of.members.iter_mut().find(|m| m.name.symbol == symbol) {
                if member.is_optional {
                    return None;
                }
                member.is_key = true;
                return Some(member.element.ty.clone());
            }
            next = of.base;
        }
        None
    }

    fn no_key(&mut self, path: &str, part: &str, span: Span) {
        let message = match path == part {
            true => format!("there is no member `{part}` that can be a key"),
            false => format!("there is no member `{part}` that can be a key, in {path}"),
        };
        self.session
            .report(Report::new(codes::BAD_PRAGMA, span, message));
    }
}
