//! Constants: classes with one field, as the mapping of the OMG has it.

use super::code::Code;
use super::{names, value};
use crate::emit::Unit;
use crate::model::NamedConstant;

/// The class of a constant.
pub(super) fn class(unit: &Unit<'_>, of: &NamedConstant) -> String {
    let (_, class) = names::place(unit, &of.name);
    let ty = of.index.and_then(|index| unit.model.tree.get(index));
    let (word, text) = match &ty {
        Some(ty) => (
            names::ty(unit, ty),
            value::constant(unit, ty, &of.value).unwrap_or_default(),
        ),
        None => {
            let text = match &of.value {
                dunlin_xtypes::Constant::String8(text)
                | dunlin_xtypes::Constant::String16(text) => super::code::literal(text),
                _ => "null".into(),
            };
            ("java.lang.String".into(), text)
        }
    };
    let mut code = Code::default();
    code.docs(of.docs.as_deref());
    code.braces(format_args!("public final class {class}"), |code| {
        code.docs(Some("The value."));
        code.line(format_args!("public static final {word} VALUE = {text};"));
        code.line("");
        code.braces(format_args!("private {class}()"), |_| {});
    });
    code.finish()
}
