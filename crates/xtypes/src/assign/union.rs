//! Unions (DDS-XTypes 1.3 7.2.4.4.7).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::judge::{Judge, Question, Task};
use super::place::Step;
use super::{Difference, Encoding};
use crate::tree::{Node, Union};
use crate::{Case, Element, TryConstruct};

const DISCRIMINATOR: Step<'static> = Step::Part("._d");

impl Union {
    /// The member that a discriminator selects.
    fn member(&self, label: i64) -> Option<&Case> {
        self.select(label).filter(|case| case.element.is_some())
    }

    /// The member that is selected where no label is.
    fn default_member(&self) -> Option<&Case> {
        let case = self.cases.get(self.default? as usize);
        case.filter(|case| case.element.is_some())
    }

    /// Labels that select a member, or `false` those that select none; ascending.
    fn labels_of(&self, members: bool) -> impl Iterator<Item = i64> {
        let selects = move |case: u32| {
            let case = self.cases.get(case as usize);
            case.is_some_and(|case| case.element.is_some() == members)
        };
        let labels = self.by_label.iter().filter(move |entry| selects(entry.1));
        labels.map(|entry| entry.0)
    }

    fn has_label(&self, label: i64) -> bool {
        let labelled = self.by_label.binary_search_by_key(&label, |entry| entry.0);
        labelled.is_ok() && self.member(label).is_some()
    }
}

impl<'t> Judge<'t> {
    pub(super) fn union(
        &mut self,
        task: &Task,
        r: &'t Union,
        w: &'t Union,
    ) -> Result<(), Difference> {
        self.same_extensibility(task, r.extensibility, w.extensibility)?;
        if task.question == Question::Assignable {
            self.union_keys(task, r, w)?;
        }
        let sizes = [r, w].map(|of| of.cases.len() + of.by_label.len());
        self.take(sizes[0] + sizes[1], task)?;
        self.ask_strongly((r.discriminator, w.discriminator), task.at, DISCRIMINATOR);
        if !self.rules.ignore_member_names {
            self.case_names(task, r, w)?;
        }
        self.labels(task, r, w)?;
        for label in w.labels_of(true) {
            let selected = (r.member(self.received(r, label)), w.member(label));
            self.selected(task, selected, r.extensibility)?;
        }
        if let Some(default) = w.default_member() {
            self.default_of_writer(task, r, w, default)?;
        }
        Ok(())
    }

    /// Both discriminators are keys, or neither is.
    pub(super) fn union_keys(
        &self,
        task: &Task,
        r: &'t Union,
        w: &'t Union,
    ) -> Result<(), Difference> {
        if r.is_key == w.is_key {
            return Ok(());
        }
        let rule =
            "both discriminators are keys, or neither is. Write @key in both, or in neither.";
        let words = [r, w].map(|of| match of.is_key {
            true => "@key".into(),
            false => "no @key".into(),
        });
        Err(self.difference(task.at, Some(DISCRIMINATOR), rule, words))
    }

    /// Equal names have equal ids, and the reverse.
    fn case_names(&self, task: &Task, r: &'t Union, w: &'t Union) -> Result<(), Difference> {
        let mut named: Vec<&'t Case> = Vec::new();
        for (at, one) in r.cases.iter().enumerate() {
            let aligned = w.cases.get(at).filter(|other| other.id == one.id);
            let mut other = aligned.or_else(|| w.case_by_id(one.id));
            if other.is_none() {
                if named.is_empty() {
                    named.extend(&w.cases);
                    named.sort_unstable_by_key(|case| &case.name);
                }
                let at = named.binary_search_by_key(&&one.name, |case| &case.name);
                other = at.ok().and_then(|at| named.get(at).copied());
            }
            if let Some(other) = other
                && (one.id != other.id || one.name != other.name)
            {
                let rule = "a member needs one name and one id. Declare the members in one order, \
                            write @id, or set ignore_member_names.";
                return Err(self.cases_differ(task, one, other, rule));
            }
        }
        Ok(())
    }

    fn cases_differ(
        &self,
        task: &Task,
        one: &'t Case,
        other: &'t Case,
        rule: &'static str,
    ) -> Difference {
        self.one_name_one_id(task, (&one.name, one.id), (&other.name, other.id), rule)
    }

