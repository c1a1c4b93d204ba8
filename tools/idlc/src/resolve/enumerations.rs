//! Enumerations, bitmasks and bitsets.

use std::collections::HashMap;

use dunlin_xtypes::TypeKind;

use super::Resolver;
use super::annotations::Applied;
use super::places::Place;
use super::scope::Entity;
use super::types::{Bitfield, Bitmask, Bitset, Enumeration, Literal, NamedKind, Ty};
use crate::ast::{self, Definition, Enumerator, Name, ScopedName};
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::value::{Value, range};

impl Resolver<'_, '_> {
    pub(super) fn enumeration(
        &mut self,
        definition: &Definition,
        list: &[Enumerator],
        scope: usize,
    ) {
        let name = definition.name;
        let applied = self.apply(&definition.front.annotations, Place::Enum, scope);
        if let Some(span) = applied.bit_set {
            let message = "@BitSet enum is a bitmask as it was written before IDL 4.2";
            let note = "write `bitmask`, and @position in place of @value";
            self.session
                .report(Report::new(codes::OLD_SPELLING, span, message).note(note));
            return self.bits(definition, list, applied, scope);
        }
        let bit_bound = self.bit_bound(&applied, 32);
        let number = self.add_type(scope, name, NamedKind::Bad);
        let own = self.named(number).map_or(scope, |named| named.scope);
        let most = (1_i64 << (bit_bound - 1)) - 1;
        let mut literals: Vec<Literal> = Vec::new();
        let mut used: HashMap<i64, Name> = HashMap::new();
        let mut next = 0_i64;
        let mut default: Option<(i64, Span)> = None;
        for one in list {
            let on = self.apply(&one.front.annotations, Place::Literal, scope);
            let given = on.value.or_else(|| self.equal_value(one, scope));
            let value = given.map_or(next, |given| given.0);
            let span = given.map_or(one.name.span, |given| given.1);
            next = value.saturating_add(1);
            self.check_bits(one.name, value, (-most - 1, most), bit_bound, span);
            self.check_unique(one.name, value, &mut used, "value", "@value");
            if let Some(span) = on.default_literal
                && let Some((_, first)) = default.replace((value, span))
            {
                let message = "an enum has one default literal";
                let report = Report::new(codes::SECOND_DEFAULT, span, message)
                    .label(first, "the first is here");
                self.session.report(report);
            }
            self.enter_literal(
                scope,
                own,
                one.name,
                Entity::Literal(number, literals.len()),
            );
            literals.push(Literal {
                name: one.name,
                value,
                docs: one.front.docs.clone(),
            });
        }
        self.check_filled(name, literals.len(), "enum", "literal");
        self.check_count(name, literals.len(), "literals");
        let kind = NamedKind::Enumeration(Enumeration {
            extensibility: self.numbers_extensibility(&applied),
            bit_bound,
            literals,
            default: default.map(|default| default.0),
            ignores_literal_names: applied.ignore_literal_names.is_some_and(|flag| flag.0),
        });
        self.complete(number, kind, definition.front.docs.clone(), applied);
    }

    /// Literals are visible beside their type and within it.
    fn enter_literal(&mut self, outer: usize, own: usize, name: Name, entity: Entity) {
        self.enter_name(outer, name, entity);
        // A second one of the same name was reported above.
        let is_new = !self.scope(own).names.contains_key(&name.symbol);
        if is_new {
            self.enter_name(own, name, entity);
        }
    }

    /// `A = 3`: an error was reported; the value is taken so that nothing follows from it.
    fn equal_value(&mut self, one: &Enumerator, scope: usize) -> Option<(i64, Span)> {
        let expression = one.value.as_ref()?;
        match self.evaluate(expression, scope, None) {
            Value::Integer(value) => Some((i64::try_from(value).ok()?, expression.span)),
            _ => None,
        }
    }

    fn check_bits(&mut self, name: Name, value: i64, range: (i64, i64), bound: u16, span: Span) {
        if (range.0..=range.1).contains(&value) {
            return;
        }
        let text = self.text(name.symbol);
        let message = format!(
            "`{text}` is {value}, and with {bound} bits it is from {} to {}",
            range.0, range.1
        );
        let report = Report::new(codes::BEYOND_BIT_BOUND, span, message)
            .note("@bit_bound(n) gives the type another size");
        self.session.report(report);
    }

