//! The way from an endpoint that a router made to a real one that supports it.
//!
//! Routers announce it with their endpoints. A router counts an endpoint only if it is not on the
//! way itself, so the endpoints of routers in a ring do not support each other for ever.
use dunlin::Properties;

/// Ids of routers on the shortest way, the one whose endpoint it is at the end; empty for endpoints
/// of applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// It leads there.
    Way(Vec<u32>),
    /// No real endpoint supports it.
    Nowhere,
}

impl Via {
    /// The property of an endpoint that says it.
    pub(crate) const PROPERTY: &'static str = "dunlin.route.via";
    /// No way is longer.
    const MOST: usize = 8;
    const NOWHERE: &'static str = "none";

    /// What an endpoint announces.
    pub(crate) fn of(properties: &Properties) -> Self {
        let Some(text) = properties.value(Self::PROPERTY) else {
            return Self::Way(Vec::new());
        };
        let ids = text.split(',').take(Self::MOST + 1);
        let ids: Option<Vec<u32>> = ids.map(|id| u32::from_str_radix(id, 16).ok()).collect();
        ids.map_or(Self::Nowhere, Self::Way)
    }

    /// As it is announced.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Nowhere => Self::NOWHERE.to_owned(),
            Self::Way(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| format!("{id:08x}")).collect();
                ids.join(",")
            }
        }
    }

    /// Is the router on the way?
    pub(crate) fn contains(&self, router: u32) -> bool {
        matches!(self, Self::Way(ids) if ids.contains(&router))
    }

    /// Does an endpoint with this way support one of the router?
    pub(crate) fn counts(&self, router: u32) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Way(ids) => ids.len() < Self::MOST && !ids.contains(&router),
        }
    }

    /// Does the other one go on where this one ends?
    pub(crate) fn begins(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Way(one), Self::Way(two)) => two.starts_with(one),
            (Self::Nowhere, _) | (_, Self::Nowhere) => false,
        }
    }

    /// The way of an endpoint of the router that those with these ways support.
    pub(crate) fn through(router: u32, supporters: impl Iterator<Item = Self>) -> Self {
        let ways = supporters.filter(|via| via.counts(router));
        let ways = ways.filter_map(|via| match via {
            Self::Way(ids) => Some(ids),
            Self::Nowhere => None,
        });
        // Of ways that are as long, always the same.
        let shortest = ways.min_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        match shortest {
            None => Self::Nowhere,
            Some(mut ids) => {
                ids.push(router);
                Self::Way(ids)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CreationMode, EndpointQos, Limits, Writers};
    use crate::table::tests::{guid, plan, route};
    use crate::table::{Command, Side, Table, Time};
    use dunlin::EntityKind;
    use dunlin::observe::WriterData;

    fn announced(text: &str) -> Via {
        Via::of(&Properties::default().with(Via::PROPERTY, text))
    }

    #[test]
    fn ways_are_announced_and_understood() {
        assert_eq!(Via::of(&Properties::default()), Via::Way(vec![]));
        for via in [Via::Nowhere, Via::Way(vec![7]), Via::Way(vec![1, u32::MAX])] {
            assert_eq!(announced(&via.text()), via);
        }
        for strange in ["", "x", "1,,2", "123456789", "none,1"] {
            assert!(!announced(strange).counts(1), "{strange}");
        }
        assert!(!announced("1,2,3,4,5,6,7,8").counts(9));
        assert!(!announced(&"1,".repeat(100_000)).counts(9));
    }

    #[test]
    fn no_way_goes_in_a_circle() {
        let way = |ids: &[u32]| Via::Way(ids.to_vec());
        let of = |ways: &[Via]| Via::through(5, ways.iter().cloned());
        assert_eq!(of(&[]), Via::Nowhere);
        assert_eq!(
            of(&[way(&[5]), way(&[1, 5, 2]), Via::Nowhere]),
            Via::Nowhere
        );
        assert_eq!(of(&[way(&[1, 2]), way(&[4]), way(&[3])]), way(&[3, 5]));
        assert_eq!(of(&[way(&[1]), way(&[])]), way(&[5]));
    }

    #[test]
    fn an_output_for_one_source_says_the_way_of_that_source() {
        let mode = CreationMode::OnDemand { always: true };
        let mut route = route("Square", 0, (mode, mode));
        route.inputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].writers = Writers::Mirror;
        let mut table = Table::new(&plan(vec![route], Limits::default()), 5);
        for connection in [0, 1] {
            table.connections(Time::ZERO, &[connection], true);
        }
        for (number, way) in [(1, None), (2, Some("1,2")), (3, Some("1,5"))] {
            let guid = guid(number, EntityKind::WriterWithKey);
            let mut data = WriterData::new(guid, "Square", "Shape");
            if let Some(way) = way {
                data.qos.property = Properties::default().with(Via::PROPERTY, way);
            }
            table.writer(Time::ZERO, 0, Box::new(data));
        }
        let made = table.take_commands().into_iter().filter_map(|command| {
            let Command::Make(_, slot, design) = command else {
                return None;
            };
            (slot.side == Side::Output).then_some(design.via)
        });
        let made: Vec<Via> = made.collect();
        assert_eq!(made, [Via::Way(vec![5]), Via::Way(vec![1, 2, 5])]);
    }
}
