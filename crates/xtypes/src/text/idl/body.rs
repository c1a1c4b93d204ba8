//! What stands within a definition.
use super::{Printer, absolute, grows, id, last, name};
use crate::{Constant, DynamicType, TypeIndex, TypeKind};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Printer<'_, '_, '_> {
    pub(super) fn enumeration(&mut self, ty: &DynamicType, depth: usize) {
        let mut front = String::from(grows(ty.extensibility()));
        if let Some(bound) = ty.bit_bound().filter(|bound| *bound != 32) {
            front.push_str(&format!(" @bit_bound({bound})"));
        }
        if ty.ignores_literal_names() {
            front.push_str(" @ignore_literal_names");
        }
        self.line(depth, &format!("{front} enum {} {{", name(last(ty.name()))));
        let default = ty.default_literal().map(|literal| literal.value());
        let first = ty.literals().first().map(|literal| literal.value());
        let mut next = 0;
        for (at, literal) in ty.literals().iter().enumerate() {
            self.comment(depth + 1, ty.index(), Some(at));
            let mut front = String::new();
            if default != first && default == Some(literal.value()) {
                front.push_str("@default_literal ");
            }
            if literal.value() != next {
                front.push_str(&format!("@value({}) ", literal.value()));
            }
            next = literal.value().wrapping_add(1);
            let comma = if at + 1 < ty.literals().len() {
                ","
            } else {
                ""
            };
            let line = format!("{front}{}{comma}", name(literal.name()));
            self.line(depth + 1, &line);
        }
        self.line(depth, "};");
    }

    pub(super) fn bitmask(&mut self, ty: &DynamicType, depth: usize) {
        let mut front = String::from(grows(ty.extensibility()));
        if let Some(bound) = ty.bit_bound().filter(|bound| *bound != 32) {
            front.push_str(&format!(" @bit_bound({bound})"));
        }
        let line = format!("{front} bitmask {} {{", name(last(ty.name())));
        self.line(depth, &line);
        let mut next = 0;
        for (at, flag) in ty.flags().iter().enumerate() {
            self.comment(depth + 1, ty.index(), Some(at));
            let front = match flag.position() == next {
                true => String::new(),
                false => format!("@position({}) ", flag.position()),
            };
            next = flag.position() + 1;
            let comma = if at + 1 < ty.flags().len() { "," } else { "" };
            self.line(depth + 1, &format!("{front}{}{comma}", name(flag.name())));
        }
        self.line(depth, "};");
    }

    pub(super) fn bitset(&mut self, ty: &DynamicType, depth: usize) {
        self.line(depth, &format!("bitset {} {{", name(last(ty.name()))));
        let mut next = 0;
        let mut fields: Vec<_> = ty.fields().iter().enumerate().collect();
        fields.sort_by_key(|(_, field)| field.position());
        for (at, field) in fields {
            if let Some(gap) = field.position().checked_sub(next).filter(|gap| *gap > 0) {
                self.line(depth + 1, &format!("bitfield<{gap}>;"));
            }
            self.comment(depth + 1, ty.index(), Some(at));
            let (size, holder) = (field.size(), field.holder().name());
            let line = format!("bitfield<{size}, {holder}> {};", name(field.name()));
            self.line(depth + 1, &line);
            next = field.position() + u16::from(size);
        }
        self.line(depth, "};");
    }

    pub(super) fn structure(&mut self, ty: &DynamicType, depth: usize) {
        let mut front = String::from(grows(ty.extensibility()));
        if ty.has_hashed_ids() {
            front.push_str(" @autoid(HASH)");
        }
        if ty.is_nested() {
            front.push_str(" @nested");
        }
        let base = ty.base();
        let base = base.map_or_else(String::new, |base| format!(" : {}", absolute(base.name())));
        let line = format!("{front} struct {}{base} {{", name(last(ty.name())));
        self.line(depth, &line);
        let inner = self.inner.get(&ty.index()).cloned();
        for inner in inner.into_iter().flatten() {
            if let Some(inner) = self.ty(inner) {
                self.body(&inner, depth + 1);
            }
        }
        let own = ty.own_members().len();
        let inherited = ty.members().count() - own;
        let last = ty.members().nth(inherited.wrapping_sub(1));
        let mut next = last.map_or(0, |last| last.id().saturating_add(1));
        for (at, member) in ty.own_members().iter().enumerate() {
            self.comment(depth + 1, ty.index(), Some(at));
            let annotations = member.annotations();
            let mut front = id(member.name(), member.id(), next, ty, annotations);
            next = member.id().saturating_add(1);
            if member.is_key() {
                front.push_str("@key ");
            }
            if member.is_optional() {
                front.push_str("@optional ");
            }
            if member.must_understand() {
                front.push_str("@must_understand ");
            }
            front.push_str(&self.front(member.element(), annotations));
            let declared = self.declared(member.element().ty, member.name());
            self.line(depth + 1, &format!("{front}{declared};"));
        }
        self.line(depth, "};");
    }

    pub(super) fn union(&mut self, ty: &DynamicType, depth: usize) {
        let Some(discriminator) = ty.discriminator() else {
            return;
        };
        let mut front = String::from(grows(ty.extensibility()));
        if ty.has_hashed_ids() {
            front.push_str(" @autoid(HASH)");
        }
        if ty.is_nested() {
            front.push_str(" @nested");
        }
        let mut by = self.front(discriminator, ty.annotations());
        if ty.has_key() {
            by.insert_str(0, "@key ");
        }
        by.push_str(&self.used(discriminator.ty));
        let line = format!("{front} union {} switch ({by}) {{", name(last(ty.name())));
        self.line(depth, &line);
        let mut next = 1;
        for (at, case) in ty.cases().iter().enumerate() {
            let Some(element) = case.element() else {
                continue;
            };
            for label in case.labels() {
                let label = self.label(*label, discriminator.ty);
                self.line(depth + 1, &format!("case {label}:"));
            }
            if case.is_default() {
                self.line(depth + 1, "default:");
            }
            self.comment(depth + 2, ty.index(), Some(at));
            let annotations = case.annotations();
            let mut front = id(case.name(), case.id(), next, ty, annotations);
            next = case.id().saturating_add(1);
            front.push_str(&self.front(element, annotations));
            let declared = self.declared(element.ty, case.name());
            self.line(depth + 2, &format!("{front}{declared};"));
        }
        self.line(depth, "};");
    }

    pub(super) fn label(&self, label: i64, discriminator: TypeIndex) -> String {
        let kind = self.ty(discriminator).map(|ty| ty.resolved().kind());
        let value = match kind {
            Some(TypeKind::Boolean) => Constant::Boolean(label != 0),
            Some(TypeKind::Char8) => Constant::Char8(label as u8),
            Some(TypeKind::Char16) => Constant::Char16(label as u16),
            Some(TypeKind::UInt64 | TypeKind::Bitmask) => {
                Constant::Integer(label.cast_unsigned().into())
            }
            _ => Constant::Integer(label.into()),
        };
        self.value(&value, discriminator)
    }
}