    fn check_unique(
        &mut self,
        name: Name,
        value: i64,
        used: &mut HashMap<i64, Name>,
        what: &str,
        by: &str,
    ) {
        if let Some(first) = used.insert(value, name) {
            let (one, two) = (self.text(first.symbol), self.text(name.symbol));
            let message = format!("`{one}` and `{two}` both have the {what} {value}");
            let report = Report::new(codes::DUPLICATE_VALUE, name.span, message)
                .label(first.span, "the first is here")
                .note(format!("give one of them another by {by}"));
            self.session.report(report);
        }
    }

    pub(super) fn check_filled(&mut self, name: Name, count: usize, what: &str, part: &str) {
        if count == 0 && !self.broken.contains(&name.span) {
            let text = self.text(name.symbol);
            let message = format!("the {what} `{text}` has no {part}");
            self.session
                .report(Report::new(codes::NOTHING_IN_IT, name.span, message));
        }
    }

    fn bit_bound(&mut self, applied: &Applied, most: u16) -> u16 {
        let Some((bound, span)) = applied.bit_bound else {
            return 32;
        };
        match u16::try_from(bound) {
            Ok(bound) if (1..=most).contains(&bound) => bound,
            _ => {
                let message = format!("@bit_bound is 1 to {most} here, and this is {bound}");
                self.session
                    .report(Report::new(codes::BAD_BIT_BOUND, span, message));
                32
            }
        }
    }

    /// How an enum or bitmask grows: it is never mutable.
    fn numbers_extensibility(&mut self, applied: &Applied) -> dunlin_cdr::Extensibility {
        use dunlin_cdr::Extensibility::{Appendable, Final, Mutable};
        match applied.extensibility {
            Some((Mutable, span)) => {
                let message = "an enum or bitmask is final or appendable";
                self.session
                    .report(Report::new(codes::MUTABLE_NUMBERS, span, message));
                Appendable
            }
            Some((extensibility, _)) => extensibility,
            None if self.session.options.default_extensibility == Final => Final,
            None => Appendable,
        }
    }

    pub(super) fn bitmask(&mut self, definition: &Definition, list: &[Enumerator], scope: usize) {
        let applied = self.apply(&definition.front.annotations, Place::Bitmask, scope);
        self.bits(definition, list, applied, scope);
    }

    fn bits(
        &mut self,
        definition: &Definition,
        list: &[Enumerator],
        applied: Applied,
        scope: usize,
    ) {
        let name = definition.name;
        let bit_bound = self.bit_bound(&applied, 64);
        let number = self.add_type(scope, name, NamedKind::Bad);
        let own = self.named(number).map_or(scope, |named| named.scope);
        let mut flags: Vec<Literal> = Vec::new();
        let mut used: HashMap<i64, Name> = HashMap::new();
        let mut next = 0_i64;
        for one in list {
            let on = self.apply(&one.front.annotations, Place::Flag, scope);
            // `@value` is how positions were given before IDL 4.2.
            let given = on
                .position
                .or(on.value)
                .or_else(|| self.equal_value(one, scope));
            let position = given.map_or(next, |given| given.0);
            let span = given.map_or(one.name.span, |given| given.1);
            next = position.saturating_add(1);
            let last = i64::from(bit_bound) - 1;
            self.check_bits(one.name, position, (0, last), bit_bound, span);
            self.check_unique(one.name, position, &mut used, "position", "@position");
            self.enter_literal(scope, own, one.name, Entity::Flag(number, flags.len()));
            flags.push(Literal {
                name: one.name,
                value: position,
                docs: one.front.docs.clone(),
            });
        }
        self.check_filled(name, flags.len(), "bitmask", "flag");
        let kind = NamedKind::Bitmask(Bitmask {
            extensibility: self.numbers_extensibility(&applied),
            bit_bound,
            flags,
        });
        self.complete(number, kind, definition.front.docs.clone(), applied);
    }

