//! Annotations: which there are, where they belong, what they say (DDS-XTypes 1.3 7.3.1.2.1, IDL
//! 4.2 8.3).

use std::rc::Rc;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{TryConstruct, TypeKind};

use super::Resolver;
use super::places::{KNOWN, Place};
use super::types::{AutoIds, Extra, NamedKind, Topic, Ty, Verbatim};
use crate::ast::{Annotation, Expression, Operand, Step};
use crate::dialect;
use crate::report::{Report, codes, nearest};
use crate::source::Span;
use crate::value::Value;

/// What all annotations of one thing say, each with its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Applied {
    pub(super) extensibility: Option<(Extensibility, Span)>,
    pub(super) id: Option<(u32, Span)>,
    pub(super) hash_id: Option<(Option<Rc<str>>, Span)>,
    pub(super) auto_id: Option<(AutoIds, Span)>,
    pub(super) key: Option<(bool, Span)>,
    pub(super) must_understand: Option<(bool, Span)>,
    pub(super) optional: Option<(bool, Span)>,
    pub(super) external: Option<(bool, Span)>,
    pub(super) default: Option<Expression>,
    pub(super) min: Option<Expression>,
    pub(super) max: Option<Expression>,
    pub(super) unit: Option<Rc<str>>,
    pub(super) default_literal: Option<Span>,
    pub(super) value: Option<(i64, Span)>,
    pub(super) position: Option<(i64, Span)>,
    pub(super) bit_bound: Option<(i64, Span)>,
    pub(super) nested: Option<(bool, Span)>,
    pub(super) topic: Option<(Topic, Span)>,
    pub(super) default_nested: Option<(bool, Span)>,
    pub(super) try_construct: Option<(TryConstruct, Span)>,
    pub(super) data_representation: Option<(u32, Span)>,
    pub(super) ignore_literal_names: Option<(bool, Span)>,
    pub(super) verbatim: Vec<Verbatim>,
    pub(super) bit_set: Option<Span>,
}

