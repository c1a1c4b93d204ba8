//! What is around the members of structures and the cases of unions, as `dunlin_cdr` writes it.

use dunlin_cdr::{Error, Extensibility, Xcdr};

use super::{Part, length_code, optional_id, understood};
use crate::output::{Output, Parameter, Scope, Writer};
use crate::tree::Member;
use crate::{Element, TypeTree};

/// A member that was begun.
#[must_use]
pub(crate) enum Framed {
    Bare,
    Parameter(Parameter),
    Delimited(Scope),
}

impl<O: Output> Writer<'_, O> {
    /// Begins a member that is there, in a structure of this extensibility.
    pub(crate) fn begin_member(
        &mut self,
        tree: &TypeTree,
        extensibility: Extensibility,
        member: &Member,
        part: Part,
    ) -> Framed {
        let must_understand = understood(member);
        if self.has_labels(extensibility) {
            return self.begin_labelled(tree, member.id, must_understand, member.element);
        }
        match (member.is_optional, self.xcdr()) {
            (false, _) => Framed::Bare,
            (true, Xcdr::V1) => {
                let id = optional_id(member, part);
                Framed::Parameter(self.begin_parameter(id, must_understand))
            }
            (true, Xcdr::V2) => {
                self.slice(&[1]);
                Framed::Bare
            }
        }
    }

    /// Begins a member of a mutable type.
    pub(crate) fn begin_labelled(
        &mut self,
        tree: &TypeTree,
        id: u32,
        must_understand: bool,
        element: Element,
    ) -> Framed {
        if self.xcdr() == Xcdr::V1 {
            return Framed::Parameter(self.begin_parameter(id, must_understand));
        }
        let code = length_code(tree, element);
        self.label(id, must_understand, code);
        Framed::Delimited(self.delimit(code == 4))
    }

    pub(crate) fn end_member(&mut self, framed: Framed) -> Result<(), Error> {
        match framed {
            Framed::Bare => Ok(()),
            Framed::Parameter(parameter) => self.end_parameter(parameter),
            Framed::Delimited(scope) => self.end_collection(scope),
        }
    }

    /// Says that an optional member is not there.
    pub(crate) fn absent_member(
        &mut self,
        extensibility: Extensibility,
        member: &Member,
        part: Part,
    ) -> Result<(), Error> {
        if self.has_labels(extensibility) {
            return Ok(());
        }
        match self.xcdr() {
            Xcdr::V1 => {
                let id = optional_id(member, part);
                let header = self.begin_parameter(id, understood(member));
                self.end_parameter(header)
            }
            Xcdr::V2 => {
                self.slice(&[0]);
                Ok(())
            }
        }
    }
}
