//! Policies to and from parameters (RTPS 2.5 9.6.3.1, DDS-XTypes 1.3 7.6.3.1.1).
use super::MAX_NAME;
use super::MAX_PARTITIONS;
use crate::cursor::Cursor;
use crate::parameter_writer::{put_len, put_string, put_u32};
use crate::time::duration_to_wire;
use crate::{Error, ParameterId, ParameterWriter};
use alloc::vec::Vec;
use dunlin_qos::{
    AccessScope, DataRepresentation, DestinationOrder, Durability, DurabilityService, Duration,
    History, Liveliness, LivelinessKind, Ownership, Partition, Presentation, Reliability,
    ReliabilityKind, ResourceLimits,
};

fn put_duration(out: &mut Vec<u8>, duration: Duration) {
    let (seconds, fraction) = duration_to_wire(duration);
    put_u32(out, seconds.cast_unsigned());
    put_u32(out, fraction);
}

/// A limit as the standard writes it: -1 is none.
fn put_limit(out: &mut Vec<u8>, limit: Option<u32>) {
    let limit = limit.and_then(|n| i32::try_from(n).ok()).unwrap_or(-1);
    put_u32(out, limit.cast_unsigned());
}

impl ParameterWriter {
    pub(super) fn duration(&mut self, id: ParameterId, duration: Duration) {
        self.put(id, |out| put_duration(out, duration));
    }

    /// A DEADLINE or a LIFESPAN: without end is the default, and left out (RTPS 2.5 9.6.3.2).
    ///
    /// Dust DDS 0.16 takes the infinity of the standard for a number of seconds, and its own for
    /// more.
    pub(super) fn limit(&mut self, id: ParameterId, duration: Duration) {
        if duration != Duration::INFINITE {
            self.duration(id, duration);
        }
    }

    pub(super) fn reliability(&mut self, reliability: Reliability) {
        let kind = match reliability.kind {
            ReliabilityKind::BestEffort => 1,
            ReliabilityKind::Reliable => 2,
        };
        self.put(ParameterId::RELIABILITY, |out| {
            put_u32(out, kind);
            put_duration(out, reliability.max_blocking_time);
        });
    }

    pub(super) fn durability(&mut self, durability: Durability) {
        let kind = match durability {
            Durability::Volatile => 0,
            Durability::TransientLocal => 1,
            Durability::Transient => 2,
            Durability::Persistent => 3,
        };
        self.u32(ParameterId::DURABILITY, kind);
    }

    /// The default is left out: see [`limit`](Self::limit).
    pub(super) fn liveliness(&mut self, liveliness: Liveliness) {
        if liveliness == Liveliness::default() {
            return;
        }
        let kind = match liveliness.kind {
            LivelinessKind::Automatic => 0,
            LivelinessKind::ManualByParticipant => 1,
            LivelinessKind::ManualByTopic => 2,
        };
        self.put(ParameterId::LIVELINESS, |out| {
            put_u32(out, kind);
            put_duration(out, liveliness.lease_duration);
        });
    }

    pub(super) fn ownership(&mut self, ownership: Ownership) {
        let exclusive = ownership == Ownership::Exclusive;
        self.u32(ParameterId::OWNERSHIP, exclusive.into());
    }

    pub(super) fn destination_order(&mut self, order: DestinationOrder) {
        let by_source = order == DestinationOrder::BySourceTimestamp;
        self.u32(ParameterId::DESTINATION_ORDER, by_source.into());
    }

    pub(super) fn history(&mut self, history: History) {
        let (kind, depth) = match history {
            History::KeepLast(depth) => (0, depth),
            History::KeepAll => (1, 1),
        };
        self.put(ParameterId::HISTORY, |out| {
            put_u32(out, kind);
            put_limit(out, Some(depth.min(i32::MAX.cast_unsigned())));
        });
    }

    pub(super) fn resource_limits(&mut self, limits: ResourceLimits) {
        self.put(ParameterId::RESOURCE_LIMITS, |out| {
            put_limit(out, limits.max_samples);
            put_limit(out, limits.max_instances);
            put_limit(out, limits.max_samples_per_instance);
        });
    }

    /// Nothing for what is meant where nothing is said.
    pub(super) fn durability_service(&mut self, service: DurabilityService) {
        if service == DurabilityService::default() {
            return;
        }
        let (kind, depth) = match service.history {
            History::KeepLast(depth) => (0, depth),
            History::KeepAll => (1, 1),
        };
        let limits = service.resource_limits;
        self.put(ParameterId::DURABILITY_SERVICE, |out| {
            put_duration(out, service.service_cleanup_delay);
            put_u32(out, kind);
            put_limit(out, Some(depth.min(i32::MAX.cast_unsigned())));
            put_limit(out, limits.max_samples);
            put_limit(out, limits.max_instances);
            put_limit(out, limits.max_samples_per_instance);
        });
    }

    pub(super) fn presentation(&mut self, presentation: Presentation) {
        let scope = match presentation.access_scope {
            AccessScope::Instance => 0,
            AccessScope::Topic => 1,
            AccessScope::Group => 2,
        };
        self.put(ParameterId::PRESENTATION, |out| {
            put_u32(out, scope);
            out.push(presentation.coherent_access.into());
            out.push(presentation.ordered_access.into());
        });
    }

