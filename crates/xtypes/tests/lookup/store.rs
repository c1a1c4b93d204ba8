//! Own types and those of others.
use crate::shape;
use dunlin_cdr::Extensibility::Appendable;
use dunlin_xtypes::lookup::{StoreError, TypeStore, limits};
use dunlin_xtypes::{
    LocalType, RaiseError, StronglyConnectedComponentId, TypeIdentifier, TypeIndex, TypeTreeBuilder,
};

/// Gives a store all objects of a type, one for each time that some are missing.
fn fetch(store: &mut TypeStore<u8>, peer: u8, ty: &LocalType) -> usize {
    let root = ty.complete().identifier();
    store.acquire(root);
    let mut rounds = 0;
    loop {
        let missing = store.missing(root).unwrap();
        if missing.is_empty() {
            return rounds;
        }
        rounds += 1;
        for identifier in missing {
            let object = ty.complete().object(&identifier).unwrap();
            store.insert(peer, &identifier, object).unwrap();
        }
    }
}

/// A type with a name of so many bytes, of which there are many.
fn large(number: usize, bytes: usize) -> LocalType {
    let mut types = TypeTreeBuilder::new();
    let names: Vec<String> = (0..bytes / 200)
        .map(|n| format!("{}{number}_{n}", "m".repeat(180)))
        .collect();
    let mut builder = types.structure(&format!("T{number}"), Appendable);
    for name in &names {
        builder = builder.member(name, TypeIndex::INT32);
    }
    let root = builder.finish();
    LocalType::new(&types.build(root).unwrap()).unwrap()
}

#[test]
fn a_foreign_type_is_made_once_all_that_it_refers_to_is_there() {
    let ty = shape("Shape");
    let mut store = TypeStore::default();
    // The shape, then the two types that it refers to.
    assert_eq!(fetch(&mut store, 1, &ty), 2);
    assert_eq!(store.foreign_types(), 3);
    let root = ty.complete().identifier();
    assert!(store.known(root).is_none());
    let raised = store.raise(root).unwrap();
    assert_eq!(
        raised
            .type_identifier(dunlin_xtypes::EquivalenceKind::Complete)
            .as_ref(),
        Ok(root)
    );
    assert!(store.known(root).is_some());
}

#[test]
fn an_own_type_is_known_by_both_identifiers_for_as_long_as_an_endpoint_has_it() {
    let (ty, again) = (shape("Shape"), shape("Shape"));
    let mut store = TypeStore::<u8>::default();
    store.add_local(&ty);
    store.add_local(&again);
    let ids = [ty.complete().identifier(), ty.minimal().identifier()];
    for id in ids {
        assert!(store.known(id).is_some());
        assert!(store.local_object(id).is_some());
        assert_eq!(
            store
                .local_dependencies(std::slice::from_ref(id), 0)
                .count(),
            2
        );
        assert_eq!(
            store
                .local_dependencies(std::slice::from_ref(id), 1)
                .count(),
            1
        );
        assert!(store.missing(id).unwrap().is_empty());
    }
    store.remove_local(&ty);
    assert!(store.known(ids[0]).is_some());
    store.remove_local(&ty);
    assert!(ids.iter().all(|id| store.known(id).is_none()));
    assert!(ids.iter().all(|id| store.local_object(id).is_none()));
    store.remove_local(&ty);
}

#[test]
fn a_type_that_uses_an_own_one_lacks_itself_alone() {
    let own = shape("Shape");
    let mut store = TypeStore::default();
    store.add_local(&own);
    let mut types = TypeTreeBuilder::new();
    let point = types
        .structure("Shape::Point", Appendable)
        .member("x", TypeIndex::INT32)
        .finish();
    let other = types
        .structure("Other", Appendable)
        .member("point", point)
        .finish();
    let other = LocalType::new(&types.build(other).unwrap()).unwrap();
    assert_eq!(fetch(&mut store, 1, &other), 1);
    assert_eq!(store.foreign_types(), 1);
    store.raise(other.complete().identifier()).unwrap();
}

#[test]
fn another_object_than_the_one_that_was_asked_for_is_refused() {
    let (ty, other) = (shape("Shape"), shape("Other"));
    let mut store = TypeStore::default();
    let (root, object) = (ty.complete().identifier(), other.complete());
    let object = object.object(object.identifier()).unwrap();
    let refused = store.insert(1, root, object);
    assert!(matches!(
        refused,
        Err(StoreError::Refused(RaiseError::Hash { .. }))
    ));
    // A minimal one has no names.
    let minimal = ty.minimal();
    let object = minimal.object(minimal.identifier()).unwrap();
    let refused = store.insert(1, minimal.identifier(), object);
    assert_eq!(refused, Err(StoreError::Refused(RaiseError::Minimal)));
    assert_eq!((store.foreign_types(), store.foreign_bytes()), (0, 0));
}

