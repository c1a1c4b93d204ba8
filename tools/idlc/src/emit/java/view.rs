//! Views: values of types whose memory is their encoding, in memory that others see.

use dunlin_xtypes::{DynamicType, Member, TypeKind};

use super::code::Code;
use super::write::is_copied;
use super::{LIBRARY, names};
use crate::emit::{File, Unit, shape};
use crate::plan::Plan;

/// The name of the view of a type.
pub(super) fn name(ty: &DynamicType) -> String {
    format!("{}View", ty.name())
}

/// The file of the view of a type, if memory is its encoding.
pub(super) fn file(unit: &Unit<'_>, ty: &DynamicType) -> Option<File> {
    let plan = Plan::new(&unit.model.tree, []).checking_ranges(unit.choices.range_checks);
    let plain = shape::plain(&plan, ty)?;
    let all = shape::plain_size(ty);
    if all > i32::MAX as u64 {
        return None;
    }
    let (_, class) = names::place(unit, &name(ty));
    let mut code = Code::default();
    code.docs(Some(&format!("A {} in memory that others see.", ty.name())));
    let of = names::qualified(unit, ty.name());
    code.braces(
        format_args!("public final class {class} extends {LIBRARY}.View<{of}>"),
        |code| {
            let mut offset = 0;
            let parts = ty.members().map(|member| {
                let part = Part::new(unit, ty, member, offset);
                offset += shape::plain_size(&ty.at(member.element().ty));
                part
            });
            let parts: Vec<Part<'_, '_>> = parts.collect();
            parts.iter().for_each(|part| part.field(code));
            code.docs(Some("A view over nothing, for a loan."));
            code.braces(format_args!("public {class}()"), |code| {
                code.line(format_args!("super({all}, {}, {});", plain.0, plain.1));
            });
            parts.iter().for_each(|part| part.methods(code));
        },
    );
    Some(super::file(unit, &name(ty), code.finish()))
}

/// A member of a plain structure.
struct Part<'u, 'm> {
    unit: &'u Unit<'m>,
    name: String,
    /// Of a number or structure.
    ty: DynamicType,
    dimensions: Vec<u32>,
    offset: u64,
}

impl<'u, 'm> Part<'u, 'm> {
    fn new(unit: &'u Unit<'m>, of: &DynamicType, member: &Member, offset: u64) -> Self {
        let mut ty = of.at(member.element().ty).resolved();
        let mut dimensions = Vec::new();
        while let (TypeKind::Array, Some(element)) = (ty.kind(), ty.element()) {
            dimensions.extend(ty.dimensions());
            ty = ty.at(element.ty).resolved();
        }
        Self {
            unit,
            name: names::method(unit, member.name()),
            ty,
            dimensions,
            offset,
        }
    }

    fn view(&self) -> Option<String> {
        let is_structure = self.ty.kind() == TypeKind::Structure;
        is_structure.then(|| names::qualified(self.unit, &name(&self.ty)))
    }

    /// The view of a member is made once.
    fn field(&self, code: &mut Code) {
        if let Some(view) = self.view() {
            code.line(format_args!(
                "private final {view} _{} = new {view}();",
                self.name
            ));
        }
    }

    /// Where an element is, whose indexes are parameters.
    fn place(&self) -> String {
        let mut distance = shape::plain_size(&self.ty);
        let mut text = format!("{}L", self.offset);
        for (at, length) in self.dimensions.iter().enumerate().rev() {
            text.push_str(&format!(
                " + {distance}L * java.util.Objects.checkIndex(i{at}, {length})"
            ));
            distance = distance.saturating_mul(u64::from(*length));
        }
        text
    }

    fn methods(&self, code: &mut Code) {
        let indexes = (0..self.dimensions.len()).map(|at| format!("int i{at}"));
        let indexes: Vec<String> = indexes.collect();
        let (name, place) = (&self.name, self.place());
        let parameters = indexes.join(", ");
        code.line("");
        if let Some(view) = self.view() {
            code.docs(Some("{@return the member, in the same memory}"));
            code.braces(format_args!("public {view} {name}({parameters})"), |code| {
                code.line(format_args!("return part(_{name}, {place});"));
            });
            return;
        }
        let Some((word, _)) = names::number(self.ty.kind()) else {
            return;
        };
        let (get, put) = match word {
            "byte" => ("getByte($)".into(), "putByte($, value)".into()),
            "float" => (
                "java.lang.Float.intBitsToFloat(getInt($))".to_string(),
                "putInt($, java.lang.Float.floatToRawIntBits(value))".to_string(),
            ),
            "double" => (
                "java.lang.Double.longBitsToDouble(getLong($))".into(),
                "putLong($, java.lang.Double.doubleToRawLongBits(value))".into(),
            ),
            "char" if self.ty.kind() == TypeKind::Char8 => (
                "(char) (getByte($) & 0xff)".into(),
                "putByte($, (byte) value)".into(),
            ),
            "char" => (
                "(char) getShort($)".into(),
                "putShort($, (short) value)".into(),
            ),
            word => {
                let mut letters = word.chars();
                let first = letters.next().map(|one| one.to_ascii_uppercase());
                let method: String = first.into_iter().chain(letters).collect();
                (format!("get{method}($)"), format!("put{method}($, value)"))
            }
        };
        code.docs(Some("{@return the number}"));
        code.braces(format_args!("public {word} {name}({parameters})"), |code| {
            code.line(format_args!("return {};", get.replace('$', &place)));
        });
        code.line("");
        let between = if parameters.is_empty() { "" } else { ", " };
        code.docs(Some("Another number.\n\n@param value the number"));
        code.braces(
            format_args!("public void {name}({parameters}{between}{word} value)"),
            |code| code.line(format_args!("{};", put.replace('$', &place))),
        );
        if let ([length], true) = (&self.dimensions[..], is_copied(&self.ty)) {
            let offset = self.offset;
            code.line("");
            code.docs(Some("Other numbers.\n\n@param values all of them"));
            code.braces(
                format_args!("public void {name}({word}[] values)"),
                |code| {
                    code.line(format_args!("putAll({offset}L, values, {length});"));
                },
            );
            code.line("");
            code.docs(Some("The numbers.\n\n@param into what gets all of them"));
            code.braces(
                format_args!("public void {name}Into({word}[] into)"),
                |code| {
                    code.line(format_args!("getAll({offset}L, into, {length});"));
                },
            );
        }
    }
}
