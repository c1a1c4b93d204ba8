//! What peers ask for and answer by the TypeLookup service.
use dunlin_xtypes::lookup::{Reply, Request, Return, TypeStore};

/// A request that can be read is written and reads the same. Memory stays within 64 times the bytes
/// and 64 KiB.
pub fn lookup_request(data: &[u8]) {
    bounded(data, 1 << 16, || {
        if let Ok(read) = Request::from_payload(data) {
            let again = read.to_payload().unwrap();
            assert_eq!(Request::from_payload(&again), Ok(read));
        }
    });
}

/// A reply that can be read is written and reads the same; what is in it is kept if its hash is
/// right, and made a type if nothing is missing. Memory stays within 64 times the bytes and 256 KiB.
pub fn lookup_reply(data: &[u8]) {
    bounded(data, 1 << 18, || {
        let Ok(read) = Reply::from_payload(data) else {
            return;
        };
        let again = read.to_payload().unwrap();
        assert_eq!(Reply::from_payload(&again), Ok(read.clone()));
        let Return::Types(types) = read.value else {
            return;
        };
        let mut store = TypeStore::default();
        let kept = types.types.iter().filter(|pair| {
            let kept = store.insert(1, &pair.identifier, pair.object);
            kept.is_ok()
        });
        let kept: Vec<_> = kept.map(|pair| &pair.identifier).collect();
        for root in kept {
            store.acquire(root);
            if store.missing(root).is_ok_and(|missing| missing.is_empty()) {
                let known = store.raise(root).is_ok();
                assert_eq!(store.known(root).is_some(), known);
            }
            store.release(root);
        }
        store.forget_peer(1);
    });
}

fn bounded(data: &[u8], more: u64, check: impl FnOnce()) {
    let held = allocation_counter::measure(check).bytes_max;
    let most = 64 * data.len() as u64 + more;
    assert!(held <= most, "{held} bytes for {}", data.len());
}
