//! What is done with values in memory: defaults, copies, comparisons, and their end.

use dunlin_xtypes::{Constant, DynamicType, TypeKind};

use super::code::{Code, literal};
use super::place::Place;
use super::{constant, names};
use crate::emit::Unit;
use crate::emit::shape::is_endless;

/// Writes statements about values.
#[derive(Clone, Copy)]
pub(super) struct Values<'u, 'm>(pub(super) &'u Unit<'m>);

impl Values<'_, '_> {
    fn name(self, ty: &DynamicType) -> String {
        let ty = ty.resolved();
        match ty.kind() {
            TypeKind::Sequence | TypeKind::Map => names::collection(self.0, &ty),
            TypeKind::String16 => "dunlin_wstring".into(),
            _ => names::global(self.0, ty.name()),
        }
    }

    /// The elements of an array, one by one, of one value or of two of a type.
    fn array(self, code: &mut Code, places: &[&Place], body: &mut dyn FnMut(&mut Code, &[Place])) {
        let Some(first) = places.first() else { return };
        let ty = first.ty.resolved();
        let Some(element) = ty.element() else { return };
        let depth = code.depth();
        code.braces("", |code| {
            let pointer = |at: usize| format!("e{depth}_{at}");
            for (at, place) in places.iter().enumerate() {
                let inner = format!("*{}", pointer(at));
                let declared = names::declare_element(self.0, &ty, element, &inner);
                let cast = names::pointer_cast(self.0, &declared, &pointer(at));
                code.line(format_args!("{declared} = {cast}&{};", place.value));
            }
            code.line(format_args!("uint32_t i{depth};"));
            let steps: Vec<_> = (0..places.len())
                .map(|at| format!(", {}++", pointer(at)))
                .collect();
            let (count, steps) = (ty.length(), steps.concat());
            code.braces(
                format_args!("for (i{depth} = 0; i{depth} < {count}u; i{depth}++{steps})"),
                |code| {
                    let all = places.iter().enumerate();
                    let all = all.map(|(at, place)| Place::element(place, element, &pointer(at)));
                    body(code, &all.collect::<Vec<_>>());
                },
            );
        });
    }

    /// Gives back what a value has behind pointers.
    pub(super) fn free(self, code: &mut Code, place: &Place) {
        if let Some(pointer) = &place.pointer {
            if place.has_classes {
                return code.line(format_args!("{pointer}.clear();"));
            }
            if names::is_text(&place.ty) || !names::has_memory(&place.ty) {
                code.line(format_args!("free({pointer});"));
                return code.line(format_args!("{pointer} = NULL;"));
            }
            return code.braces(format_args!("if ({pointer} != NULL)"), |code| {
                let inner = Place {
                    pointer: None,
                    ..place.clone()
                };
                self.free(code, &inner);
                code.line(format_args!("free({pointer});"));
                code.line(format_args!("{pointer} = NULL;"));
            });
        }
        if !names::has_memory(&place.ty) {
            return;
        }
        match place.ty.resolved().kind() {
            TypeKind::String8 => {
                code.line(format_args!("free({});", place.value));
                code.line(format_args!("{} = NULL;", place.value));
            }
            TypeKind::Array => self.array(code, &[place], &mut |code, of| {
                of.iter().for_each(|one| self.free(code, one));
            }),
            _ => code.line(format_args!(
                "{}_free({});",
                self.name(&place.ty),
                place.address()
            )),
        }
    }

    /// Gives a value its default. What is there is valid.
    pub(super) fn reset(self, code: &mut Code, place: &Place) {
        if place.is_optional || place.pointer.is_some() && is_endless(&place.ty) {
            return self.free(code, place);
        }
        let inner = Place {
            pointer: None,
            ..place.clone()
        };
        match &place.pointer {
            Some(pointer) if place.has_classes => {
                code.line(format_args!("if (!{pointer}.make()) return false;"));
                self.reset_here(code, &inner);
            }
            Some(pointer) if !names::is_text(&place.ty) => {
                code.braces(format_args!("if ({pointer} == NULL)"), |code| {
                    code.line(format_args!("{pointer} = calloc(1, sizeof *{pointer});"));
                    code.line(format_args!("if ({pointer} == NULL) return false;"));
                });
                self.reset_here(code, &inner);
            }
            _ => self.reset_here(code, place),
        }
    }

