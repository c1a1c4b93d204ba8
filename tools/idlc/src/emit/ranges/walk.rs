//! What is looked at of a value in memory whose numbers have ranges. Languages whose values may be
//! changed between two statements look at what they write as they write it, and do not need this.

use dunlin_xtypes::{Annotations, Case, DynamicType, TypeKind};

use crate::emit::code::Code;
use crate::plan::Part;
use crate::plan::range::{Range, Ranged, part_of};

/// The statements of a language.
pub(in crate::emit) trait Statements {
    /// A part of a value.
    type Place;

    /// The type of a part.
    fn ty<'p>(&self, place: &'p Self::Place) -> &'p DynamicType;

    /// A member, a case, `_d`, or the `key` or `value` of an entry.
    fn part(&self, place: &Self::Place, name: &str) -> Self::Place;

    /// What is done if a part is there.
    fn if_there(&self, code: &mut Code, place: &Self::Place, body: impl FnOnce(&mut Code));

    /// A switch over the cases of a union.
    fn cases(
        &self,
        code: &mut Code,
        ty: &DynamicType,
        discriminator: &Self::Place,
        body: impl FnMut(&mut Code, &Case),
    );

    /// What is done with each element of a collection.
    fn each(
        &self,
        code: &mut Code,
        place: &Self::Place,
        body: impl FnOnce(&mut Code, &Self::Place),
    );

    /// Refuses a number outside of its range. NaN is in none.
    fn number(&self, code: &mut Code, place: &Self::Place, range: Range);

    /// Refuses a structure or union that its own function refuses.
    fn call(&self, code: &mut Code, place: &Self::Place, part: Part);
}

/// The body of the function of a structure or union.
pub(in crate::emit) fn body<S: Statements>(
    statements: &S,
    code: &mut Code,
    root: &S::Place,
    part: Part,
) {
    let mut walk = Walk {
        statements,
        ranged: Ranged::default(),
    };
    let ty = statements.ty(root);
    match ty.kind() {
        TypeKind::Union => walk.union(code, root, ty),
        _ => walk.structure(code, root, ty, part),
    }
}

struct Walk<'s, S> {
    statements: &'s S,
    ranged: Ranged,
}

impl<S: Statements> Walk<'_, S> {
    fn structure(&mut self, code: &mut Code, root: &S::Place, ty: &DynamicType, part: Part) {
        let is_wanted = |is_key: bool| part == Part::Whole || !ty.has_key() || is_key;
        for member in ty.members().filter(|member| is_wanted(member.is_key())) {
            let inner = match member.is_optional() {
                true => Part::Whole,
                false => part,
            };
            let place = self.statements.part(root, member.name());
            self.part(code, &place, member.annotations(), inner);
        }
    }

    fn union(&mut self, code: &mut Code, root: &S::Place, ty: &DynamicType) {
        let discriminator = self.statements.part(root, "_d");
        self.part(code, &discriminator, ty.annotations(), Part::Whole);
        let mut has_range = |case: &Case| {
            case.element().is_some_and(|of| {
                let held = ty.at(of.ty);
                let is_number = Range::of(case.annotations(), &held).is_some();
                is_number || self.ranged.has(&held, Part::Whole)
            })
        };
        if !ty.cases().iter().any(&mut has_range) {
            return;
        }
        let statements = self.statements;
        statements.cases(code, ty, &discriminator, |code, case| {
            if case.element().is_some() {
                let place = statements.part(root, case.name());
                self.part(code, &place, case.annotations(), Part::Whole);
            }
        });
    }

    /// A member, a case or an element, which may be absent.
    fn part(
        &mut self,
        code: &mut Code,
        place: &S::Place,
        annotations: Option<&Annotations>,
        part: Part,
    ) {
        let statements = self.statements;
        let ty = statements.ty(place);
        let range = Range::of(annotations, ty);
        if range.is_none() && !self.ranged.has(ty, part) {
            return;
        }
        statements.if_there(code, place, |code| match range {
            Some(range) => statements.number(code, place, range),
            None => self.within(code, place, part),
        });
    }

    fn within(&mut self, code: &mut Code, place: &S::Place, part: Part) {
        let statements = self.statements;
        let ty = statements.ty(place).resolved();
        if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
            return statements.call(code, place, part_of(&ty, part));
        }
        statements.each(code, place, |code, element| match ty.kind() {
            TypeKind::Map => {
                for half in ["key", "value"] {
                    let half = statements.part(element, half);
                    self.part(code, &half, None, Part::Whole);
                }
            }
            _ => self.part(code, element, None, Part::Whole),
        });
    }
}