impl Resolver<'_, '_> {
    /// Reads the annotations of something.
    pub(super) fn apply(&mut self, list: &[Annotation], place: Place, scope: usize) -> Applied {
        let mut applied = Applied::default();
        let mut seen: Vec<(&'static str, &Annotation)> = Vec::new();
        for annotation in list {
            let Some((name, parameters)) = self.known(annotation, place) else {
                continue;
            };
            // What several annotations say about one thing.
            let about = match name {
                "final" | "appendable" | "mutable" => "extensibility",
                name => name,
            };
            if about != "verbatim" {
                if let Some((first_name, first)) = seen.iter().find(|one| match one.0 {
                    "final" | "appendable" | "mutable" | "extensibility" => {
                        about == "extensibility"
                    }
                    other => other == about,
                }) {
                    let is_same = *first_name == name && same(first, annotation);
                    if !is_same {
                        let message = format!("@{name} contradicts another annotation");
                        let report = Report::new(codes::CONTRADICTION, annotation.span, message)
                            .label(first.span, "this one");
                        self.session.report(report);
                    }
                    continue;
                }
                seen.push((name, annotation));
            }
            if self.are_arguments(annotation, name, parameters) {
                self.read(annotation, name, place, scope, &mut applied);
            }
        }
        applied
    }

    /// The annotation of a name, if it is known and belongs here.
    fn known(
        &mut self,
        annotation: &Annotation,
        place: Place,
    ) -> Option<(&'static str, &'static [&'static str])> {
        let text = self.text(annotation.name.symbol).to_string();
        let mut found = KNOWN.iter().find(|known| known.0 == text);
        if found.is_none()
            && let Some(modern) = dialect::modern(&text)
        {
            found = KNOWN.iter().find(|known| known.0 == modern);
            if !annotation.is_comment && modern != "bit_set" {
                let message = format!("@{text} is how others wrote @{modern} before IDL 4.2");
                let report = Report::new(codes::OLD_SPELLING, annotation.name.span, message);
                self.session.report(report.instead(modern));
            }
        }
        let Some((name, places, parameters)) = found else {
            self.unknown_annotation(annotation, &text);
            return None;
        };
        if places & place as u16 == 0 {
            let right: Vec<&str> = Place::ALL
                .into_iter()
                .filter(|place| places & *place as u16 != 0)
                .map(Place::words)
                .collect();
            let message = format!("@{name} does not apply to {}", place.words());
            let report = Report::new(codes::WRONG_PLACE, annotation.span, message)
                .note(format!("it is for {}", right.join(", ")));
            self.session.report(report);
            return None;
        }
        Some((name, parameters))
    }

    fn unknown_annotation(&mut self, annotation: &Annotation, text: &str) {
        let symbol = annotation.name.symbol;
        if !self.reported_annotations.insert(symbol) {
            return;
        }
        let span = annotation.name.span;
        if self.user_annotations.contains(&symbol) {
            let message = format!("@{text} is defined by @annotation, and has no effect here");
            self.session
                .report(Report::new(codes::USER_ANNOTATION, span, message));
            return;
        }
        let message = format!("there is no annotation @{text}: it has no effect");
        let mut report = Report::new(codes::UNKNOWN_ANNOTATION, span, message);
        let names = KNOWN
            .iter()
            .map(|known| known.0)
            .filter(|name| *name != "bit_set");
        if let Some(near) = nearest(text, names) {
            report = report.instead(near);
        }
        self.session.report(report);
    }

    /// The arguments have names that there are, and are not too many.
    fn are_arguments(&mut self, annotation: &Annotation, name: &str, parameters: &[&str]) -> bool {
        if parameters.is_empty()
            && let Some((_, value)) = annotation.arguments.first()
        {
            let message = format!("@{name} takes no argument");
            self.session
                .report(Report::new(codes::ANNOTATION_ARGUMENT, value.span, message));
            return false;
        }
        for (argument, _) in &annotation.arguments {
            let Some(argument) = argument else { continue };
            let text = self.text(argument.symbol);
            if parameters.contains(&text) {
                continue;
            }
            let message = format!("@{name} has no parameter `{text}`");
            let mut report = Report::new(codes::ANNOTATION_ARGUMENT, argument.span, message);
            if let Some(near) = nearest(text, parameters.iter().copied()) {
                report = report.instead(near);
            }
            self.session.report(report);
            return false;
        }
        true
    }

    fn argument<'a>(&self, annotation: &'a Annotation, parameter: &str) -> Option<&'a Expression> {
        let mut arguments = annotation.arguments.iter();
        let found = arguments.find(|(name, _)| match name {
            None => !matches!(parameter, "max" | "platform" | "placement" | "text"),
            Some(name) => self.text(name.symbol) == parameter,
        });
        found.map(|(_, value)| value)
    }

    fn read(
        &mut self,
        on: &Annotation,
        name: &'static str,
        place: Place,
        scope: usize,
        into: &mut Applied,
    ) {
        let span = on.span;
        match name {
            "final" => into.extensibility = Some((Extensibility::Final, span)),
            "appendable" => into.extensibility = Some((Extensibility::Appendable, span)),
            "mutable" => into.extensibility = Some((Extensibility::Mutable, span)),
            "extensibility" => {
                let words = [
                    ("FINAL", Extensibility::Final),
                    ("APPENDABLE", Extensibility::Appendable),
                    ("MUTABLE", Extensibility::Mutable),
                ];
                into.extensibility = self.word(on, name, &words, None).map(|word| (word, span));
            }
            "id" => {
                into.id = self
                    .number(on, name, (0, 0x0fff_fffe), scope)
                    .map(|(id, at)| (id as u32, at));
            }
            "hashid" => into.hash_id = Some((self.string(on, "value", scope), span)),
            "autoid" => {
                let words = [("SEQUENTIAL", AutoIds::Sequential), ("HASH", AutoIds::Hash)];
                let word = self.word(on, name, &words, Some(AutoIds::Hash));
                into.auto_id = word.map(|word| (word, span));
            }
            "key" => into.key = self.flag(on, scope),
            "must_understand" => into.must_understand = self.flag(on, scope),
            "optional" => into.optional = self.flag(on, scope),
            "external" => into.external = self.flag(on, scope),
            "nested" => into.nested = self.flag(on, scope),
            "default_nested" => into.default_nested = self.flag(on, scope),
            "ignore_literal_names" => into.ignore_literal_names = self.flag(on, scope),
            "default" => into.default = self.needed(on, name, "value"),
            "min" => into.min = self.needed(on, name, "value"),
            "max" => into.max = self.needed(on, name, "value"),
            "range" => {
                into.min = self.needed(on, name, "min");
                into.max = self.needed(on, name, "max");
            }
            "unit" => {
                self.needed(on, name, "value");
                into.unit = self.string(on, "value", scope);
            }
            "default_literal" => into.default_literal = Some(span),
            "value" => {
                into.value = self.number(on, name, (i64::MIN.into(), i64::MAX.into()), scope)
            }
            "position" => into.position = self.number(on, name, (0, 63), scope),
            "bit_bound" => into.bit_bound = self.number(on, name, (1, 64), scope),
            "topic" => {
                let strings = (
                    self.string(on, "name", scope),
                    self.string(on, "platform", scope),
                );
                into.topic = Some((strings, span));
            }
            "try_construct" => {
                let words = [
                    ("DISCARD", TryConstruct::Discard),
                    ("USE_DEFAULT", TryConstruct::UseDefault),
                    ("TRIM", TryConstruct::Trim),
                ];
                let word = self.word(on, name, &words, Some(TryConstruct::UseDefault));
                into.try_construct = word.map(|word| (word, span));
            }
            "data_representation" => {
                into.data_representation = self.representations(on, scope).map(|mask| (mask, span));
            }
            "verbatim" => self.verbatim(on, scope, into),
            "bit_set" => into.bit_set = Some(span),
            _ => {}
        }
        debug_assert!(place as u16 != 0, "a place is a bit");
    }