    /// Nothing for the partition that everybody is in unless they say otherwise.
    pub(super) fn partition(&mut self, partition: &Partition) {
        let names = &partition.0;
        if names.len() > MAX_PARTITIONS {
            self.fail("partitions", MAX_PARTITIONS);
        }
        if names.iter().any(|n| n.len() > MAX_NAME || n.contains('\0')) {
            self.fail("partition name", MAX_NAME);
        }
        if !names.is_empty() {
            self.put(ParameterId::PARTITION, |out| {
                put_len(out, names.len());
                names.iter().for_each(|name| put_string(out, name));
            });
        }
    }

    pub(super) fn representation(&mut self, kinds: &[DataRepresentation]) {
        self.put(ParameterId::DATA_REPRESENTATION, |out| {
            put_len(out, kinds.len());
            for kind in kinds {
                out.extend_from_slice(&(*kind as i16).to_le_bytes());
            }
        });
    }
}

impl Cursor<'_> {
    /// The member of an enumeration that a number names.
    fn one_of<T: Copy>(&mut self, kinds: &[T], what: &'static str) -> Result<T, Error> {
        let kind = self.u32()? as usize;
        kinds
            .get(kind)
            .copied()
            .ok_or_else(|| self.invalid_as(what))
    }

    pub(super) fn reliability(&mut self) -> Result<Reliability, Error> {
        let kind = match self.u32()? {
            1 => ReliabilityKind::BestEffort,
            2 => ReliabilityKind::Reliable,
            _ => return Err(self.invalid_as("RELIABILITY")),
        };
        Ok(Reliability {
            kind,
            max_blocking_time: self.duration()?,
        })
    }

    pub(super) fn durability(&mut self) -> Result<Durability, Error> {
        use Durability::{Persistent, Transient, TransientLocal, Volatile};
        let kinds = [Volatile, TransientLocal, Transient, Persistent];
        self.one_of(&kinds, "DURABILITY")
    }

    pub(super) fn liveliness(&mut self) -> Result<Liveliness, Error> {
        use LivelinessKind::{Automatic, ManualByParticipant, ManualByTopic};
        let kinds = [Automatic, ManualByParticipant, ManualByTopic];
        Ok(Liveliness {
            kind: self.one_of(&kinds, "LIVELINESS")?,
            lease_duration: self.duration()?,
        })
    }

    pub(super) fn ownership(&mut self) -> Result<Ownership, Error> {
        self.one_of(&[Ownership::Shared, Ownership::Exclusive], "OWNERSHIP")
    }

    pub(super) fn destination_order(&mut self) -> Result<DestinationOrder, Error> {
        use DestinationOrder::{ByReceptionTimestamp, BySourceTimestamp};
        let kinds = [ByReceptionTimestamp, BySourceTimestamp];
        self.one_of(&kinds, "DESTINATION_ORDER")
    }

    pub(super) fn history(&mut self) -> Result<History, Error> {
        let keep_all = self.one_of(&[false, true], "HISTORY")?;
        let depth = u32::try_from(self.i32()?).unwrap_or(0).max(1);
        Ok(match keep_all {
            true => History::KeepAll,
            false => History::KeepLast(depth),
        })
    }

    pub(super) fn resource_limits(&mut self) -> Result<ResourceLimits, Error> {
        let mut limit = || -> Result<_, Error> {
            let limit = u32::try_from(self.i32()?).ok();
            Ok(limit.filter(|n| *n > 0))
        };
        Ok(ResourceLimits {
            max_samples: limit()?,
            max_instances: limit()?,
            max_samples_per_instance: limit()?,
        })
    }

    pub(super) fn durability_service(&mut self) -> Result<DurabilityService, Error> {
        Ok(DurabilityService {
            service_cleanup_delay: self.duration()?,
            history: self.history()?,
            resource_limits: self.resource_limits()?,
        })
    }

    pub(super) fn presentation(&mut self) -> Result<Presentation, Error> {
        use AccessScope::{Group, Instance, Topic};
        Ok(Presentation {
            access_scope: self.one_of(&[Instance, Topic, Group], "PRESENTATION")?,
            coherent_access: self.boolean()?,
            ordered_access: self.boolean()?,
        })
    }

    pub(super) fn partition(&mut self) -> Result<Partition, Error> {
        let count = self.u32()? as usize;
        if count > MAX_PARTITIONS {
            return Err(Error::Limit {
                what: "partitions",
                limit: MAX_PARTITIONS,
            });
        }
        let names: Result<Vec<_>, _> = (0..count).map(|_| self.name("partition name")).collect();
        names.map(Partition)
    }

    /// All representations that are known, and whether the first is one of them. An empty list
    /// means XCDR1.
    pub(super) fn representation(&mut self) -> Result<(Vec<DataRepresentation>, bool), Error> {
        let count = self.u32()? as usize;
        if count == 0 {
            return Ok((alloc::vec![DataRepresentation::Xcdr1], true));
        }
        let mut known = Vec::new();
        let mut first_is_known = false;
        for index in 0..count {
            let kind = match self.u16()? {
                0 => DataRepresentation::Xcdr1,
                1 => DataRepresentation::Xml,
                2 => DataRepresentation::Xcdr2,
                _ => continue,
            };
            first_is_known |= index == 0;
            if !known.contains(&kind) {
                known.push(kind);
            }
        }
        Ok((known, first_is_known))
    }
}
