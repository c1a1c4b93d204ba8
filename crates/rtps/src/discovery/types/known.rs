//! What is known of the types behind announcements.
use alloc::collections::BTreeMap;
use alloc::string::String;
use dunlin_wire::Guid;
use dunlin_xtypes::DynamicType;

/// What is known of the type of an endpoint.
#[derive(Clone, Debug)]
pub enum TypeState {
    /// What it is.
    Known(DynamicType),
    /// It will not be known; why, in words.
    Unavailable(String),
}

/// Equal if they are the same place in equal trees.
impl PartialEq for TypeState {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => {
                one.index() == other.index() && one.tree() == other.tree()
            }
            (Self::Unavailable(one), Self::Unavailable(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for TypeState {}

/// What is known of the types of endpoints, as far as somebody wanted to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownTypes {
    states: BTreeMap<Guid, TypeState>,
}

impl KnownTypes {
    /// What is known of the type of an endpoint; `None` if nothing is.
    pub fn state(&self, endpoint: Guid) -> Option<&TypeState> {
        self.states.get(&endpoint)
    }

    /// The type of an endpoint, if it is known.
    pub fn known(&self, endpoint: Guid) -> Option<&DynamicType> {
        match self.state(endpoint)? {
            TypeState::Known(ty) => Some(ty),
            TypeState::Unavailable(_) => None,
        }
    }

    /// From now on this is known of the type of an endpoint.
    pub fn insert(&mut self, endpoint: Guid, state: TypeState) {
        self.states.insert(endpoint, state);
    }

    /// Nothing is known of it any more.
    pub fn remove(&mut self, endpoint: Guid) {
        self.states.remove(&endpoint);
    }
}
