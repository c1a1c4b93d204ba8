//! The table of elements, to be looked up by path.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::Entity;
use crate::elements::{ELEMENTS, ElementInfo};

/// What stands at a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// An element of the table.
    Element(&'static ElementInfo),
    /// An element around others.
    Container,
}

/// The paths of one entity's QoS.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    places: BTreeMap<String, Place>,
}

impl Schema {
    pub(crate) fn of(entity: Entity) -> &'static Self {
        static ALL: LazyLock<BTreeMap<Entity, Schema>> = LazyLock::new(|| {
            let all = Entity::ALL.into_iter();
            all.map(|entity| (entity, Schema::build(entity))).collect()
        });
        static NOTHING: LazyLock<Schema> = LazyLock::new(Schema::default);
        ALL.get(&entity).unwrap_or(&NOTHING)
    }

    fn build(entity: Entity) -> Self {
        let mut places = BTreeMap::new();
        for info in ELEMENTS.iter().filter(|info| info.is_on(entity)) {
            for path in info.paths() {
                let path = path.trim_start_matches('/');
                for (at, _) in path.match_indices('/') {
                    let above = path.get(..at).unwrap_or_default().to_owned();
                    places.entry(above).or_insert(Place::Container);
                }
                places.insert(path.to_owned(), Place::Element(info));
            }
        }
        Self { places }
    }

    pub(crate) fn place(&self, path: &str) -> Option<Place> {
        self.places.get(path).copied()
    }

    /// The names of the elements directly below a path; the empty path is the QoS element.
    pub(crate) fn children(&self, path: &str) -> impl Iterator<Item = &str> {
        let prefix = match path {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let below = self.places.keys();
        below.filter_map(move |key| {
            let rest = key.strip_prefix(&prefix)?;
            (!rest.contains('/')).then_some(rest)
        })
    }
}
