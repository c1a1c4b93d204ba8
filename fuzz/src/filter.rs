//! Content filters: an expression, its parameters, and a sample.
use dunlin_cdr::{Error, Topic, Xcdr, from_payload, to_payload};
use dunlin_filter::{Facts, Filter};
use dunlin_xtypes::{DynamicType, ValueError};
use everything::{Appendable, Final, Mutable};

#[path = "../../crates/filter/tests/common/mod.rs"]
mod everything;

/// The expression up to a NUL, its parameters, a line each, up to another NUL, and a payload. A
/// mistake is shown within the expression; whatever payload comes is judged, without memory; what
/// can be read is judged, and as the same value in another encoding.
pub fn filter(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0);
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (expression, parameters) = (text(), text());
    let parameters: Vec<&str> = parameters.lines().collect();
    let payload = parts.next().unwrap_or_default();
    judge_change(&expression, &parameters, payload);
    judge_joined(&expression, &parameters, payload);
    judge::<Appendable>(&expression, &parameters, payload);
    judge::<Final>(&expression, &parameters, payload);
    judge::<Mutable>(&expression, &parameters, payload);
}

/// Joined with itself it says the same, unless that is too much.
fn judge_joined(expression: &str, parameters: &[&str], payload: &[u8]) {
    let Ok(filter) = Filter::of::<Appendable>(expression, parameters) else {
        return;
    };
    let part = (expression, parameters);
    for joined in [
        dunlin_filter::any_of(&[part, part]),
        dunlin_filter::all_of(&[part, part]),
    ] {
        let fits = expression.len() < 2_000 && parameters.len() <= 50;
        assert!(joined.is_ok() || !fits, "{expression:?}: {joined:?}");
        let Ok((text, all)) = joined else { continue };
        if let Ok(joined) = Filter::of::<Appendable>(&text, &all) {
            assert_eq!(joined.passes(payload), filter.passes(payload), "{text:?}");
        }
    }
}

/// What is known of a change beside its members takes no memory either, and needs no payload.
fn judge_change(expression: &str, parameters: &[&str], payload: &[u8]) {
    let ty = DynamicType::of::<Appendable>().expect("it is described");
    let Ok(filter) = Filter::with_facts(expression, parameters, &ty) else {
        return;
    };
    let facts = Facts {
        kind: Facts::KINDS[payload.len() % Facts::KINDS.len()],
        writer: "0102030405060708090a0b0c:00000103",
        age: (payload.len() % 3 > 0).then_some(payload.len() as f64),
    };
    let judging = allocation_counter::measure(|| {
        let _ = filter.judge_change(Some(payload), &facts);
        let _ = filter.judge_change(None, &facts);
    });
    assert_eq!(judging.count_total, 0);
}

fn judge<T: Topic>(expression: &str, parameters: &[&str], payload: &[u8]) {
    let filter = match Filter::of::<T>(expression, parameters) {
        Ok(filter) => filter,
        Err(error) => {
            let shown = error.to_string();
            assert!(shown.lines().count() >= 3 && shown.len() < 16 * 1024);
            assert!(error.span().is_empty() || expression.get(error.span()).is_some());
            return;
        }
    };
    let mut verdict = Ok(false);
    let judging = allocation_counter::measure(|| verdict = filter.evaluate(payload));
    assert_eq!(judging.count_total, 0);
    assert_eq!(filter.passes(payload), verdict == Ok(true));
    let mut left = usize::MAX;
    assert_eq!(filter.evaluate_within(payload, &mut left), verdict);
    for steps in [0, (usize::MAX - left) / 2] {
        match filter.evaluate_within(payload, &mut { steps }) {
            Err(ValueError::Cdr(Error::TooManySteps)) => {}
            within => assert_eq!(within, verdict, "{expression} in {steps} steps"),
        }
    }
    let Ok(value) = from_payload::<T>(payload) else {
        return;
    };
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let mut again = bytes::BytesMut::new();
        to_payload(&value, xcdr, &mut again).expect("it was read");
        assert_eq!(filter.evaluate(&again), verdict, "{expression}");
    }
}
