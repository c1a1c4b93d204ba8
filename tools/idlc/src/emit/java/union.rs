//! Unions: classes with an accessor for each case.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{Case, DynamicType, TypeKind};

use super::code::{Code, literal};
use super::read::{Place, Read, reader};
use super::types::{Held, default_of};
use super::write::Write;
use super::{
    LIBRARY, head, member_docs, names, range, tail, type_support, type_support_end, value,
};
use crate::emit::Unit;
use crate::model::NamedType;
use crate::plan::Part;

/// A case with a value.
struct Choice<'t> {
    case: &'t Case,
    held: Option<Held>,
    /// Its field.
    name: String,
}

struct Union<'u, 'm, 't> {
    unit: &'u Unit<'m>,
    ty: &'t DynamicType,
    class: String,
    /// The discriminator.
    by: Held,
    choices: Vec<Choice<'t>>,
}

pub(super) fn class(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, ty: &DynamicType) {
    let Some(element) = ty.discriminator() else {
        return;
    };
    let by = Held::new(ty, element, format!("{}._d", ty.name()));
    let by = Held {
        default: default_of(ty.annotations(), &by.ty),
        ..by
    };
    let choices = ty.cases().iter().map(|case| Choice {
        case,
        held: case.element().map(|element| {
            let held = Held::new(ty, element, format!("{}.{}", ty.name(), case.name()));
            Held {
                default: default_of(case.annotations(), &held.ty),
                ..held
            }
        }),
        name: format!("_case_{}", case.name()),
    });
    let union = Union {
        unit,
        ty,
        class: names::place(unit, ty.name()).1,
        by,
        choices: choices.collect(),
    };
    head(unit, code, entry, &format!("final class {}", union.class));
    union.fields(code);
    union.accessors(code, entry);
    union.memory(code);
    type_support(unit, code, ty);
    union.codec(code);
    type_support_end(code);
    tail(unit, code, entry);
}

