//! Structures (DDS-XTypes 1.3 7.2.4.4.6).

use alloc::format;
use alloc::string::String;

use dunlin_cdr::Extensibility;

use super::{Difference, Judge, Place};
use crate::{DynamicType, Member};

impl Judge<'_> {
    pub(super) fn structure(
        &mut self,
        r: &DynamicType,
        w: &DynamicType,
        at: &Place,
    ) -> Result<(), Difference> {
        if r.extensibility() != w.extensibility() {
            let rule =
                "both need one extensibility. Write @final, @appendable or @mutable in both.";
            let words = |of: &DynamicType| format!("{:?}", of.extensibility()).to_lowercase();
            return Err(at.difference(rule, words(r), words(w)));
        }
        let mut common = false;
        for one in r.members() {
            if !self.rules.ignore_member_names {
                names(one, w.member_by_name(one.name()), at)?;
            }
            match w.member_by_id(one.id()) {
                Some(other) => {
                    common = true;
                    if !self.rules.ignore_member_names {
                        names(one, Some(other), at)?;
                    }
                    let at = at.member(one.name(), other.name());
                    self.assignable(&r.at(one.element().ty), &w.at(other.element().ty), &at)?;
                }
                None => self.lacking(one, at, true)?,
            }
        }
        for other in w.members().filter(|of| r.member_by_id(of.id()).is_none()) {
            self.lacking(other, at, false)?;
        }
        if !common && (r.members().next().is_some() || w.members().next().is_some()) {
            let rule = "no member is in both. Give both types a member of the same id.";
            return Err(at.difference(rule, r.words(), w.words()));
        }
        if r.extensibility() == Extensibility::Mutable {
            return Ok(());
        }
        self.in_order(r, w, at)
    }

    /// A member that one side alone has.
    fn lacking(&self, one: &Member, at: &Place, of_reader: bool) -> Result<(), Difference> {
        let needed = one.is_key() || (one.must_understand() && !one.is_optional());
        let widens = of_reader && self.rules.prevent_type_widening && !one.is_optional();
        let rule = match (needed, widens) {
            (true, _) => "both need each key and each @must_understand member. Add it to both.",
            (_, true) => "the reader prevents type widening. Make the member optional, or add it.",
            _ => return Ok(()),
        };
        let (reader, writer) = match of_reader {
            true => (words(one), "no such member".into()),
            false => ("no such member".into(), words(one)),
        };
        Err(at
            .member(one.name(), one.name())
            .difference(rule, reader, writer))
    }

    /// Members that are told apart by their place alone.
    fn in_order(&mut self, r: &DynamicType, w: &DynamicType, at: &Place) -> Result<(), Difference> {
        for (one, other) in r.members().zip(w.members()) {
            let at = at.member(one.name(), other.name());
            if one.id() != other.id() || one.is_optional() != other.is_optional() {
                let rule = "members at one place need one id and both or neither @optional. Declare them in one order, or make the type mutable.";
                return Err(at.difference(rule, words(one), words(other)));
            }
            self.strongly(&r.at(one.element().ty), &w.at(other.element().ty), &at)?;
        }
        let counts = [r, w].map(|of| of.members().count());
        if r.extensibility() == Extensibility::Final && counts[0] != counts[1] {
            let [reader, writer] = counts.map(|count| format!("{count} members"));
            let rule = "a final type cannot grow. Make it appendable or mutable in both.";
            return Err(at.difference(rule, reader, writer));
        }
        Ok(())
    }
}

fn names(one: &Member, other: Option<&Member>, at: &Place) -> Result<(), Difference> {
    match other {
        Some(other) if (one.name() == other.name()) != (one.id() == other.id()) => {
            let rule = "a member needs one name and one id. Declare the members in one order, write @id, or set ignore_member_names.";
            Err(at
                .member(one.name(), other.name())
                .difference(rule, words(one), words(other)))
        }
        _ => Ok(()),
    }
}

fn words(of: &Member) -> String {
    let optional = if of.is_optional() { "@optional " } else { "" };
    format!("{optional}{} with id {}", of.name(), of.id())
}