    fn needed(&mut self, on: &Annotation, name: &str, parameter: &str) -> Option<Expression> {
        let found = self.argument(on, parameter).cloned();
        if found.is_none() {
            let message = format!(
                "@{name} needs {}",
                match parameter {
                    "value" => "an argument".to_string(),
                    other => format!("the argument `{other}`"),
                }
            );
            self.session
                .report(Report::new(codes::ANNOTATION_ARGUMENT, on.span, message));
        }
        found
    }

    /// A boolean; TRUE if nothing is given.
    fn flag(&mut self, on: &Annotation, scope: usize) -> Option<(bool, Span)> {
        let Some(expression) = self.argument(on, "value") else {
            return Some((true, on.span));
        };
        let boolean = Ty::Primitive(dunlin_xtypes::TypeKind::Boolean);
        let value = self.evaluate(expression, scope, None);
        match self.fit(value, &boolean, expression.span, "the argument")? {
            Value::Boolean(value) => Some((value, on.span)),
            _ => None,
        }
    }

    fn number(
        &mut self,
        on: &Annotation,
        name: &str,
        range: (i128, i128),
        scope: usize,
    ) -> Option<(i64, Span)> {
        let expression = self.needed(on, name, "value")?;
        let message = match self.evaluate(&expression, scope, None) {
            Value::Bad => return None,
            Value::Integer(value) if (range.0..=range.1).contains(&value) => {
                return i64::try_from(value)
                    .ok()
                    .map(|value| (value, expression.span));
            }
            Value::Integer(value) => {
                format!(
                    "@{name} is from {} to {}, and this is {value}",
                    range.0, range.1
                )
            }
            other => format!("@{name} takes an integer, and this is {}", other.words()),
        };
        self.session.report(Report::new(
            codes::ANNOTATION_ARGUMENT,
            expression.span,
            message,
        ));
        None
    }

    fn string(&mut self, on: &Annotation, parameter: &str, scope: usize) -> Option<Rc<str>> {
        let expression = self.argument(on, parameter)?.clone();
        match self.evaluate(&expression, scope, None) {
            Value::Text(text) | Value::WideText(text) => Some(text),
            Value::Bad => None,
            other => {
                let message = format!("a string should be here, and this is {}", other.words());
                self.session.report(Report::new(
                    codes::ANNOTATION_ARGUMENT,
                    expression.span,
                    message,
                ));
                None
            }
        }
    }

