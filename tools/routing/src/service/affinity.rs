//! Processors that threads may run on.
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Calls `start`; the threads that it starts may run on these processors alone, as far as this
/// program may use them. None named are all.
///
/// # Errors
/// This program may use none of them, in words.
pub(super) fn within<T>(processors: &[usize], start: impl FnOnce() -> T) -> Result<T, String> {
    if processors.is_empty() {
        return Ok(start());
    }
    let refused = |error| format!("the system does not say which processors there are: {error}");
    let own = sched_getaffinity(None).map_err(refused)?;
    let mut chosen = CpuSet::new();
    for processor in processors.iter().filter(|p| own.is_set(**p)) {
        chosen.set(*processor);
    }
    if chosen.count() == 0 {
        let known = (0..CpuSet::MAX_CPU).filter(|p| own.is_set(*p));
        let known: Vec<String> = known.map(|p| p.to_string()).collect();
        return Err(format!(
            "this program may use none of the processors {processors:?}; it may use {}",
            known.join(", ")
        ));
    }
    // Threads inherit this from who starts them.
    let refused = |error| format!("the system refuses the processors {processors:?}: {error}");
    sched_setaffinity(None, &chosen).map_err(refused)?;
    let started = start();
    sched_setaffinity(None, &own).map_err(refused)?;
    Ok(started)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> Vec<usize> {
        let own = sched_getaffinity(None).unwrap();
        (0..CpuSet::MAX_CPU).filter(|p| own.is_set(*p)).collect()
    }

    #[test]
    fn threads_stay_where_they_were_started() {
        let own = allowed();
        let last = *own.last().unwrap();
        let beyond = CpuSet::MAX_CPU - 1;
        let started = within(&[last, beyond], || std::thread::spawn(allowed));
        assert_eq!(started.unwrap().join().unwrap(), [last]);
        assert_eq!(allowed(), own, "who started them runs as before");
        let anywhere = within(&[], || std::thread::spawn(allowed));
        assert_eq!(anywhere.unwrap().join().unwrap(), own);
        let error = within(&[beyond], || ()).unwrap_err();
        assert!(
            error.contains("[1023]") && error.contains(&last.to_string()),
            "{error}"
        );
    }
}
