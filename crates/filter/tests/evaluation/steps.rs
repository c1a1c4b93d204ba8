//! What a filter costs is bounded, whoever wrote it.
use bytes::BytesMut;
use dunlin_cdr::{Topic, Xcdr, to_payload};
use dunlin_derive::Topic;
use dunlin_filter::Filter;

/// The verdict, and how many steps it took.
fn counted<T: Topic>(filter: &Filter, value: &T) -> (bool, usize) {
    let mut bytes = BytesMut::new();
    to_payload(value, Xcdr::V1, &mut bytes).unwrap();
    let mut steps = usize::MAX;
    let verdict = filter.evaluate_within(&bytes, &mut steps).unwrap();
    (verdict, usize::MAX - steps)
}

/// What is costly to judge: texts, and what has to be passed over one by one.
#[derive(Topic)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Costly {
    text: String,
    same: String,
    names: Vec<String>,
    nested: Vec<Vec<String>>,
    last: u8,
}

impl Costly {
    fn of(size: usize) -> Self {
        let names = || vec!["n".to_owned(); size / 8];
        Self {
            text: "a".repeat(size),
            same: "a".repeat(size),
            names: names(),
            nested: vec![names(); 4],
            last: 1,
        }
    }
}

/// What strangers can ask for, at its worst.
fn hostile_expressions() -> Vec<(String, Vec<String>)> {
    let patterns = |pattern: &dyn Fn(usize) -> String| (0..100).map(pattern).collect();
    let many = |term: &dyn Fn(usize) -> String| (0..100).map(term).collect::<Vec<_>>();
    vec![
        (
            many(&|n| format!("text LIKE %{n}")).join(" OR "),
            patterns(&|n| format!("%{}b%", "a".repeat(100 + n))),
        ),
        (
            many(&|n| format!("text NOT LIKE %{n}")).join(" AND "),
            patterns(&|n| format!("%_{}b%", "a_".repeat(100 + n % 20))),
        ),
        (many(&|_| "text <> same".into()).join(" OR "), vec![]),
        (
            (0..30)
                .map(|n| format!("names[{n}99] <> 'n'"))
                .collect::<Vec<_>>()
                .join(" OR "),
            vec![],
        ),
        ("nested[3][0] = 'x' OR last = 2".into(), vec![]),
    ]
}

#[test]
fn steps_grow_with_the_sample_times_the_comparisons() {
    for (expression, parameters) in hostile_expressions() {
        let filter = Filter::of::<Costly>(&expression, &parameters).unwrap();
        for size in [0, 1000, 100_000] {
            let (_, steps) = counted(&filter, &Costly::of(size));
            let comparisons = expression.split_whitespace().count();
            let most = comparisons * (4 * size + 1000);
            assert!(steps <= most, "{steps} steps: {expression}");
        }
    }
    // In one pass for all members: no more for 30 elements than for one.
    let one = Filter::of::<Costly>("names[2999] <> 'n'", &[] as &[&str]).unwrap();
    let (expression, _) = &hostile_expressions()[3];
    let many = Filter::of::<Costly>(expression, &[] as &[&str]).unwrap();
    let sample = Costly::of(100_000);
    let (one, many) = (counted(&one, &sample).1, counted(&many, &sample).1);
    assert!(many < one + 200, "{many} steps, {one} for one");
}

#[test]
fn judging_stops_where_the_steps_do() {
    let mut bytes = BytesMut::new();
    to_payload(&Costly::of(10_000), Xcdr::V1, &mut bytes).unwrap();
    for (expression, parameters) in hostile_expressions() {
        let filter = Filter::of::<Costly>(&expression, &parameters).unwrap();
        let mut left = usize::MAX;
        let verdict = filter.evaluate_within(&bytes, &mut left).unwrap();
        let wanted = usize::MAX - left;
        for steps in [0, 1, 100, wanted / 2, wanted - 1] {
            let mut left = steps;
            let result = filter.evaluate_within(&bytes, &mut left);
            assert_eq!(
                (result, left),
                (Err(dunlin_cdr::Error::TooManySteps.into()), 0)
            );
        }
        let mut left = wanted + 5;
        let result = filter.evaluate_within(&bytes, &mut left);
        assert_eq!((result, left), (Ok(verdict), 5), "{expression}");
    }
}
