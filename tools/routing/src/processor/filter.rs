//! The processor `filter`.
use super::{Change, Outputs, Processor, ProcessorError, Properties};
use dunlin::{ChangeKind, Guid};
use dunlin_filter::{Facts, Filter, FilterError, check_limits};
use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Samples of which an expression is true. What is no sample passes unless the expression is false
/// of what is known of it.
struct Judge {
    /// `None` until the type is known; no sample passes before.
    filter: Option<Filter>,
    writer: Writer,
}

/// The writer of the latest change, as text.
#[derive(Default)]
struct Writer {
    guid: Option<Guid>,
    text: String,
}

pub(super) fn filter(properties: &Properties<'_>) -> Result<Box<dyn Processor>, ProcessorError> {
    let expected = "an expression such as x > 5";
    let Some(expression) = properties.value("expression") else {
        return Err(ProcessorError::Property {
            class: properties.class.to_owned(),
            name: "expression".to_owned(),
            value: None,
            expected,
        });
    };
    let wrong = |error: FilterError| ProcessorError::Expression {
        class: properties.class.to_owned(),
        message: error.to_string(),
    };
    let none: &[&str] = &[];
    check_limits(expression, none).map_err(wrong)?;
    let filter = match properties.ty {
        Some(ty) => Some(Filter::with_facts(expression, none, &ty.ty).map_err(wrong)?),
        None => None,
    };
    let writer = Writer::default();
    Ok(Box::new(Judge { filter, writer }))
}

impl Processor for Judge {
    fn on_data(&mut self, _: Duration, change: Change, out: &mut dyn Outputs) {
        let is_sample = change.kind == ChangeKind::Alive;
        let passes = match &self.filter {
            None => !is_sample,
            Some(filter) => {
                let facts = Facts {
                    kind: kind(change.kind),
                    writer: match filter.asks_writer() {
                        true => self.writer.text_of(change.writer),
                        false => "",
                    },
                    age: filter.asks_age().then(|| age(&change)).flatten(),
                };
                let payload = is_sample.then_some(&*change.payload);
                let judged = filter.judge_change(payload, &facts);
                match is_sample {
                    true => judged == Ok(Some(true)),
                    false => judged != Ok(Some(false)),
                }
            }
        };
        if passes {
            out.put(&change);
        }
    }
}

impl Writer {
    /// Written once for changes in a row; the text keeps its room.
    fn text_of(&mut self, guid: Guid) -> &str {
        if self.guid != Some(guid) {
            self.text.clear();
            // Writing to a string does not fail.
            let _ = write!(self.text, "{guid}");
            self.guid = Some(guid);
        }
        &self.text
    }
}

/// By the name that expressions have for it.
fn kind(kind: ChangeKind) -> &'static str {
    let [alive, dispose, unregister, both] = Facts::KINDS;
    match kind {
        ChangeKind::Alive => alive,
        ChangeKind::Disposed => dispose,
        ChangeKind::Unregistered => unregister,
        ChangeKind::DisposedUnregistered => both,
    }
}

/// Seconds since it was written, by the clocks of both hosts; `None` if it does not say when.
fn age(change: &Change) -> Option<f64> {
    let written = change.written.filter(|written| written.0 > 0)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let now = i64::try_from(now.as_nanos()).ok()?;
    Some(now.saturating_sub(written.0) as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::super::make;
    use super::*;
    use crate::plan::Plugin;
    use crate::types::{RouteType, TypeSource};
    use bytes::BytesMut;
    use dunlin::cdr::{Xcdr, to_payload};
    use dunlin::untyped::WriteOptions;
    use dunlin::xtypes::DynamicType;
    use dunlin::{Timestamp, Topic};

    #[derive(Topic)]
    struct Level {
        x: i32,
    }

    /// Counts what passes.
    struct Passed(usize);

    impl Outputs for Passed {
        fn put(&mut self, _: &Change) {
            self.0 += 1;
        }
        fn put_to(&mut self, _: usize, _: &Change) {}
        fn count(&self) -> usize {
            1
        }
    }

    fn made(expression: &str) -> Result<Box<dyn Processor>, String> {
        let properties = [("expression".to_owned(), expression.to_owned())];
        let plugin = Plugin {
            class: "filter".into(),
            properties: properties.into(),
        };
        let ty = RouteType {
            ty: DynamicType::of::<Level>().unwrap(),
            source: TypeSource::File("level.idl".into()),
        };
        let made = make(&plugin, Some(&ty)).map_err(|error| error.to_string())?;
        Ok(made.unwrap())
    }

    fn passes(expression: &str, change: &Change) -> bool {
        let mut passed = Passed(0);
        let mut processor = made(expression).unwrap();
        processor.on_data(Duration::ZERO, change.clone(), &mut passed);
        passed.0 == 1
    }

    /// A change of x = 5, a minute old.
    fn change(kind: ChangeKind) -> Change {
        let mut payload = BytesMut::new();
        to_payload(&Level { x: 5 }, Xcdr::V2, &mut payload).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Change {
            kind,
            payload: payload.freeze(),
            options: WriteOptions::default(),
            written: Some(Timestamp(now.as_nanos() as i64 - 60_000_000_000)),
            input: 0,
            writer: Guid::UNKNOWN,
            is_reliable: true,
            group: 0,
        }
    }

    #[test]
    fn samples_and_ends_are_judged_by_what_is_known_of_them() {
        let (sample, dispose) = (change(ChangeKind::Alive), change(ChangeKind::Disposed));
        let unregister = change(ChangeKind::Unregistered);
        let writer = format!("@writer = '{}' AND x = 5", Guid::UNKNOWN);
        for (expression, expected) in [
            ("x = 5", [true, true, true]),
            ("x > 5", [false, true, true]),
            ("@kind = 'alive' AND x = 5", [true, false, false]),
            ("@kind <> 'dispose'", [true, false, true]),
            ("@kind = 'dispose' OR x > 5", [false, true, true]),
            (&writer, [true, true, true]),
            ("@writer = 'other' AND x = 5", [false, false, false]),
            ("@age > 59 AND x = 5", [true, true, true]),
            ("@age < 59", [false, false, false]),
        ] {
            let judged = [&sample, &dispose, &unregister].map(|one| passes(expression, one));
            assert_eq!(judged, expected, "{expression}");
        }
    }

    #[test]
    fn a_sample_without_a_time_has_no_age() {
        for written in [None, Some(Timestamp::INVALID)] {
            let undated = Change {
                written,
                ..change(ChangeKind::Alive)
            };
            assert!(!passes("@age < 59", &undated) && !passes("@age > 59", &undated));
            let dispose = Change {
                kind: ChangeKind::Disposed,
                ..undated
            };
            assert!(passes("@age < 59", &dispose));
        }
    }

    #[test]
    fn a_wrong_name_or_kind_is_shown() {
        let error = made("@kind = 'disposed'").err().unwrap();
        assert!(error.contains("alive, dispose, unregister"), "{error}");
        let error = made("@wrter = 'a'").err().unwrap();
        assert!(error.contains("@kind, @writer, @age"), "{error}");
    }
}
