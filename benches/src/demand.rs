//! What is asked of a row.
use crate::table::{Verdict, large};

/// One thing that must be true of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Demand {
    /// At most so much.
    Most(f64),
    /// At least so much.
    Least(f64),
    /// At most so many times what the floor of the group needs.
    TimesRaw(f64),
    /// At least so many times what the floor of the group delivers.
    OfRaw(f64),
    /// Less than what iceoryx2 needs; not asked where it is absent.
    BelowIceoryx,
    /// At most so much more than Dunlin's first row of the group.
    Beyond(f64),
    /// At least so many times what Dunlin's first row of the group delivers.
    OfFirst(f64),
}

/// What the demands are judged by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// The row's own figure.
    pub(crate) own: Option<f64>,
    /// Its ratio to the floor, within a round.
    pub(crate) of_raw: Option<f64>,
    /// Its ratio to iceoryx2, within a round; not there if that is absent.
    pub(crate) of_iceoryx: Option<f64>,
    /// How much more it is than in Dunlin's first row, within a round.
    pub(crate) beyond: Option<f64>,
    /// Its ratio to Dunlin's first row, within a round.
    pub(crate) of_first: Option<f64>,
    /// Whether iceoryx2 takes part.
    pub(crate) iceoryx: bool,
}

/// Of all demands on a row.
pub(crate) fn verdict(demands: &[Demand], evidence: &Evidence) -> Verdict {
    if demands.is_empty() {
        return Verdict::None;
    }
    Verdict::of(demands.iter().all(|demand| demand.met(evidence)))
}

/// As the table shows them; `unit` follows absolute figures.
pub(crate) fn limits(demands: &[Demand], unit: &str) -> String {
    let texts: Vec<String> = demands.iter().map(|demand| demand.text(unit)).collect();
    texts.join(", ")
}

impl Demand {
    /// Whether it is met. What was not measured is not met.
    fn met(self, evidence: &Evidence) -> bool {
        match self {
            Demand::Most(limit) => evidence.own.is_some_and(|own| own <= limit),
            Demand::Least(limit) => evidence.own.is_some_and(|own| own >= limit),
            Demand::TimesRaw(limit) => evidence.of_raw.is_some_and(|ratio| ratio <= limit),
            Demand::OfRaw(limit) => evidence.of_raw.is_some_and(|ratio| ratio >= limit),
            Demand::BelowIceoryx => {
                !evidence.iceoryx || evidence.of_iceoryx.is_some_and(|ratio| ratio < 1.0)
            }
            Demand::Beyond(limit) => evidence.beyond.is_some_and(|more| more <= limit),
            Demand::OfFirst(limit) => evidence.of_first.is_some_and(|ratio| ratio >= limit),
        }
    }

    fn text(self, unit: &str) -> String {
        match self {
            Demand::Most(limit) => format!("{limit}{unit}"),
            Demand::Least(limit) => large(limit),
            Demand::TimesRaw(limit) | Demand::OfRaw(limit) => format!("{limit} x raw"),
            Demand::BelowIceoryx => "below iceoryx2".into(),
            Demand::Beyond(limit) => format!("reliable + {limit}{unit}"),
            Demand::OfFirst(limit) => format!("{limit} x reliable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_not_met_but_an_absent_rival_asks_nothing() {
        let nothing = Evidence::default();
        let there = Evidence {
            own: Some(0.4),
            of_raw: Some(1.2),
            of_iceoryx: Some(0.8),
            beyond: Some(0.1),
            of_first: Some(0.75),
            iceoryx: true,
        };
        let failed = Evidence {
            iceoryx: true,
            ..nothing
        };
        for demand in [
            Demand::Most(0.5),
            Demand::TimesRaw(1.6),
            Demand::OfRaw(0.85),
            Demand::BelowIceoryx,
            Demand::Beyond(0.15),
            Demand::OfFirst(0.7),
        ] {
            assert!(demand.met(&there), "{demand:?}");
        }
        assert!(!Demand::Most(0.5).met(&nothing));
        assert!(!Demand::Least(0.5).met(&there));
        assert!(!Demand::TimesRaw(1.1).met(&there));
        assert!(Demand::BelowIceoryx.met(&nothing));
        assert!(!Demand::BelowIceoryx.met(&failed));
        assert!(!Demand::Beyond(0.05).met(&there));
    }
}
