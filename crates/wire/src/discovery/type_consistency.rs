//! TYPE_CONSISTENCY_ENFORCEMENT to and from its parameter (DDS-XTypes 1.3 7.6.3.7, annex D): a kind
//! of 16 bits and five booleans.
use crate::cursor::Cursor;
use crate::{Error, ParameterId, ParameterWriter};
use dunlin_qos::{TypeConsistencyEnforcement, TypeConsistencyKind};

impl ParameterWriter {
    /// Of an own reader always: silence would mean that no other type is wanted.
    pub(super) fn type_consistency(&mut self, policy: TypeConsistencyEnforcement) {
        self.put(ParameterId::TYPE_CONSISTENCY, |out| {
            out.extend_from_slice(&(policy.kind as u16).to_le_bytes());
            out.extend([
                u8::from(policy.ignore_sequence_bounds),
                policy.ignore_string_bounds.into(),
                policy.ignore_member_names.into(),
                policy.prevent_type_widening.into(),
                policy.force_type_validation.into(),
            ]);
        });
    }
}

impl Cursor<'_> {
    /// A kind that nobody knows allows what it may. Where the options are not all there, they are
    /// the usual ones of the kind: the first edition of the standard had none.
    pub(super) fn type_consistency(&mut self) -> Result<TypeConsistencyEnforcement, Error> {
        let (kind, usual) = match self.u16()? {
            0 => (
                TypeConsistencyKind::DisallowTypeCoercion,
                TypeConsistencyEnforcement::DISALLOW,
            ),
            _ => (
                TypeConsistencyKind::AllowTypeCoercion,
                TypeConsistencyEnforcement::default(),
            ),
        };
        let Ok(options) = self.array::<5>() else {
            return Ok(usual);
        };
        let [sequences, strings, names, widening, force] = options.map(|option| option != 0);
        Ok(TypeConsistencyEnforcement {
            kind,
            ignore_sequence_bounds: sequences,
            ignore_string_bounds: strings,
            ignore_member_names: names,
            prevent_type_widening: widening,
            force_type_validation: force,
        })
    }
}
