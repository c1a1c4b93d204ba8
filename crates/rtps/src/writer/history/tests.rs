use super::*;
use crate::ChangeKind;
use dunlin_wire::Timestamp;

fn change(instance: u32, kind: ChangeKind) -> Change {
    let mut handle = [0; 16];
    handle[..4].copy_from_slice(&instance.to_be_bytes());
    Change {
        kind,
        instance: InstanceHandle(handle),
        timestamp: Timestamp(0),
        payload: Bytes::from_static(b"x").into(),
    }
}

fn numbers(cache: &HistoryCache) -> Vec<i64> {
    cache.from(0).map(|(n, _)| n).collect()
}

fn write(cache: &mut HistoryCache, n: i64, instance: u32) {
    let mut change = change(instance, ChangeKind::Alive);
    cache.admit(&change, 0).unwrap();
    cache.insert(n, &mut change, None, None);
}

#[test]
fn keep_last_keeps_the_newest_of_each_instance() {
    let mut cache = HistoryCache::new(History::KeepLast(2), ResourceLimits::default(), true);
    write(&mut cache, 1, 9);
    for n in 2..=100_000 {
        write(&mut cache, n, u32::try_from(n % 3).unwrap());
    }
    assert_eq!(
        numbers(&cache),
        [1, 99_995, 99_996, 99_997, 99_998, 99_999, 100_000]
    );
    assert!(cache.order.len() < 2 * cache.len() + STALE_SLACK + 2);
    assert_eq!(cache.from(2).next().map(|(n, _)| n), Some(99_995));
    assert!(cache.get(5).is_none() && cache.get(99_998).is_some());
}

#[test]
fn a_full_history_gives_up_only_what_is_acknowledged() {
    let limits = ResourceLimits {
        max_samples: Some(2),
        ..ResourceLimits::default()
    };
    let mut cache = HistoryCache::new(History::KeepAll, limits, false);
    write(&mut cache, 1, 0);
    write(&mut cache, 2, 0);
    let next = change(0, ChangeKind::Alive);
    assert_eq!(cache.admit(&next, 0), Err(WriteError::Full));
    assert_eq!(numbers(&cache), [1, 2]);
    assert_eq!(cache.admit(&next, 1), Ok(()));
    assert_eq!(numbers(&cache), [2]);
}

#[test]
fn limits_per_instance_and_of_instances() {
    let limits = ResourceLimits {
        max_samples: None,
        max_instances: Some(2),
        max_samples_per_instance: Some(1),
    };
    let mut cache = HistoryCache::new(History::KeepAll, limits, false);
    write(&mut cache, 1, 1);
    write(&mut cache, 2, 2);
    let next = |i| change(i, ChangeKind::Alive);
    assert_eq!(cache.admit(&next(1), 0), Err(WriteError::Full));
    assert_eq!(
        cache.admit(&next(3), 9),
        Err(WriteError::OutOfResources("max_instances"))
    );
    cache.release(2);
    assert_eq!(
        cache.admit(&next(3), 9),
        Err(WriteError::OutOfResources("max_instances"))
    );
    cache.insert(3, &mut change(1, ChangeKind::Unregistered), None, None);
    cache.release(3);
    assert_eq!(cache.admit(&next(3), 9), Ok(()));
}

#[test]
fn instances_without_changes_do_not_pile_up() {
    let mut cache = HistoryCache::new(History::KeepLast(1), ResourceLimits::default(), false);
    for n in 1..=100_000 {
        write(&mut cache, n, u32::try_from(n).unwrap());
        cache.release(n - 10);
    }
    assert!(cache.instances.len() < 2 * EMPTY_SLACK);
    assert_eq!(cache.instances.len() - cache.empty, 10);
}

#[test]
fn an_unregistered_instance_goes_when_all_know() {
    let mut cache = HistoryCache::new(History::KeepLast(8), ResourceLimits::default(), true);
    write(&mut cache, 1, 1);
    write(&mut cache, 2, 2);
    cache.insert(
        3,
        &mut change(1, ChangeKind::DisposedUnregistered),
        None,
        None,
    );
    cache.release_unregistered(2);
    assert_eq!(numbers(&cache), [1, 2, 3]);
    cache.release_unregistered(3);
    assert_eq!(numbers(&cache), [2]);
}

#[test]
fn an_instance_that_comes_back_and_goes_again_keeps_what_nobody_has_yet() {
    let mut cache = HistoryCache::new(History::KeepAll, ResourceLimits::default(), true);
    for n in [1, 3] {
        write(&mut cache, n, 1);
        cache.insert(n + 1, &mut change(1, ChangeKind::Unregistered), None, None);
    }
    cache.release_unregistered(2);
    assert_eq!(numbers(&cache), [3, 4]);
    cache.release_unregistered(4);
    assert_eq!(numbers(&cache), []);
}