    fn reset_here(self, code: &mut Code, place: &Place) {
        let ty = place.ty.resolved();
        let value = &place.value;
        let text = match &place.default {
            Some(Constant::String8(text) | Constant::String16(text)) => text,
            _ => "",
        };
        match ty.kind() {
            TypeKind::String8 if place.is_own_text() => code.line(format_args!(
                "if (!dunlin_cdr_set_text(&{value}, {}, {})) return false;",
                literal(text),
                text.len()
            )),
            TypeKind::String8 => {
                code.line(format_args!(
                    "memcpy({value}, {}, {});",
                    literal(text),
                    text.len() + 1
                ));
            }
            TypeKind::String16 if text.is_empty() => {
                code.line(format_args!(
                    "(void)dunlin_wstring_resize({}, 0);",
                    place.address()
                ));
            }
            TypeKind::String16 => code.braces("", |code| {
                let units = constant::units(text);
                let count = units.len();
                code.line(format_args!(
                    "static const uint16_t units[] = {{{}}};",
                    units.join(", ")
                ));
                let address = place.address();
                code.line(format_args!(
                    "if (!dunlin_cdr_set_wide({address}, units, {count})) return false;"
                ));
            }),
            TypeKind::Sequence | TypeKind::Map => {
                let resize = names::of_collection(self.0, &ty, "resize");
                code.line(format_args!("(void){resize}({}, 0);", place.address()));
            }
            TypeKind::Structure | TypeKind::Union => {
                let name = self.name(&ty);
                code.line(format_args!(
                    "if (!{name}_reset({})) return false;",
                    place.address()
                ));
            }
            TypeKind::Array if is_zero(&ty, place.has_classes) => {
                code.line(format_args!("memset(&{value}, 0, sizeof {value});"));
            }
            TypeKind::Array => self.array(code, &[place], &mut |code, of| {
                of.iter().for_each(|one| self.reset(code, one));
            }),
            TypeKind::Bitset => code.line(format_args!("memset(&{value}, 0, sizeof {value});")),
            TypeKind::Float128 => match &place.default {
                Some(said) => {
                    let said = constant::number(&ty, said).unwrap_or_default();
                    code.braces("", |code| {
                        code.line(format_args!("static const dunlin_float128 said = {said};"));
                        code.line(format_args!("{value} = said;"));
                    });
                }
                None => code.line(format_args!("memset(&{value}, 0, sizeof {value});")),
            },
            _ => {
                let default = constant::default(&ty, place.default.as_ref());
                let cast = names::cast(self.0, &ty);
                code.line(format_args!("{value} = {cast}{default};"));
            }
        }
    }

    /// Makes a value equal to another.
    pub(super) fn copy(self, code: &mut Code, to: &Place, from: &Place) {
        let (Some(pointer), Some(source)) = (&to.pointer, &from.pointer) else {
            return self.copy_here(code, to, from);
        };
        code.braces(format_args!("if ({source} == NULL)"), |code| {
            self.free(code, to)
        });
        code.braces("else", |code| {
            if !names::is_text(&to.ty) {
                code.braces(format_args!("if ({pointer} == NULL)"), |code| {
                    code.line(format_args!("{pointer} = calloc(1, sizeof *{pointer});"));
                    code.line(format_args!("if ({pointer} == NULL) return false;"));
                });
            }
            self.copy_here(code, to, from);
        });
    }

    fn copy_here(self, code: &mut Code, to: &Place, from: &Place) {
        let ty = to.ty.resolved();
        let (target, source) = (&to.value, &from.value);
        match ty.kind() {
            TypeKind::String8 if to.is_own_text() => {
                code.line(format_args!(
                    "if (!dunlin_cdr_copy_text(&{target}, {source})) return false;"
                ));
            }
            TypeKind::String8 => {
                code.line(format_args!("memcpy({target}, {source}, sizeof {target});"));
            }
            TypeKind::Array if !names::has_memory(&ty) => {
                code.line(format_args!(
                    "memcpy(&{target}, &{source}, sizeof {target});"
                ));
            }
            TypeKind::Array => self.array(code, &[to, from], &mut |code, of| {
                if let [to, from] = of {
                    self.copy(code, to, from);
                }
            }),
            _ if ty.number_size().is_some() => code.line(format_args!("{target} = {source};")),
            _ => {
                let (name, to, from) = (self.name(&ty), to.address(), from.address());
                code.line(format_args!(
                    "if (!{name}_copy({to}, {from})) return false;"
                ));
            }
        }
    }

    /// Ends the function if two values differ.
    pub(super) fn compare(self, code: &mut Code, one: &Place, other: &Place) {
        let (Some(first), Some(second)) = (&one.pointer, &other.pointer) else {
            return self.compare_here(code, one, other);
        };
        code.line(format_args!(
            "if (({first} == NULL) != ({second} == NULL)) return false;"
        ));
        code.braces(format_args!("if ({first} != NULL)"), |code| {
            self.compare_here(code, one, other)
        });
    }

    fn compare_here(self, code: &mut Code, one: &Place, other: &Place) {
        let ty = one.ty.resolved();
        let (first, second) = (&one.value, &other.value);
        let same = match ty.kind() {
            TypeKind::Array => {
                return self.array(code, &[one, other], &mut |code, of| {
                    if let [one, other] = of {
                        self.compare(code, one, other);
                    }
                });
            }
            TypeKind::String8 => format!("dunlin_cdr_compare_text({first}, {second}) == 0"),
            TypeKind::Float32 | TypeKind::Float64 => format!("dunlin_cdr_same({first}, {second})"),
            TypeKind::Float128 => format!("memcmp(&{first}, &{second}, 16) == 0"),
            TypeKind::Bitset => {
                let name = self.name(&ty);
                format!("{name}_packed(&{first}) == {name}_packed(&{second})")
            }
            _ if ty.number_size().is_some() => format!("{first} == {second}"),
            _ => format!(
                "{}_equal({}, {})",
                self.name(&ty),
                one.address(),
                other.address()
            ),
        };
        code.line(format_args!("if (!({same})) return false;"));
    }
}

/// Whether a default array is all zero bits.
fn is_zero(ty: &DynamicType, has_classes: bool) -> bool {
    let Some(of) = ty.element() else { return false };
    let element = ty.at(of.ty).resolved();
    match element.kind() {
        _ if of.is_external => false,
        TypeKind::Array => is_zero(&element, has_classes),
        TypeKind::Enumeration => element.default_literal().is_none_or(|one| one.value() == 0),
        TypeKind::String8 => !has_classes && element.bound().is_some(),
        _ => element.number_size().is_some(),
    }
}