    /// One of some words.
    fn word<T: Copy>(
        &mut self,
        on: &Annotation,
        name: &str,
        words: &[(&str, T)],
        otherwise: Option<T>,
    ) -> Option<T> {
        let expression = match (self.argument(on, "value"), otherwise) {
            (Some(expression), _) => expression.clone(),
            (None, Some(otherwise)) => return Some(otherwise),
            (None, None) => {
                self.needed(on, name, "value");
                return None;
            }
        };
        let text = match expression.name().and_then(|name| name.parts.last()) {
            Some(part) => self.text(part.symbol).to_string(),
            None => self.session.sources.text(expression.span).to_string(),
        };
        let modern = dialect::modern_word(&text);
        let found = words.iter().find(|word| word.0 == modern.unwrap_or(&text));
        if let Some((word, value)) = found {
            if modern.is_some() && !on.is_comment {
                let message = format!("{text} is how others wrote {word} before IDL 4.2");
                let report = Report::new(codes::OLD_SPELLING, expression.span, message);
                self.session.report(report.instead(*word));
            }
            return Some(*value);
        }
        let all: Vec<&str> = words.iter().map(|word| word.0).collect();
        let message = format!("@{name} is {}, and not {text}", all.join(" or "));
        let mut report = Report::new(codes::ANNOTATION_ARGUMENT, expression.span, message);
        if let Some(near) = nearest(&text, all.iter().copied()) {
            report = report.instead(near);
        }
        self.session.report(report);
        None
    }

    /// Representations joined by `|`: bits 0, 1 and 2 for XCDR1, XML and XCDR2.
    fn representations(&mut self, on: &Annotation, scope: usize) -> Option<u32> {
        let expression = self.needed(on, "data_representation", "allowed_kinds")?;
        let mut mask = 0;
        for step in &expression.steps {
            let part = match step {
                Step::Push(Operand::Name(name), span) => {
                    let text = name.parts.last().map_or("", |part| self.text(part.symbol));
                    match text {
                        "XCDR1" | "XCDR" => 1,
                        "XML" => 2,
                        "XCDR2" => 4,
                        other => {
                            let message =
                                format!("a representation is XCDR1, XCDR2 or XML, and not {other}");
                            let report = Report::new(codes::ANNOTATION_ARGUMENT, *span, message);
                            self.session.report(report);
                            return None;
                        }
                    }
                }
                // Bits beyond mean nothing yet.
                Step::Push(Operand::Integer(bits), _) => (bits & 7) as u32,
                Step::Push(..) => match self.evaluate(&expression, scope, None) {
                    Value::Integer(value) => return u32::try_from(value).ok(),
                    _ => return None,
                },
                Step::Unary(..) | Step::Binary(..) => 0,
            };
            mask |= part;
        }
        Some(mask)
    }

    fn verbatim(&mut self, on: &Annotation, scope: usize, into: &mut Applied) {
        let language = self
            .string(on, "language", scope)
            .unwrap_or_else(|| "*".into());
        let placement = self.string(on, "placement", scope);
        if self.needed(on, "verbatim", "text").is_none() {
            return;
        }
        let placement = placement.unwrap_or_else(|| "before-declaration".into());
        if let Some(text) = self.string(on, "text", scope) {
            into.verbatim.push(Verbatim {
                language,
                placement,
                text,
            });
        }
    }

    /// What annotations say beside the type of a member.
    pub(super) fn extra(&mut self, applied: &Applied, ty: &Ty, scope: usize) -> Extra {
        let is_ordered = self.check_order(applied, ty);
        let mut value = |expression: &Option<Expression>, what: &str| {
            let expression = expression.as_ref()?;
            let value = self.evaluate(expression, scope, Some(ty));
            let value = self.fit(value, ty, expression.span, what)?;
            Some((value, expression.span))
        };
        let default = value(&applied.default, "the default");
        let (min, max) = match is_ordered {
            true => (
                value(&applied.min, "the least value"),
                value(&applied.max, "the largest value"),
            ),
            false => (None, None),
        };
        self.check_range(&default, &min, &max);
        self.check_typedef(ty, [&default, &min, &max]);
        let hash_id = applied.hash_id.as_ref().map(|(text, _)| match text {
            Some(text) => text.clone(),
            None => "".into(),
        });
        Extra {
            default: default.map(|value| value.0),
            min: min.map(|value| value.0),
            max: max.map(|value| value.0),
            unit: applied.unit.clone(),
            hash_id,
        }
    }

