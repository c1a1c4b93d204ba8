//! Runs seeds, and says how to repeat those that fail.
use std::panic::catch_unwind;

/// Runs `story` with as many seeds as `DUNLIN_SIM_SEEDS` says [`count`], or with the one that
/// `DUNLIN_SIM_SEED` names.
pub(crate) fn run(test: &str, count: u64, story: fn(u64)) {
    let number = |name| Some(std::env::var(name).ok()?.parse::<u64>().unwrap());
    if let Some(seed) = number("DUNLIN_SIM_SEED") {
        return story(seed);
    }
    let count = number("DUNLIN_SIM_SEEDS").unwrap_or(count);
    let failed: Vec<u64> = (1..=count)
        .filter(|seed| {
            let seed = *seed;
            catch_unwind(|| story(seed)).is_err()
        })
        .collect();
    assert!(
        failed.is_empty(),
        "seeds {failed:?} of {count}; DUNLIN_SIM_SEED={} cargo test -p dunlin-sim-tests --test routing {test}",
        failed[0]
    );
}
