//! The layout of each structure, by which other languages check theirs.
use crate::builtin::dunlin_builtin_data;
use crate::callback::dunlin_listener;
use crate::config::dunlin_participant_config;
use crate::error::{Failure, entry};
use crate::loans::dunlin_loan;
use crate::memory::{Out, OutArray, dunlin_block, dunlin_bytes, dunlin_text};
use crate::participant::dunlin_counters;
use crate::qos::*;
use crate::reader::{dunlin_sample, dunlin_sample_info};
use crate::select::dunlin_select;
use crate::status::{dunlin_policy_count, dunlin_status};
use crate::writer::{dunlin_piece, dunlin_write_options};
use std::mem::offset_of;

/// A structure: its name, its size, and its members with their places.
pub struct Layout {
    /// Its name in the header.
    pub name: &'static str,
    /// Bytes.
    pub size: usize,
    /// Names and offsets, in the order of their declaration.
    pub members: &'static [(&'static str, usize)],
}

macro_rules! layouts {
    ($($name:ident { $($member:ident)+ })+) => {
        /// Of all structures of the ABI.
        pub const LAYOUTS: &[Layout] = &[$(Layout {
            name: stringify!($name),
            size: size_of::<$name>(),
            members: &[$((stringify!($member), offset_of!($name, $member))),+],
        }),+];
    };
}

layouts! {
    dunlin_text { data length }
    dunlin_bytes { data length }
    dunlin_block { data length token }
    dunlin_property { name value binary propagate reserved }
    dunlin_sample_info { source_timestamp sequence instance publication sample_state view_state
        instance_state disposed_generation_count no_writers_generation_count sample_rank
        generation_rank absolute_generation_rank valid_data reserved }
    dunlin_sample { data length token flags reserved info }
    dunlin_select { size max sample_states view_states instance_states which instance condition
        flags reserved }
    dunlin_loan { data length token shared reserved }
    dunlin_piece { data length octets }
    dunlin_write_options { size flags timestamp instance sequence }
    dunlin_status { kind count reason last }
    dunlin_policy_count { policy count }
    dunlin_listener { size mask context on_data on_data_on_readers on_status release }
    dunlin_qos { size kind }
    dunlin_writer_qos { size kind deadline latency_budget lifespan lease_duration max_blocking_time
        service_cleanup_delay entity_name user_data properties property_count durability
        reliability liveliness ownership ownership_strength destination_order history depth
        max_samples max_instances max_samples_per_instance service_history service_depth
        service_max_samples service_max_instances service_max_samples_per_instance
        transport_priority representation batch_bytes autodispose reserved }
    dunlin_reader_qos { size kind deadline latency_budget lease_duration max_blocking_time
        minimum_separation autopurge_nowriter autopurge_disposed entity_name user_data properties
        property_count multicast multicast_count durability reliability liveliness ownership
        destination_order history depth max_samples max_instances max_samples_per_instance
        representations type_consistency ignore_sequence_bounds ignore_string_bounds
        ignore_member_names prevent_type_widening force_type_validation reserved }
    dunlin_topic_qos { size kind deadline latency_budget lifespan lease_duration max_blocking_time
        service_cleanup_delay topic_data durability reliability liveliness ownership
        destination_order history depth max_samples max_instances max_samples_per_instance
        service_history service_depth service_max_samples service_max_instances
        service_max_samples_per_instance transport_priority representations reserved }
    dunlin_group_qos { size kind entity_name group_data partitions partition_count access_scope
        coherent ordered autoenable reserved }
    dunlin_participant_qos { size kind entity_name user_data properties property_count autoenable
        reserved }
    dunlin_participant_config { size waiting name interfaces interface_count peers peer_count
        tls_authorities tls_certificates tls_key spin lease_duration announce_period
        heartbeat_period linger max_reassembly_bytes max_sample_size tcp_public_address
        tcp_public_port tcp_port enabled multicast udp shmem tcp local announces_process
        answers_questions has_guid_prefix guid_prefix reserved type_timeout ignored_properties
        ignored_property_count types type_lookup reserved_behind }
    dunlin_builtin_data { size kind key participant_key name type_name user_data topic_data
        properties property_count writer_qos reader_qos group_qos vendor reserved }
    dunlin_counters { size reserved dropped oversized unsent memory_refused
        connections_refused malformed damaged reassembly_dropped misplaced implausible }
}

/// The size of a structure, which its name tells, and the offsets of its members in the order of
/// their declaration. `count` is how many members it has; as many as `room` allows are written.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_abi_layout(
    name: dunlin_text,
    size: Out<'_, u64>,
    offsets: OutArray<'_, u64>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let size = size.required("size")?;
        let count = count.required("count")?;
        let offsets = offsets.slice(room, "offsets")?;
        let name = name.get("name")?;
        let found = LAYOUTS.iter().find(|layout| layout.name == name);
        let layout =
            found.ok_or_else(|| Failure::bad(format!("{name:?} is no structure of the ABI")))?;
        for (place, (_, offset)) in offsets.iter_mut().zip(layout.members) {
            *place = *offset as u64;
        }
        size.put(layout.size as u64);
        count.put(layout.members.len() as u64);
        Ok(())
    })
}