    pub(super) fn bitset(
        &mut self,
        definition: &Definition,
        base: Option<&ScopedName>,
        list: &[ast::Bitfield],
        scope: usize,
    ) {
        let name = definition.name;
        let applied = self.apply(&definition.front.annotations, Place::Bitset, scope);
        let (mut fields, mut at) = match base {
            Some(base) => self.bitset_base(base, scope),
            None => (Vec::new(), 0),
        };
        let mut names: HashMap<Symbol, (Symbol, Span)> = HashMap::new();
        for field in &fields {
            let folded = self.session.symbols.folded(field.name.symbol);
            names.insert(folded, (field.name.symbol, field.name.span));
        }
        let number = self.add_type(scope, name, NamedKind::Bad);
        for one in list {
            self.apply(&one.front.annotations, Place::Field, scope);
            let size = self.field_size(one, scope);
            let holder = self.holder(one, size, scope);
            if one.names.is_empty() {
                at += u16::from(size);
            }
            for name in &one.names {
                self.member_name(*name, &mut names);
                fields.push(Bitfield {
                    name: *name,
                    position: at,
                    size,
                    holder,
                    docs: one.front.docs.clone(),
                });
                at = at.saturating_add(size.into());
            }
            if at > 64 {
                let message =
                    format!("a bitset has at most 64 bits, and up to here there are {at}");
                self.session
                    .report(Report::new(codes::BITSET_SIZE, one.span, message));
                at = 0;
            }
        }
        self.check_filled(name, fields.len(), "bitset", "field with a name");
        let kind = NamedKind::Bitset(Bitset { fields, bits: at });
        self.complete(number, kind, definition.front.docs.clone(), applied);
    }

    fn bitset_base(&mut self, base: &ScopedName, scope: usize) -> (Vec<Bitfield>, u16) {
        let found = match self.look_up(base, scope, "bitset") {
            Some(Entity::Type(found)) => found,
            None => return (Vec::new(), 0),
            Some(_) => usize::MAX,
        };
        match self.behind(&Ty::Named(found)) {
            Ty::Named(number) => {
                if let Some(NamedKind::Bitset(of)) = self.named(number).map(|named| &named.kind) {
                    return (of.fields.clone(), of.bits);
                }
            }
            Ty::Bad if found != usize::MAX => return (Vec::new(), 0),
            _ => {}
        }
        let text = base.parts.last().map_or("", |part| self.text(part.symbol));
        let message = format!("the base of a bitset is a bitset, and `{text}` is none");
        self.session
            .report(Report::new(codes::BAD_BASE, base.span, message));
        (Vec::new(), 0)
    }

    fn field_size(&mut self, one: &ast::Bitfield, scope: usize) -> u8 {
        match self.evaluate(&one.size, scope, None) {
            Value::Bad => 1,
            Value::Integer(size @ 1..=64) => size as u8,
            other => {
                let message = format!("a bitfield has 1 to 64 bits, and this is {}", other.shown());
                self.session
                    .report(Report::new(codes::BITFIELD, one.size.span, message));
                1
            }
        }
    }

    /// The type of a field's value in programs (IDL 4.2 7.4.13.4.3.3).
    fn holder(&mut self, one: &ast::Bitfield, size: u8, scope: usize) -> TypeKind {
        let usual = match size {
            1 => TypeKind::Boolean,
            2..=8 => TypeKind::Byte,
            9..=16 => TypeKind::UInt16,
            17..=32 => TypeKind::UInt32,
            _ => TypeKind::UInt64,
        };
        let Some(used) = &one.holder else {
            return usual;
        };
        let ty = self.ty(used, scope, None);
        let room = match self.behind(&ty) {
            Ty::Bad => return usual,
            Ty::Primitive(TypeKind::Boolean) => Some((TypeKind::Boolean, 1)),
            Ty::Primitive(kind) if range(kind).is_some() => {
                kind.size().map(|bytes| (kind, 8 * bytes))
            }
            _ => None,
        };
        match room {
            Some((kind, bits)) if usize::from(size) <= bits => kind,
            _ => {
                let words = self.words(&ty);
                let message = format!("{words} does not hold a bitfield of {size} bits");
                self.session
                    .report(Report::new(codes::BITFIELD, used.span, message));
                usual
            }
        }
    }
}