    fn labels(&self, task: &Task, r: &'t Union, w: &'t Union) -> Result<(), Difference> {
        let difference = |rule, words| Err(self.difference(task.at, None, rule, words));
        if r.extensibility == Extensibility::Final {
            let rule = "final unions need the same labels, and both or neither a default. Give \
                        both the same, or make both appendable or mutable.";
            // Where there is a default, a label that selects nothing is one more label.
            let has_default = r.default_member().is_some();
            if has_default != w.default_member().is_some() {
                let words = [r, w].map(|of| match of.default_member() {
                    Some(case) => format!("default: {}", case.name),
                    None => "no default".into(),
                });
                return difference(rule, words);
            }
            let same = r.labels_of(true).eq(w.labels_of(true))
                && (!has_default || r.labels_of(false).eq(w.labels_of(false)));
            return match same {
                true => Ok(()),
                false => difference(rule, [r, w].map(label_words)),
            };
        }
        if !r.labels_of(true).any(|label| w.has_label(label)) {
            let rule = "no label is in both. Give both unions a case with the same label, other \
                        than the default.";
            return difference(rule, [r, w].map(label_words));
        }
        if !self.rules.prevent_type_widening {
            return Ok(());
        }
        match r.labels_of(true).find(|label| !w.has_label(*label)) {
            Some(label) => {
                let rule = "the reader prevents type widening. Add the case to the writer's type.";
                difference(
                    rule,
                    [format!("case {label}"), "no case of this label".into()],
                )
            }
            None => Ok(()),
        }
    }

    /// What the reader takes a discriminator of the writer for: one that its type does not know is
    /// the default of the type, if `@try_construct(USE_DEFAULT)` says so.
    fn received(&self, r: &Union, label: i64) -> i64 {
        if r.discriminator.try_construct != TryConstruct::UseDefault {
            return label;
        }
        match self.reader.resolved(r.discriminator.ty) {
            Node::Enumeration(of) => match i32::try_from(label) {
                Ok(value) if of.values.binary_search(&value).is_ok() => label,
                _ => of.default.into(),
            },
            Node::Bitmask(of) if label.cast_unsigned() & !of.mask != 0 => 0,
            _ => label,
        }
    }

    /// A discriminator selects a member of the reader, and one of the writer.
    fn selected(
        &mut self,
        task: &Task,
        selected: (Option<&'t Case>, Option<&'t Case>),
        extensibility: Extensibility,
    ) -> Result<(), Difference> {
        let (Some(one), Some(other)) = selected else {
            return Ok(());
        };
        let (Some(of_reader), Some(of_writer)) = (one.element, other.element) else {
            return Ok(());
        };
        if one.name == other.name && one.id != other.id {
            let rule = "cases of one label and one name need one id. Declare them in one order, or \
                        write @id.";
            return Err(self.cases_differ(task, one, other, rule));
        }
        if extensibility == Extensibility::Mutable && one.id != other.id {
            let rule = "cases of one label need one id in a mutable union. Declare them in one \
                        order, or write @id.";
            return Err(self.cases_differ(task, one, other, rule));
        }
        let step = Step::Member(&one.name, &other.name);
        match self.is_behind_discriminator(of_writer, extensibility) {
            true => self.ask_strongly((of_reader, of_writer), task.at, step),
            false => {
                let types = (of_reader.ty, of_writer.ty);
                self.ask(Question::Assignable, types, task.at, step);
            }
        }
        Ok(())
    }

    /// In XCDR1 a reader finds the end of a structure that may have grown only if nothing else is
    /// in its parameter.
    fn is_behind_discriminator(&self, member: Element, union: Extensibility) -> bool {
        let may_grow = matches!(
            self.writer.resolved(member.ty),
            Node::Structure(of) if of.extensibility == Extensibility::Appendable
        );
        may_grow && self.encoding == Encoding::Xcdr1 && union != Extensibility::Mutable
    }

    /// What the reader takes the default member of the writer for.
    fn default_of_writer(
        &mut self,
        task: &Task,
        r: &'t Union,
        w: &'t Union,
        default: &'t Case,
    ) -> Result<(), Difference> {
        let selects_default =
            |label: &i64| w.by_label.binary_search_by_key(label, |e| e.0).is_err();
        for label in r.labels_of(true).filter(selects_default) {
            self.selected(task, (r.member(label), Some(default)), r.extensibility)?;
        }
        self.selected(task, (r.default_member(), Some(default)), r.extensibility)?;
        // Values that the reader does not know, and that have no label of their own.
        if let Node::Enumeration(of) = self.writer.resolved(w.discriminator.ty) {
            self.take(of.literals.len(), task)?;
            let values = of.values.iter().map(|value| i64::from(*value));
            for value in values.filter(selects_default) {
                let known = self.received(r, value);
                if known != value {
                    let selected = (r.member(known), Some(default));
                    self.selected(task, selected, r.extensibility)?;
                }
            }
        }
        Ok(())
    }
}

/// At most so many labels are shown.
const SHOWN: usize = 8;

fn label_words(of: &Union) -> String {
    let labels: Vec<String> = of.labels_of(true).map(|label| label.to_string()).collect();
    match labels.get(..SHOWN) {
        Some(first) if labels.len() > SHOWN => format!("labels {}, ..", first.join(", ")),
        _ if labels.is_empty() => "no label".into(),
        _ => format!("labels {}", labels.join(", ")),
    }
}
