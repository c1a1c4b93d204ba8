//! Do a writer and a reader of one topic name mean the same type? (DDS-XTypes 1.3 7.6.3.4)
mod difference;
mod known;
mod settle;

pub use difference::TypeDifference;
pub use known::{KnownTypes, TypeState};

use dunlin_cdr::Endianness as Order;
use dunlin_qos::{DataRepresentation, TypeConsistencyEnforcement, TypeConsistencyKind};
use dunlin_wire::{EncodedTypeInformation, Endianness, EntityKind, Guid, ReaderData, WriterData};
use dunlin_xtypes::assign::{self, Encoding, Rules};
use dunlin_xtypes::{TypeIdentifier, TypeIdentifierWithDependencies, TypeInformation};

/// What the types of a writer and a reader say about a match.
#[derive(Debug)]
pub(super) enum Judgement {
    /// Nothing against it.
    Fits,
    /// It cannot be.
    Differs(TypeDifference),
    /// Their identifiers differ, and what these types are is not known yet.
    Pending,
}

/// Where both sides announce their types, these decide, whatever their names are. Else the names do,
/// and where the reader wants more than the same name, what else is known.
pub(super) fn judge(writer: &WriterData, reader: &ReaderData, types: &KnownTypes) -> Judgement {
    let announced = both(writer, reader);
    let decided = match announced {
        (Some(one), Some(other)) => match keys(writer, reader) {
            // Other names say more.
            Some(_) => by_name(writer, reader),
            None if are_same(&one, &other) => None,
            None => return by_types(writer, reader, types),
        },
        _ => by_name(writer, reader),
    };
    decided.map_or(Judgement::Fits, Judgement::Differs)
}

/// The endpoint whose type is not known, and why, in words, where for that reason names decide about
/// types that are not the same.
pub fn uncompared<'a>(
    writer: &WriterData,
    reader: &ReaderData,
    types: &'a KnownTypes,
) -> Option<(Guid, &'a str)> {
    let (Some(one), Some(other)) = both(writer, reader) else {
        return None;
    };
    let why = |endpoint| match types.state(endpoint)? {
        TypeState::Unavailable(why) => Some((endpoint, why.as_str())),
        TypeState::Known(_) => None,
    };
    let differ = !are_same(&one, &other);
    let known = differ.then(|| why(writer.guid).or_else(|| why(reader.guid)));
    known.flatten()
}

/// What both announce of their types, as far as it counts.
fn both(
    writer: &WriterData,
    reader: &ReaderData,
) -> (Option<TypeInformation>, Option<TypeInformation>) {
    match (&writer.type_information, &reader.type_information) {
        // What only Dunlin's participants are told is no news to the others: they go by names.
        (Some(one), Some(other)) if one.for_dunlin == other.for_dunlin => {
            (announced(one), announced(other))
        }
        _ => (None, None),
    }
}

/// What an endpoint announces of its type, if it can be read and names one.
pub(super) fn announced(information: &EncodedTypeInformation) -> Option<TypeInformation> {
    let order = match information.endianness {
        Endianness::Little => Order::Little,
        Endianness::Big => Order::Big,
    };
    let read = TypeInformation::from_bytes(&information.bytes, order).ok()?;
    let is_named = [&read.minimal, &read.complete]
        .iter()
        .any(|half| *identifier(half) != TypeIdentifier::None);
    is_named.then_some(read)
}

fn identifier(half: &TypeIdentifierWithDependencies) -> &TypeIdentifier {
    &half.typeid_with_size.type_id
}

/// One identifier suffices.
fn are_same(one: &TypeInformation, other: &TypeInformation) -> bool {
    let halves = [
        (&one.minimal, &other.minimal),
        (&one.complete, &other.complete),
    ];
    halves.into_iter().any(|(one, other)| {
        let (one, other) = (identifier(one), identifier(other));
        *one != TypeIdentifier::None && one == other
    })
}

/// The identifiers differ, so it depends on what the types are.
fn by_types(writer: &WriterData, reader: &ReaderData, types: &KnownTypes) -> Judgement {
    match (types.state(writer.guid), types.state(reader.guid)) {
        (Some(TypeState::Known(one)), Some(TypeState::Known(other))) => {
            let rules = rules(reader.qos.type_consistency);
            match assign::assignable(other, one, &rules, encoding(writer)) {
                Ok(_) => Judgement::Fits,
                Err(difference) => Judgement::Differs(TypeDifference::Members(difference)),
            }
        }
        (Some(TypeState::Unavailable(why)), _) => without(writer.guid, why, writer, reader),
        (_, Some(TypeState::Unavailable(why))) => without(reader.guid, why, writer, reader),
        _ => Judgement::Pending,
    }
}

/// What one of the types is will not be known.
fn without(of: Guid, why: &str, writer: &WriterData, reader: &ReaderData) -> Judgement {
    let wanted = reader.qos.type_consistency;
    let of_dunlin = |told: &Option<EncodedTypeInformation>| {
        let mut told = told.iter();
        told.any(|information| information.for_dunlin)
    };
    let difference = if wanted.force_type_validation {
        Some(TypeDifference::Unavailable {
            of,
            why: why.into(),
        })
    } else if wanted.wants_same() && of_dunlin(&writer.type_information) {
        // Dunlin's identifiers of equal types are equal; those of other products need not be.
        Some(TypeDifference::Contents { wanted })
    } else {
        by_name(writer, reader)
    };
    difference.map_or(Judgement::Fits, Judgement::Differs)
}

fn rules(wanted: TypeConsistencyEnforcement) -> Rules {
    Rules {
        allow_coercion: wanted.kind == TypeConsistencyKind::AllowTypeCoercion,
        ignore_sequence_bounds: wanted.ignore_sequence_bounds,
        ignore_string_bounds: wanted.ignore_string_bounds,
        ignore_member_names: wanted.ignore_member_names,
        prevent_type_widening: wanted.prevent_type_widening,
    }
}

fn encoding(writer: &WriterData) -> Encoding {
    match writer.qos.representation {
        DataRepresentation::Xcdr2 => Encoding::Xcdr2,
        _ => Encoding::Xcdr1,
    }
}

/// Names and keys; where the reader wants to be sure these do not suffice.
fn by_name(writer: &WriterData, reader: &ReaderData) -> Option<TypeDifference> {
    if writer.type_name != reader.type_name {
        return Some(TypeDifference::Name {
            writer: writer.type_name.clone(),
            reader: reader.type_name.clone(),
        });
    }
    keys(writer, reader).or_else(|| {
        let forced = reader.qos.type_consistency.force_type_validation;
        let of_writer = writer.type_information.is_none();
        forced.then_some(TypeDifference::Unknown { of_writer })
    })
}

fn keys(writer: &WriterData, reader: &ReaderData) -> Option<TypeDifference> {
    let writer_keyed = writer.guid.entity.kind() == EntityKind::WriterWithKey;
    let reader_keyed = reader.guid.entity.kind() == EntityKind::ReaderWithKey;
    (writer_keyed != reader_keyed).then_some(TypeDifference::Keys { writer_keyed })
}