impl Union<'_, '_, '_> {
    fn selector(&self) -> String {
        names::ty(self.unit, &self.by.ty)
    }

    fn default(&self) -> String {
        value::fresh(self.unit, &self.by)
    }

    /// A discriminator as Java writes it.
    fn label(&self, label: i64) -> String {
        let ty = self.by.ty.resolved();
        match ty.kind() {
            TypeKind::Boolean => (label != 0).to_string(),
            TypeKind::Enumeration => {
                let literal = ty
                    .literals()
                    .iter()
                    .find(|one| i64::from(one.value()) == label);
                let name =
                    literal.map_or_else(String::new, |one| names::member(self.unit, one.name()));
                format!("{}.{name}", names::qualified(self.unit, ty.name()))
            }
            _ => {
                let word = names::number(ty.kind()).map_or("int", |word| word.0);
                match word {
                    "long" => format!("{label}L"),
                    "int" => (label as i32).to_string(),
                    word => format!("({word}) {label}"),
                }
            }
        }
    }

    /// Does something for the case that `d` selects.
    fn cases(&self, code: &mut Code, d: &str, mut body: impl FnMut(&mut Code, &Choice<'_>)) {
        let mut otherwise = "";
        let (defaults, labelled): (Vec<_>, Vec<_>) = self
            .choices
            .iter()
            .partition(|choice| choice.case.is_default());
        for choice in labelled {
            let labels = choice.case.labels().iter();
            let labels: Vec<String> = labels
                .map(|label| format!("{d} == {}", self.label(*label)))
                .collect();
            code.braces(
                format_args!("{otherwise}if ({})", labels.join(" || ")),
                |code| {
                    body(code, choice);
                },
            );
            otherwise = "else ";
        }
        for choice in defaults {
            match otherwise.is_empty() {
                true => body(code, choice),
                false => code.braces("else", |code| body(code, choice)),
            }
        }
    }

    fn fields(&self, code: &mut Code) {
        code.line(format_args!(
            "private {} _discriminator = {};",
            self.selector(),
            self.default()
        ));
        for Choice { held, name, .. } in &self.choices {
            if let Some(held) = held {
                let word = names::ty(self.unit, &held.ty);
                code.line(format_args!(
                    "private {word} {name} = {};",
                    value::default(self.unit, held)
                ));
            }
        }
    }

    /// Whether a discriminator selects a case.
    fn selects(&self, case: &Case, d: &str) -> String {
        let one = |label: &i64| format!("{d} == {}", self.label(*label));
        if !case.is_default() {
            let all: Vec<String> = case.labels().iter().map(one).collect();
            return all.join(" || ");
        }
        let others = self.choices.iter().filter(|one| !one.case.is_default());
        let labels = others.flat_map(|other| other.case.labels());
        let all: Vec<String> = labels
            .map(|label| format!("{d} != {}", self.label(*label)))
            .collect();
        match all.is_empty() {
            true => "true".into(),
            false => all.join(" && "),
        }
    }

    fn accessors(&self, code: &mut Code, entry: &NamedType) {
        let selector = self.selector();
        code.line("");
        code.docs(Some(
            "The discriminator has its default, and so has what it selects.",
        ));
        code.braces(format_args!("public {}()", self.class), |_| {});
        code.line("");
        code.docs(Some("{@return what selects the member}"));
        code.braces(
            format_args!("public {selector} getDiscriminator()"),
            |code| {
                code.line("return _discriminator;");
            },
        );
        code.line("");
        code.docs(Some(
            "Selects a member, which has its default, or none.\n\n@param d the discriminator",
        ));
        code.braces(format_args!("public void select({selector} d)"), |code| {
            self.check(code, "d");
            code.line("_discriminator = d;");
            self.cases(code, "d", |code, choice| {
                if let Some(held) = &choice.held {
                    value::reset(self.unit, code, held, &choice.name);
                }
            });
        });
        for (at, Choice { case, held, name }) in self.choices.iter().enumerate() {
            let Some(held) = held else { continue };
            let word = names::ty(self.unit, &held.ty);
            let (get, set) = (
                names::accessor("get", case.name()),
                names::accessor("set", case.name()),
            );
            let selected = self.selects(case, "_discriminator");
            code.line("");
            code.docs(member_docs(entry, at));
            code.braces(format_args!("public {word} {get}()"), |code| {
                code.braces(format_args!("if (!({selected}))"), |code| {
                    let says = literal(&format!("{} is not selected, but by ", held.idl));
                    code.line(format_args!(
                        "throw new java.lang.IllegalStateException({says} + _discriminator);"
                    ));
                });
                code.line(format_args!("return {name};"));
            });
            if let Some(first) = case.labels().first() {
                code.line("");
                code.docs(Some(
                    "Selects the member.\n\n@param value what it is from now on",
                ));
                code.braces(format_args!("public void {set}({word} value)"), |code| {
                    code.line(format_args!("_discriminator = {};", self.label(*first)));
                    code.line(format_args!("{name} = value;"));
                });
            }
            if case.is_default() || case.labels().len() > 1 {
                code.line("");
                code.docs(Some("Selects the member.\n\n@param d by which discriminator\n@param value what it is from now on"));
                code.braces(
                    format_args!("public void {set}({selector} d, {word} value)"),
                    |code| {
                        self.check(code, "d");
                        let selected = self.selects(case, "d");
                        code.braces(format_args!("if (!({selected}))"), |code| {
                            let says = literal(&format!("{} is not selected by ", held.idl));
                            code.line(format_args!(
                                "throw new java.lang.IllegalArgumentException({says} + d);"
                            ));
                        });
                        code.line("_discriminator = d;");
                        code.line(format_args!("{name} = value;"));
                    },
                );
            }
        }
    }

    /// An enumerator has to be one.
    fn check(&self, code: &mut Code, d: &str) {
        if self.by.ty.resolved().kind() == TypeKind::Enumeration {
            code.line(format_args!(
                "java.util.Objects.requireNonNull({d}, \"{d}\");"
            ));
        }
    }

    fn memory(&self, code: &mut Code) {
        let class = &self.class;
        code.line("");
        code.docs(Some(
            "Becomes equal to another value, with memory of its own.",
        ));
        code.braces(format_args!("public void copyFrom({class} from)"), |code| {
            code.line("_discriminator = from._discriminator;");
            self.cases(code, "_discriminator", |code, choice| {
                if let Some(held) = &choice.held {
                    let name = &choice.name;
                    let text = value::copy_of(self.unit, code, held, &format!("from.{name}"));
                    code.line(format_args!("{name} = {text};"));
                }
            });
        });
        code.line("");
        code.docs(Some("{@return a copy with memory of its own}"));
        code.braces(format_args!("public {class} copy()"), |code| {
            code.line(format_args!("{class} made = new {class}();"));
            code.line("made.copyFrom(this);");
            code.line("return made;");
        });
        code.line("");
        code.line("@Override");
        code.braces("public boolean equals(java.lang.Object other)", |code| {
            code.braces(
                format_args!(
                    "if (!(other instanceof {class} that) || _discriminator != that._discriminator)"
                ),
                |code| code.line("return false;"),
            );
            self.each(code, |held, name| {
                format!(
                    "return {};",
                    value::equal(held, name, &format!("that.{name}"))
                )
            });
            self.otherwise(code, "return true;");
        });
        code.line("");
        code.line("@Override");
        code.braces("public int hashCode()", |code| {
            let hash = value::hash(&self.by, "_discriminator");
            code.line(format_args!("int hash = {hash};"));
            self.each(code, |held, name| {
                format!("return 31 * hash + {};", value::hash(held, name))
            });
            self.otherwise(code, "return hash;");
        });
        code.line("");
        code.line("@Override");
        code.braces("public java.lang.String toString()", |code| {
            self.each(code, |held, name| {
                let text = value::text(held, name);
                let word = name.trim_start_matches("_case_");
                format!("return \"{class}{{\" + _discriminator + \", {word}=\" + {text} + \"}}\";")
            });
            self.otherwise(
                code,
                &format!("return \"{class}{{\" + _discriminator + \"}}\";"),
            );
        });
    }

    /// Whether one of the branches of [`Self::cases`] is taken in any case.
    fn is_total(&self) -> bool {
        let defaults = self.choices.iter().find(|choice| choice.case.is_default());
        defaults.is_some_and(|choice| choice.held.is_some())
    }

    fn each(&self, code: &mut Code, statement: impl Fn(&Held, &str) -> String) {
        self.cases(code, "_discriminator", |code, choice| {
            if let Some(held) = &choice.held {
                code.line(statement(held, &choice.name));
            }
        });
    }

    /// Java takes no statement that is never reached; it does not look into conditions.
    fn otherwise(&self, code: &mut Code, statement: &str) {
        let all_return = self.choices.iter().all(|choice| choice.held.is_some());
        if !(self.is_total() && all_return) {
            code.line(statement);
        }
    }

    fn codec(&self, code: &mut Code) {
        let class = &self.class;
        code.line("@Override");
        code.braces(format_args!("public void reset({class} v)"), |code| {
            code.line(format_args!("v.select({});", self.default()));
        });
        code.line("@Override");
        code.braces(
            format_args!("public void write({LIBRARY}.CdrWriter w, {class} v)"),
            |code| {
                self.write(code);
                self.ranges(code, "w");
            },
        );
        code.line("@Override");
        code.braces(
            format_args!("public void read({} r, {class} v)", reader()),
            |code| {
                match self.ty.extensibility() {
                    Extensibility::Mutable => self.read_labelled(code),
                    _ => self.read(code),
                }
                self.ranges(code, "r");
            },
        );
    }

    /// Refuses a discriminator, or what it selects, out of its range.
    fn ranges(&self, code: &mut Code, by: &str) {
        let selector = (&self.by, self.ty.annotations());
        range::part(self.unit, code, by, selector, "v._discriminator");
        let has_ranges = |choice: &Choice<'_>| {
            choice
                .held
                .as_ref()
                .is_some_and(|held| range::is_checked(self.unit, (held, choice.case.annotations())))
        };
        if !self.choices.iter().any(has_ranges) {
            return;
        }
        self.cases(code, "v._discriminator", |code, choice| {
            if let Some(held) = &choice.held {
                let what = (held, choice.case.annotations());
                range::part(self.unit, code, by, what, &format!("v.{}", choice.name));
            }
        });
    }

    fn write(&self, code: &mut Code) {
        let write = Write {
            unit: self.unit,
            part: Part::Whole,
        };
        let is_mutable = self.ty.extensibility() == Extensibility::Mutable;
        let is_headed = self.ty.extensibility() != Extensibility::Final;
        if is_headed {
            code.line("int begin = w.beginDelimited();");
        }
        match is_mutable {
            true => write.labelled(code, &self.by, (0, true), "v._discriminator"),
            false => write.held(code, &self.by, "v._discriminator"),
        }
        self.cases(code, "v._discriminator", |code, choice| {
            let Some(held) = &choice.held else { return };
            let place = format!("v.{}", choice.name);
            match is_mutable {
                true => write.labelled(code, held, (choice.case.id(), false), &place),
                false => write.held(code, held, &place),
            }
        });
        if is_headed {
            code.line(if is_mutable {
                "w.endMutable(begin);"
            } else {
                "w.end(begin);"
            });
        }
    }

    fn reading(&self) -> Read<'_, '_> {
        Read {
            unit: self.unit,
            part: Part::Whole,
        }
    }

    fn read(&self, code: &mut Code) {
        let read = self.reading();
        let grows = self.ty.extensibility() == Extensibility::Appendable;
        code.line(format_args!("{} d = {};", self.selector(), self.default()));
        if grows {
            code.line("long scope = r.begin();");
            code.braces("if (r.more(scope))", |code| {
                read.selector(code, self.ty, &self.by)
            });
        } else {
            read.selector(code, self.ty, &self.by);
        }
        code.line("v._discriminator = d;");
        self.cases(code, "d", |code, choice| {
            let Some(held) = &choice.held else { return };
            let field = format!("v.{}", choice.name);
            match grows {
                false => read.held(code, held, &Place::variable(&field)),
                true => {
                    code.braces("if (r.more(scope))", |code| {
                        read.held(code, held, &Place::variable(&field));
                    });
                    code.braces("else", |code| value::reset(self.unit, code, held, &field));
                }
            }
        });
        if grows {
            code.line("r.end(scope);");
        }
    }

    /// The discriminator may come behind what it selects.
    fn read_labelled(&self, code: &mut Code) {
        let read = self.reading();
        let idl = literal(self.ty.name());
        code.line(format_args!("{} d = {};", self.selector(), self.default()));
        code.line("long scope = r.beginDelimited();");
        code.line("long limit = r.limit();\nlong origin = r.origin();\nlong region = r.region();");
        code.line("long begin = r.position();");
        code.line("boolean isFound = false;");
        code.braces("while (r.nextMember())", |code| {
            code.braces("switch (r.memberId())", |code| {
                code.braces("case 0 ->", |code| {
                    code.line("isFound = true;");
                    read.selector(code, self.ty, &self.by);
                });
                let valued = self.choices.iter().filter(|choice| choice.held.is_some());
                let ids: Vec<String> = valued.map(|choice| choice.case.id().to_string()).collect();
                if !ids.is_empty() {
                    code.line(format_args!("case {} -> {{ }}", ids.join(", ")));
                }
                code.line(format_args!("default -> r.unknownMember({idl});"));
            });
            code.line("r.endMember(limit, origin, region);");
        });
        code.braces("if (!isFound)", |code| {
            code.line(format_args!("throw r.missing({idl});"))
        });
        code.line("v._discriminator = d;");
        code.line("int wanted = -1;");
        self.cases(code, "d", |code, choice| {
            if choice.held.is_some() {
                code.line(format_args!("wanted = {};", choice.case.id()));
            }
        });
        code.line("r.position(begin);");
        code.line("isFound = false;");
        code.braces("while (r.nextMember())", |code| {
            code.braces("if (r.memberId() == wanted)", |code| {
                code.line("isFound = true;");
                code.braces("switch (wanted)", |code| {
                    for Choice { case, held, name } in &self.choices {
                        let Some(held) = held else { continue };
                        code.braces(format_args!("case {} ->", case.id()), |code| {
                            let place = Place::variable(&format!("v.{name}"));
                            read.held(code, held, &place);
                        });
                    }
                    code.line("default -> { }");
                });
            });
            code.line("r.endMember(limit, origin, region);");
        });
        code.line("r.end(scope);");
        code.braces("if (wanted >= 0 && !isFound)", |code| {
            code.line(format_args!("throw r.missing({idl});"));
        });
    }
}
