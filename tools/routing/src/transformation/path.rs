//! Says which part of a member's path is wrong, and what may be meant.
use dunlin::xtypes::{DynamicType, MemberPath, PathError};
use dunlin_document::did_you_mean;
use std::ops::Range;

/// Names that are listed where none is near.
const LISTED: usize = 12;

/// Finds a member; else what is wrong, and which bytes of the path.
pub(super) fn find(ty: &DynamicType, path: &str) -> Result<MemberPath, (String, Range<usize>)> {
    let error = match MemberPath::new(ty, path) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let mut from = ty.resolved();
    let mut begin = 0;
    for end in ends(path) {
        let prefix = path.get(..end).unwrap_or_default();
        match MemberPath::new(ty, prefix) {
            Ok(found) => from = found.target().clone(),
            Err(PathError::NoMember { name, ty, .. }) => {
                return Err((unknown(&name, &ty, &from), begin..end));
            }
            // All indexes of an array belong together.
            Err(PathError::TooFewIndexes { .. }) => continue,
            Err(error) => return Err((error.to_string(), begin..end)),
        }
        begin = end + usize::from(path.get(end..=end) == Some("."));
    }
    Err((error.to_string(), 0..path.len()))
}

/// Where the parts of a path end.
fn ends(path: &str) -> impl Iterator<Item = usize> {
    let inner = path.match_indices(['.', '[']).map(|(at, _)| at);
    inner.chain([path.len()])
}

fn unknown(name: &str, of: &str, ty: &DynamicType) -> String {
    let members = ty.members().map(|member| member.name());
    let cases = ty.cases().iter().map(|case| case.name());
    let names: Vec<&str> = members.chain(cases).collect();
    let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| {
        let few = names.get(..LISTED).unwrap_or(&names).join(", ");
        match names.len() {
            0 => "it has none".to_owned(),
            count if count > LISTED => format!("it has {few}, ..."),
            _ => format!("it has {few}"),
        }
    });
    format!("no member {name:?} in {of}; {help}")
}
