//! Structures: classes with public fields.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Member};

use super::code::Code;
use super::read::Read;
use super::types::{Held, has_part};
use super::write::Write;
use super::{
    LIBRARY, head, member_docs, names, range, tail, type_support, type_support_end, value,
};
use crate::emit::Unit;
use crate::model::NamedType;
use crate::plan::Part;

/// A constructor has at most so many parameters: those of a method are limited to 255.
const PARAMETERS: usize = 100;

/// A member and its field.
struct Field {
    held: Held,
    name: String,
}

fn field(unit: &Unit<'_>, ty: &DynamicType, member: &Member) -> Field {
    Field {
        held: Held::member(ty, member),
        name: names::member(unit, member.name()),
    }
}

/// The type of a field.
fn declared(unit: &Unit<'_>, held: &Held) -> String {
    match held.is_optional {
        true => names::object(unit, &held.ty),
        false => names::ty(unit, &held.ty),
    }
}

pub(super) fn class(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, ty: &DynamicType) {
    let (_, class) = names::place(unit, ty.name());
    let base = ty.base().map(|base| names::qualified(unit, base.name()));
    let extends = base.as_ref().map(|base| format!(" extends {base}"));
    head(
        unit,
        code,
        entry,
        &format!("class {class}{}", extends.unwrap_or_default()),
    );
    let own: Vec<Field> = ty
        .own_members()
        .iter()
        .map(|one| field(unit, ty, one))
        .collect();
    for (at, field) in own.iter().enumerate() {
        code.docs(member_docs(entry, at));
        let (word, default) = (
            declared(unit, &field.held),
            value::default(unit, &field.held),
        );
        code.line(format_args!("public {word} {} = {default};", field.name));
    }
    let all: Vec<Field> = ty.members().map(|one| field(unit, ty, one)).collect();
    constructors(unit, code, &class, &all);
    memory(unit, code, &class, base.is_some(), (&own, &all));
    type_support(unit, code, ty);
    reset(unit, code, &class, &all);
    codec(unit, code, ty, &class, Part::Whole);
    if has_part(ty) {
        codec(unit, code, ty, &class, Part::Key);
    }
    type_support_end(code);
    tail(unit, code, entry);
}

fn constructors(unit: &Unit<'_>, code: &mut Code, class: &str, all: &[Field]) {
    code.line("");
    code.docs(Some("All members have their defaults."));
    code.braces(format_args!("public {class}()"), |_| {});
    if all.is_empty() || all.len() > PARAMETERS {
        return;
    }
    let parameters = all.iter();
    let parameters: Vec<String> = parameters
        .map(|field| format!("{} {}", declared(unit, &field.held), field.name))
        .collect();
    code.line("");
    code.docs(Some("With values for all members."));
    code.braces(
        format_args!("public {class}({})", parameters.join(", ")),
        |code| {
            for Field { name, .. } in all {
                code.line(format_args!("this.{name} = {name};"));
            }
        },
    );
}

/// Copies, comparisons and text.
fn memory(
    unit: &Unit<'_>,
    code: &mut Code,
    class: &str,
    has_base: bool,
    (own, all): (&[Field], &[Field]),
) {
    code.line("");
    code.docs(Some(
        "Becomes equal to another value, with memory of its own.",
    ));
    code.braces(format_args!("public void copyFrom({class} from)"), |code| {
        if has_base {
            code.line("super.copyFrom(from);");
        }
        for Field { held, name } in own {
            let text = value::copy_of(unit, code, held, &format!("from.{name}"));
            // A member may be called `from`, too.
            code.line(format_args!("this.{name} = {text};"));
        }
    });
    code.line("");
    code.docs(Some("{@return a copy with memory of its own}"));
    if has_base {
        code.line("@Override");
    }
    code.braces(format_args!("public {class} copy()"), |code| {
        code.line(format_args!("{class} made = new {class}();"));
        code.line("made.copyFrom(this);");
        code.line("return made;");
    });
    code.line("");
    code.line("@Override");
    code.braces("public boolean equals(java.lang.Object other)", |code| {
        code.braces(
            format_args!("if (!(other instanceof {class} that) || other.getClass() != getClass())"),
            |code| code.line("return false;"),
        );
        let first = if has_base {
            "super.equals(other)"
        } else {
            "true"
        };
        let rest: String = own
            .iter()
            .map(|Field { held, name }| {
                let same = value::equal(held, &format!("this.{name}"), &format!("that.{name}"));
                format!("\n        && {same}")
            })
            .collect();
        code.line(format_args!("return {first}{rest};"));
    });
    code.line("");
    code.line("@Override");
    code.braces("public int hashCode()", |code| {
        code.line(format_args!(
            "int hash = {};",
            if has_base { "super.hashCode()" } else { "1" }
        ));
        for Field { held, name } in own {
            let of = value::hash(held, &format!("this.{name}"));
            code.line(format_args!("hash = 31 * hash + {of};"));
        }
        code.line("return hash;");
    });
    code.line("");
    code.line("@Override");
    code.braces("public java.lang.String toString()", |code| {
        let mut between = "";
        let parts: String = all
            .iter()
            .map(|Field { held, name }| {
                let of = value::text(held, &format!("this.{name}"));
                let part = format!("\n        + \"{between}{name}=\" + {of}");
                between = ", ";
                part
            })
            .collect();
        code.line(format_args!("return \"{class}{{\"{parts} + \"}}\";"));
    });
}

fn reset(unit: &Unit<'_>, code: &mut Code, class: &str, all: &[Field]) {
    code.line("@Override");
    code.braces(format_args!("public void reset({class} v)"), |code| {
        for Field { held, name } in all {
            value::reset(unit, code, held, &format!("v.{name}"));
        }
    });
}

/// What writes and reads a value, or its key.
fn codec(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, class: &str, part: Part) {
    let word = match part {
        Part::Whole => "",
        Part::Key => "Key",
    };
    let is_wanted = |member: &&Member| part == Part::Whole || !ty.has_key() || member.is_key();
    let members: Vec<&Member> = ty.members().filter(is_wanted).collect();
    code.line("@Override");
    let head = format!("public void write{word}({LIBRARY}.CdrWriter w, {class} v)");
    code.braces(head, |code| {
        let write = Write { unit, part };
        match ty.extensibility() {
            Extensibility::Final => write.members(code, ty, &members),
            grows => {
                code.line("int begin = w.beginDelimited();");
                write.members(code, ty, &members);
                code.line(match grows {
                    Extensibility::Mutable => "w.endMutable(begin);",
                    _ => "w.end(begin);",
                });
            }
        }
        ranges(unit, code, ty, (members.as_slice(), "w"));
    });
    code.line("@Override");
    let head = format!("public void read{word}({LIBRARY}.CdrReader r, {class} v)");
    code.braces(head, |code| {
        let read = Read { unit, part };
        read.structure(code, ty, &members);
        ranges(unit, code, ty, (members.as_slice(), "r"));
    });
}

/// Refuses members out of their ranges.
fn ranges(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, (members, by): (&[&Member], &str)) {
    for member in members {
        let Field { held, name } = field(unit, ty, member);
        let what = (&held, member.annotations());
        range::part(unit, code, by, what, &format!("v.{name}"));
    }
}