#[test]
fn types_that_refer_to_each_other_are_forgotten_if_they_have_another_hash() {
    let (ty, other) = (shape("Shape"), shape("Other"));
    let node = |ty: &LocalType| {
        let mut objects = ty.complete().iter();
        let found = objects.find(|(id, _)| matches!(id, TypeIdentifier::Component(_)));
        let (id, object) = found.unwrap();
        (id.clone(), object.to_vec())
    };
    let mut store = TypeStore::default();
    let (id, _) = node(&ty);
    let (_, object) = node(&other);
    store.acquire(&id);
    store.insert(1, &id, &object).unwrap();
    for missing in store.missing(&id).unwrap() {
        let object = ty
            .complete()
            .object(&missing)
            .or(other.complete().object(&missing));
        store.insert(1, &missing, object.unwrap()).unwrap();
    }
    let before = store.foreign_types();
    let refused = store.raise(&id);
    assert!(
        matches!(refused, Err(RaiseError::Hash { .. })),
        "{refused:?}"
    );
    assert_eq!(store.foreign_types(), before - 1);
}

#[test]
fn a_circle_of_too_many_types_is_not_asked_for() {
    let mut store = TypeStore::<u8>::default();
    let ty = shape("Shape");
    let component = ty.complete().iter().find_map(|(id, _)| match id {
        TypeIdentifier::Component(id) => Some(*id),
        _ => None,
    });
    for (length, index) in [(101, 1), (i32::MAX, 1), (-1, 1), (2, 3), (2, 0)] {
        let id = StronglyConnectedComponentId {
            length,
            index,
            ..component.unwrap()
        };
        let id = TypeIdentifier::Component(id);
        assert!(store.missing(&id).is_err(), "{length} {index}");
        assert!(store.insert(1, &id, &[0; 8]).is_err());
    }
}

#[test]
fn one_peer_has_a_megabyte_and_its_unused_types_make_room() {
    let mut store = TypeStore::default();
    let used = large(0, 60_000);
    fetch(&mut store, 1, &used);
    for number in 1..60 {
        let ty = large(number, 60_000);
        let root = ty.complete().identifier();
        let object = ty.complete().object(root).unwrap();
        store.insert(1, root, object).unwrap();
        assert!(store.foreign_bytes() <= limits::PEER_BYTES);
    }
    store.raise(used.complete().identifier()).unwrap();
    // All that it has is in use: there is no room for more.
    let mut kept = Vec::new();
    let full = loop {
        let ty = large(100 + kept.len(), 60_000);
        let root = ty.complete().identifier().clone();
        store.acquire(&root);
        let object = ty.complete().object(&root).unwrap();
        if let Err(error) = store.insert(1, &root, object) {
            break error;
        }
        kept.push(root);
    };
    assert_eq!(full, StoreError::PeerFull);
    assert!(kept.len() > 10);
    // Others have room of their own.
    let other = large(999, 60_000);
    let root = other.complete().identifier();
    let object = other.complete().object(root).unwrap();
    store.insert(2, root, object).unwrap();
    // One that is released makes room again.
    store.release(&kept[0]);
    let more = large(1000, 60_000);
    let root = more.complete().identifier();
    let object = more.complete().object(root).unwrap();
    store.insert(1, root, object).unwrap();
    assert!(store.object(&kept[0]).is_none());
}

#[test]
fn all_peers_together_have_sixteen_megabytes() {
    let mut store = TypeStore::default();
    let mut refused = 0;
    for number in 0..400 {
        let ty = large(number, 60_000);
        let root = ty.complete().identifier();
        store.acquire(root);
        let object = ty.complete().object(root).unwrap();
        match store.insert((number / 10) as u8, root, object) {
            Ok(()) => {}
            Err(StoreError::Full) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0);
    assert!(store.foreign_bytes() <= limits::BYTES);
    assert!(store.foreign_bytes() > limits::BYTES - 70_000);
}

#[test]
fn what_a_peer_sent_stays_for_others_when_it_is_gone() {
    let ty = shape("Shape");
    let root = ty.complete().identifier();
    let mut store = TypeStore::default();
    fetch(&mut store, 1, &ty);
    store.forget_peer(1);
    assert!(store.missing(root).unwrap().is_empty());
    store.raise(root).unwrap();
    store.release(root);
    // A type that was made is known until its room is needed.
    assert!(store.known(root).is_some());
}
