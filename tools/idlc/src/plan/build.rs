//! Makes the steps of routines.

mod collection;
mod inline;

use std::collections::BTreeMap;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Element, Member as TypeMember, TypeKind, TypeTree};

use super::phase::Phase;
use super::{Case, Field, Form, Header, Member, Part, Presence, Routine, RoutineId, Run, Step};
use inline::Inline;

/// The wanted routines and all that they call.
pub(super) fn routines(tree: &TypeTree, wanted: Vec<RoutineId>) -> BTreeMap<RoutineId, Routine> {
    let mut routines = BTreeMap::new();
    let mut inline = Inline::default();
    let mut open = wanted;
    while let Some(id) = open.pop() {
        if routines.contains_key(&id) {
            continue;
        }
        let Some(ty) = tree.get(id.ty) else { continue };
        let mut steps = |phase| {
            let mut builder = Builder::new(id.form, phase, &mut inline);
            match ty.kind() {
                TypeKind::Union => builder.union(&ty),
                _ => builder.structure(&ty, "", id.part),
            }
            open.append(&mut builder.calls);
            builder.steps
        };
        let routine = Routine {
            aligned: steps(Phase::multiple(id.form.max_align())),
            anywhere: steps(Phase::ANY),
            max_size: None,
        };
        routines.insert(id, routine);
    }
    routines
}

struct Builder<'i> {
    form: Form,
    inline: &'i mut Inline,
    steps: Vec<Step>,
    calls: Vec<RoutineId>,
    /// Of the next byte.
    phase: Phase,
    /// How many loops the step is in.
    loops: usize,
    /// The bytes so far of what is being measured, if they are always as many.
    measured: Option<u64>,
}

impl<'i> Builder<'i> {
    fn new(form: Form, phase: Phase, inline: &'i mut Inline) -> Self {
        Self {
            form,
            inline,
            steps: Vec::new(),
            calls: Vec::new(),
            phase,
            loops: 0,
            measured: Some(0),
        }
    }

    fn advance(&mut self, by: u64) {
        self.phase = self.phase.advanced(by);
        self.measured = self.measured.and_then(|so_far| so_far.checked_add(by));
    }

    /// Nothing is known of the position any more.
    fn lose(&mut self) {
        self.phase = Phase::ANY;
        self.measured = None;
    }

    /// Returns the padding, if it is always the same.
    fn align(&mut self, to: u64) -> Option<u64> {
        let to = to.min(self.form.max_align());
        let padding = self.phase.padding(to);
        match padding {
            Some(padding) => self.advance(padding),
            None => {
                self.phase = Phase::multiple(to);
                self.measured = None;
            }
        }
        padding
    }

    /// A list of steps of its own, and its bytes if they are always as many.
    fn within(&mut self, make: impl FnOnce(&mut Self)) -> (Vec<Step>, Option<u64>) {
        let outer = std::mem::take(&mut self.steps);
        let so_far = self.measured.replace(0);
        make(self);
        let content = self.measured;
        self.measured = so_far.zip(content).and_then(|(a, b)| a.checked_add(b));
        (std::mem::replace(&mut self.steps, outer), content)
    }

    fn element(&mut self, of: &DynamicType, element: Element, path: &str, part: Part) {
        let ty = of.at(element.ty);
        match element.is_external {
            false => self.value(&ty, path, part),
            true => {
                let (steps, _) = self.within(|inner| inner.value(&ty, path, part));
                self.steps.push(Step::External {
                    path: path.into(),
                    steps,
                });
            }
        }
    }

    fn value(&mut self, ty: &DynamicType, path: &str, part: Part) {
        let ty = ty.resolved();
        if let Some(size) = ty.number_size() {
            return self.numbers(&ty, size as u64, 1, path);
        }
        match ty.kind() {
            TypeKind::String8 | TypeKind::String16 => {
                self.steps.push(Step::Text {
                    path: path.into(),
                    is_wide: ty.kind() == TypeKind::String16,
                    bound: ty.bound().unwrap_or(0),
                });
                self.lose();
            }
            TypeKind::Sequence | TypeKind::Array | TypeKind::Map => self.collection(&ty, path),
            TypeKind::Structure if self.inline.allows(&ty, self.form, part) => {
                self.structure(&ty, path, part);
            }
            _ => self.call(&ty, path, part),
        }
    }

    fn call(&mut self, ty: &DynamicType, path: &str, part: Part) {
        let to = RoutineId {
            ty: ty.index(),
            form: self.form,
            // No member of a union is a key.
            part: match ty.kind() {
                TypeKind::Union => Part::Whole,
                _ => part,
            },
        };
        let is_aligned = self.phase == Phase::multiple(self.form.max_align());
        self.steps.push(Step::Call {
            path: path.into(),
            to,
            is_aligned,
        });
        self.calls.push(to);
        self.lose();
    }

    fn numbers(&mut self, ty: &DynamicType, size: u64, count: u64, path: &str) {
        let padding = self.align(size);
        self.advance(size.saturating_mul(count));
        let align = match padding {
            Some(_) => 1,
            None => size.min(self.form.max_align()),
        };
        if padding.is_none() || !matches!(self.steps.last(), Some(Step::Run(_))) {
            self.steps.push(Step::Run(Run {
                align,
                size: 0,
                fields: Vec::new(),
            }));
        }
        if let Some(Step::Run(run)) = self.steps.last_mut() {
            let at = run.size + padding.unwrap_or(0);
            run.size = at.saturating_add(size.saturating_mul(count));
            run.fields.push(Field {
                at,
                path: path.into(),
                ty: ty.index(),
                kind: ty.kind(),
                size,
                count,
            });
        }
    }

