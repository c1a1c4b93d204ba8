//! Is the list of tests in `docs/testing.md` whole and true?
use dunlin_qos::PolicyId;

const DOC: &str = include_str!("../../../../docs/testing.md");
const TESTS: [(&str, &str); 5] = [
    ("announced", include_str!("announced.rs")),
    ("instances", include_str!("instances.rs")),
    ("joining", include_str!("joining.rs")),
    ("liveliness", include_str!("liveliness.rs")),
    ("time", include_str!("time.rs")),
];

/// Dunlin's own, which are no part of the standards.
const OWN: [PolicyId; 2] = [PolicyId::TransportMulticast, PolicyId::Batching];

/// The tests that the list names for a policy.
fn listed(policy: &str) -> Vec<&'static str> {
    let rows = DOC.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.filter_map(|row| row.split_once(" | `policies/"));
    let of_policy = rows.filter(|(policies, _)| policies.split(", ").any(|p| p == policy));
    let words = of_policy.flat_map(|(_, tests)| tests.split(['`', '|', ' ', ',']));
    words.filter(|word| word.contains("::")).collect()
}

#[test]
fn each_policy_has_a_test_on_virtual_time() {
    let standard = PolicyId::ALL.iter().filter(|policy| !OWN.contains(policy));
    let names: Vec<_> = standard.map(|p| p.name()).collect();
    assert_eq!(names.len(), 26);
    for policy in names {
        let tests = listed(policy);
        assert!(!tests.is_empty(), "docs/testing.md has no test of {policy}");
        for test in tests {
            let (file, name) = test.split_once("::").unwrap();
            let source = TESTS.iter().find(|(module, _)| *module == file);
            let source = source.unwrap_or_else(|| panic!("{policy}: {test}")).1;
            let head = format!("#[test]\nfn {name}()");
            assert!(source.contains(&head), "{policy}: {test} is not there");
        }
    }
}
