//! Members in the payloads of dispose and unregister messages, which have keys only (DDS-XTypes 1.3
//! 7.6.8).

use dunlin_cdr::{Extensibility, Reader};

use super::{MemberPath, Step, To, find_labelled};
use crate::ValueError;
use crate::transcode::{Part, skip_key};
use crate::tree::Node;

impl MemberPath {
    /// Whether it is in such a payload: the members on the way are keys, or parts
    /// of a key that has none of its own (DDS-XTypes 1.3 7.6.8).
    pub(crate) fn is_key(&self) -> bool {
        for (depth, step) in self.steps.iter().enumerate() {
            let (Node::Structure(of), To::Member(id)) = (self.root.tree().node(step.from), step.to)
            else {
                return depth > 0;
            };
            let member = self.root.tree().member_by_id(of, id);
            let is_key = member.is_some_and(|member| member.is_key);
            if !is_key && (of.has_key || depth == 0) {
                return false;
            }
            if member.is_some_and(|member| member.is_optional) {
                return true;
            }
        }
        true
    }

    /// As `enter`, in a value of which only the key is there.
    pub(super) fn enter_key(
        &self,
        r: &mut Reader<'_>,
        step: Step,
        part: &mut Part,
    ) -> Result<bool, ValueError> {
        let tree = self.root.tree();
        let (Node::Structure(of), To::Member(id)) = (tree.node(step.from), step.to) else {
            *part = Part::Whole;
            return self.enter(r, step);
        };
        let scope = r.begin(of.extensibility)?;
        let keys = tree.members(of).filter(|m| m.is_key || !of.has_key);
        if of.extensibility == Extensibility::Mutable {
            let is_optional = tree.member_by_id(of, id).is_some_and(|m| m.is_optional);
            if is_optional {
                *part = Part::Whole;
            }
            return find_labelled(r, id);
        }
        for member in keys {
            if !r.has_more(&scope) {
                return Ok(false);
            }
            if member.id != id {
                skip_key(tree, r, of, member)?;
            } else if member.is_optional {
                *part = Part::Whole;
                return Ok(r.begin_optional(0)?.is_some());
            } else {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
