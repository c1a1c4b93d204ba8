//! Every line that the suite looks for. Its patterns are the specification: columns, brackets and
//! words must stay as they are.
use crate::shape::ShapeType;
use dunlin::{DeadlineMissedStatus, IncompatibleQosStatus, InstanceState, MatchedStatus, PolicyId};

/// Prints a line. Colors and names come from others, and are not to act on the terminal or feign
/// another line.
macro_rules! say {
    ($($words:tt)*) => {
        println!("{}", dunlin::Printable(&format!($($words)*)))
    };
}

/// `on_...() topic: '...'  type: '...' : `
fn heard(what: &str, topic: &str) -> String {
    format!("{what}() topic: '{topic}'  type: 'ShapeType' : ")
}

pub(crate) fn topic(topic: &str) {
    say!("Create topic: {topic}");
}

pub(crate) fn writer(topic: &str, color: &str) {
    say!("Create writer for topic: {topic} color: {color}");
}

pub(crate) fn reader(topic: &str) {
    say!("Create reader for topic: {topic}");
}

pub(crate) fn no_filter() {
    say!("failed to create content filtered topic");
}

pub(crate) fn sample(topic: &str, shape: &ShapeType) {
    say!("{}", sample_line(topic, shape));
}

fn sample_line(topic: &str, shape: &ShapeType) -> String {
    let ShapeType {
        color,
        x,
        y,
        shapesize,
        additional_payload_size: payload,
    } = shape;
    let line = format!("{topic:<10} {color:<10} {x:03} {y:03} [{shapesize}]");
    match payload.last() {
        Some(last) => format!("{line} {{{last}}}"),
        None => line,
    }
}

pub(crate) fn end(topic: &str, color: &str, state: InstanceState) {
    if let Some(state) = state_name(state) {
        say!("{topic:<10} {color:<10} {state}");
    }
}

fn state_name(state: InstanceState) -> Option<&'static str> {
    match state {
        InstanceState::Alive => None,
        InstanceState::NotAliveDisposed => Some("NOT_ALIVE_DISPOSED_INSTANCE_STATE"),
        InstanceState::NotAliveNoWriters => Some("NOT_ALIVE_NO_WRITERS_INSTANCE_STATE"),
    }
}

pub(crate) fn matched(what: &str, whom: &str, topic: &str, status: &MatchedStatus) {
    let (current, change) = (status.current_count, status.current_count_change);
    say!(
        "{}matched {whom} {current} (change = {change})",
        heard(what, topic)
    );
}

pub(crate) fn incompatible(what: &str, topic: &str, status: &IncompatibleQosStatus) {
    // Partitions that differ are no offence, and never reported as one.
    if let Some(policy) = status.last_policy {
        let (id, name) = (policy as i32, policy_name(policy));
        say!("{}{id} ({name})", heard(what, topic));
    }
}

/// As the suite's program writes them: without separators.
fn policy_name(policy: PolicyId) -> String {
    format!("{policy:?}").to_uppercase()
}

pub(crate) fn deadline_missed(what: &str, topic: &str, status: &DeadlineMissedStatus) {
    counted(what, topic, status.total_count, status.total_count_change);
}

pub(crate) fn counted(what: &str, topic: &str, total: i32, change: i32) {
    say!("{}(total = {total}, change = {change})", heard(what, topic));
}

pub(crate) fn liveliness(topic: &str, alive: i32, not_alive: i32) {
    let heard = heard("on_liveliness_changed", topic);
    say!("{heard}(alive = {alive}, not_alive = {not_alive})");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_columns_of_the_suite() {
        let mut shape = ShapeType {
            color: "BLUE".into(),
            x: 17,
            y: 120,
            shapesize: 20,
            additional_payload_size: vec![],
        };
        assert_eq!(
            sample_line("Square", &shape),
            "Square     BLUE       017 120 [20]"
        );
        shape.additional_payload_size = vec![0, 255];
        assert_eq!(
            sample_line("Square", &shape),
            "Square     BLUE       017 120 [20] {255}"
        );
        assert_eq!(
            heard("on_publication_matched", "Square"),
            "on_publication_matched() topic: 'Square'  type: 'ShapeType' : "
        );
        assert_eq!(
            policy_name(PolicyId::DataRepresentation),
            "DATAREPRESENTATION"
        );
    }
}