    /// A DHEADER, if there is one here.
    fn delimited(&mut self, has_header: bool, make: impl FnOnce(&mut Self)) {
        if !has_header {
            return make(self);
        }
        self.align(4);
        self.advance(4);
        let (steps, content) = self.within(make);
        self.steps.push(Step::Delimited { content, steps });
    }

    fn structure(&mut self, ty: &DynamicType, path: &str, part: Part) {
        self.headed(ty, |inner, is_labelled| {
            let wanted =
                |member: &&TypeMember| part == Part::Whole || !ty.has_key() || member.is_key();
            let mut members: Vec<&TypeMember> = ty.members().filter(wanted).collect();
            if part == Part::Key && inner.form == Form::KeyHash {
                members.sort_by_key(|member| member.id());
            }
            for member in members {
                let path = match path {
                    "" => member.name().to_string(),
                    path => format!("{path}.{}", member.name()),
                };
                inner.member(ty, member, is_labelled, path, part);
            }
        });
    }

    /// What is around the members of a type; `make` is told whether they have headers of their own.
    fn headed(&mut self, ty: &DynamicType, make: impl FnOnce(&mut Self, bool)) {
        let grows = ty.extensibility();
        let is_mutable = grows == Extensibility::Mutable;
        match self.form {
            Form::KeyHash => make(self, false),
            Form::Xcdr1 if is_mutable => {
                let (steps, _) = self.within(|inner| make(inner, true));
                self.steps.push(Step::ParameterList { steps });
                self.measured = None;
                self.phase = Phase::multiple(4);
            }
            Form::Xcdr1 => make(self, false),
            Form::Xcdr2 => self.delimited(grows != Extensibility::Final, |inner| {
                make(inner, is_mutable);
            }),
        }
    }

    fn member(
        &mut self,
        ty: &DynamicType,
        member: &TypeMember,
        is_labelled: bool,
        path: String,
        part: Part,
    ) {
        let must_understand = member.is_key() || member.must_understand();
        // What is optional is a key as a whole.
        let inner = match member.is_optional() {
            true => Part::Whole,
            false => part,
        };
        if is_labelled {
            let header = (member.id(), must_understand, member.is_optional());
            self.labelled(ty, header, member.element(), path, inner);
        } else if !member.is_optional() {
            self.element(ty, member.element(), &path, inner);
        } else {
            // Where none is marked, optional members are keys as what is no member.
            let id = match part {
                Part::Key => 0,
                Part::Whole => member.id(),
            };
            self.optional(ty, member.element(), path, (id, must_understand));
        }
    }

    fn optional(
        &mut self,
        ty: &DynamicType,
        element: Element,
        path: String,
        (id, must_understand): (u32, bool),
    ) {
        let presence = match self.form {
            Form::Xcdr1 => Presence::Parameter {
                id,
                must_understand,
            },
            Form::Xcdr2 | Form::KeyHash => Presence::Flag,
        };
        match presence {
            Presence::Flag => self.advance(1),
            Presence::Parameter { .. } => self.phase = Phase::multiple(self.form.max_align()),
        }
        let absent = self.phase;
        let (steps, _) = self.within(|inner| inner.value(&ty.at(element.ty), &path, Part::Whole));
        self.measured = None;
        self.phase = match presence {
            Presence::Flag => absent.join(self.phase),
            Presence::Parameter { .. } => Phase::ANY,
        };
        self.steps.push(Step::Optional {
            presence,
            path,
            steps,
        });
    }

    fn labelled(
        &mut self,
        ty: &DynamicType,
        (id, must_understand, is_optional): (u32, bool, bool),
        element: Element,
        path: String,
        part: Part,
    ) {
        let before = self.phase;
        self.align(4);
        let header = match self.form {
            Form::Xcdr1 => Header::Parameter,
            Form::Xcdr2 | Form::KeyHash => Header::Labelled {
                length_code: ty.at(element.ty).length_code(),
            },
        };
        match header {
            Header::Parameter => self.phase = Phase::multiple(self.form.max_align()),
            Header::Labelled { length_code: 4 } => self.advance(8),
            Header::Labelled { .. } => self.advance(4),
        }
        let (steps, content) = self.within(|inner| inner.element(ty, element, &path, part));
        if header == Header::Parameter {
            self.lose();
        }
        if is_optional {
            self.measured = None;
            self.phase = before.join(self.phase);
        }
        self.steps.push(Step::Member(Member {
            path,
            id,
            must_understand,
            is_optional,
            header,
            content,
            steps,
        }));
    }

    fn union(&mut self, ty: &DynamicType) {
        self.headed(ty, |inner, is_labelled| {
            let Some(discriminator) = ty.discriminator() else {
                return;
            };
            let part = |inner: &mut Self, id: u32, element: Element, path: &str| match is_labelled {
                true => {
                    let header = (id, id == 0, false);
                    inner.labelled(ty, header, element, path.into(), Part::Whole);
                }
                false => inner.element(ty, element, path, Part::Whole),
            };
            part(inner, 0, discriminator, "_d");
            let before = inner.phase;
            let mut after = before;
            let cases = ty.cases().iter().map(|case| {
                inner.phase = before;
                let (steps, _) = inner.within(|inner| {
                    if let Some(element) = case.element() {
                        part(inner, case.id(), element, case.name());
                    }
                });
                after = after.join(inner.phase);
                Case {
                    labels: case.labels().to_vec(),
                    is_default: case.is_default(),
                    steps,
                }
            });
            let cases = cases.collect();
            inner.phase = after;
            inner.measured = None;
            inner.steps.push(Step::Switch { cases });
        });
    }
}
