//! What helps against a policy that does not fit.
use dunlin_qos::{Incompatibility, PolicyId};

/// What the writer, or else the reader, has to do.
pub(super) fn of(mismatch: &Incompatibility) -> String {
    let Incompatibility {
        offered, requested, ..
    } = mismatch;
    match mismatch.policy {
        PolicyId::Reliability | PolicyId::Durability | PolicyId::DestinationOrder => {
            format!("Let the writer offer {requested} or the reader be content with {offered}")
        }
        PolicyId::Deadline => format!(
            "The writer has to promise at least what the reader expects: set its deadline to {requested} or less, or the reader's to {offered} or more"
        ),
        PolicyId::LatencyBudget => format!(
            "Set the writer's budget to {requested} or less, or the reader's to {offered} or more"
        ),
        PolicyId::Ownership => "Both sides need the same kind".into(),
        PolicyId::Liveliness => format!(
            "The writer has to prove its life at least as strictly and as often as the reader expects: let it offer {requested}, or the reader request {offered}"
        ),
        PolicyId::Presentation => format!(
            "Let the publisher offer {requested} or the subscriber be content with {offered}"
        ),
        PolicyId::DataRepresentation => format!(
            "Let the writer use {requested} or the reader take {offered} too; other products call this XCDR version or data representation"
        ),
        _ => format!("Set both to {offered} or both to {requested}"),
    }
}