    /// A range is of a type that has an order.
    fn check_order(&mut self, applied: &Applied, ty: &Ty) -> bool {
        let Some(said) = applied.min.as_ref().or(applied.max.as_ref()) else {
            return true;
        };
        let help = match self.behind(ty) {
            Ty::Primitive(TypeKind::Boolean) => "a boolean is TRUE or FALSE".into(),
            Ty::Text(_) => "a bound limits its length: string<8>".into(),
            Ty::WideText(_) => "a bound limits its length: wstring<8>".into(),
            Ty::Named(number)
                if matches!(
                    self.named(number).map(|named| &named.kind),
                    Some(NamedKind::Bitmask(_))
                ) =>
            {
                "a bitmask has those flags that it declares".to_string()
            }
            _ => return true,
        };
        let words = self.words(ty);
        let message = format!("{words} has no order, so that it has no range");
        let report = Report::new(codes::NO_ORDER, said.span, message);
        self.session.report(report.note(help));
        false
    }

    /// What a member says is possible with what the typedefs of its type say.
    fn check_typedef(&mut self, ty: &Ty, said: [&Option<(Value, Span)>; 3]) {
        let mut at = ty.clone();
        let mut found = None;
        while let Ty::Named(number) = at
            && let Some(named) = self.named(number)
            && let NamedKind::Alias(alias) = &named.kind
            && found.is_none()
        {
            let [default, min, max] = said;
            let pairs = [
                (default, "@default is", [true, true]),
                (min, "@min is", [false, true]),
                (max, "@max is", [true, false]),
            ];
            for (own, words, [below, above]) in pairs {
                let Some((own, span)) = own else { continue };
                let min = alias
                    .extra
                    .min
                    .as_ref()
                    .filter(|min| below && is_above(min, own));
                let max = alias
                    .extra
                    .max
                    .as_ref()
                    .filter(|max| above && is_above(own, max));
                let outside = match (min, max) {
                    (Some(min), _) => format!("below @min of {}: {}", named.qualified, min.shown()),
                    (_, Some(max)) => format!("above @max of {}: {}", named.qualified, max.shown()),
                    _ => continue,
                };
                found = Some((*span, format!("{words} {}, {outside}", own.shown())));
                break;
            }
            at = alias.element.ty.clone();
        }
        if let Some((span, message)) = found {
            self.session
                .report(Report::new(codes::BEYOND_TYPEDEF, span, message));
        }
    }

    /// The default is between the least and the largest.
    fn check_range(
        &mut self,
        default: &Option<(Value, Span)>,
        min: &Option<(Value, Span)>,
        max: &Option<(Value, Span)>,
    ) {
        let pairs = [
            (min, max, "@min is above @max"),
            (min, default, "@default is below @min"),
            (default, max, "@default is above @max"),
        ];
        for (low, high, words) in pairs {
            let (Some((low, one)), Some((high, two))) = (low, high) else {
                continue;
            };
            if is_above(low, high) {
                let message = format!("{words}: {} and {}", low.shown(), high.shown());
                let report =
                    Report::new(codes::CONTRADICTION, *two, message).label(*one, "the other value");
                self.session.report(report);
            }
        }
    }
}

/// Whether one value of a type is above another.
fn is_above(low: &Value, high: &Value) -> bool {
    match (low, high) {
        (Value::Integer(low), Value::Integer(high)) => low > high,
        (Value::Float(low), Value::Float(high)) => low.quad.compare(high.quad).is_gt(),
        (Value::Char(low), Value::Char(high)) | (Value::WideChar(low), Value::WideChar(high)) => {
            low > high
        }
        (Value::Literal { value: low, .. }, Value::Literal { value: high, .. }) => low > high,
        _ => false,
    }
}

/// Two annotations of one name say the same.
fn same(one: &Annotation, other: &Annotation) -> bool {
    let steps = |of: &Annotation| -> Vec<String> {
        let steps = of
            .arguments
            .iter()
            .flat_map(|(_, value)| value.steps.iter());
        steps
            .map(|step| match step {
                Step::Push(Operand::Name(name), _) => {
                    let parts = name.parts.iter().map(|part| part.symbol);
                    format!("{:?}", parts.collect::<Vec<_>>())
                }
                Step::Push(operand, _) => format!("{operand:?}"),
                Step::Unary(operator, _) | Step::Binary(operator, _) => format!("{operator:?}"),
            })
            .collect()
    };
    steps(one) == steps(other)
}
