//! What the kernel granted to the receivers and what it dropped, in words.
use dunlin::{ParticipantCounters, ReceiverStatus};

/// Says so if the kernel queues less than it was asked for.
pub(super) fn too_small(receivers: &[ReceiverStatus]) -> Option<String> {
    let smallest = smallest(receivers)?.reception;
    (smallest.granted < smallest.asked).then(|| {
        format!(
            "{} bytes granted of {} asked for receiving; {}",
            smallest.granted,
            smallest.asked,
            remedy(smallest.asked)
        )
    })
}

/// Tells of datagrams that were dropped or not sent.
pub(super) fn losses(
    receivers: &[ReceiverStatus],
    counters: ParticipantCounters,
) -> Option<String> {
    let mut told = Vec::new();
    if counters.dropped > 0 {
        told.push(overrun(receivers, counters.dropped));
    }
    if counters.unsent > 0 {
        told.push(format!(
            "{} messages could not be sent (-verbosity 2 says why)",
            counters.unsent
        ));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

fn overrun(receivers: &[ReceiverStatus], dropped: u64) -> String {
    let mut text = format!("the kernel dropped {dropped} datagrams that came faster than read");
    if let Some(smallest) = smallest(receivers).map(|r| r.reception) {
        text += &format!(", with a receive buffer of {} bytes", smallest.granted);
        if smallest.granted < smallest.asked {
            text += &format!("; {}", remedy(smallest.asked));
        }
    }
    text
}

fn remedy(asked: usize) -> String {
    format!("allow more with: sysctl -w net.core.rmem_max={asked}")
}

/// The receiver with the smallest buffer, of those that lost something if there are any.
fn smallest(receivers: &[ReceiverStatus]) -> Option<&ReceiverStatus> {
    let key = |r: &&ReceiverStatus| (r.reception.dropped == 0, r.reception.granted);
    receivers.iter().min_by_key(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::transport::Reception;

    fn receiver(granted: usize, dropped: u64) -> ReceiverStatus {
        ReceiverStatus {
            locators: Vec::new(),
            reception: Reception {
                asked: 8_388_608,
                granted,
                dropped,
                oversized: 0,
            },
        }
    }

    fn counters(dropped: u64, unsent: u64) -> ParticipantCounters {
        ParticipantCounters {
            dropped,
            unsent,
            ..ParticipantCounters::default()
        }
    }

    #[test]
    fn a_small_buffer_comes_with_the_setting_to_change() {
        assert_eq!(
            too_small(&[receiver(8_388_608, 0), receiver(212_992, 0)]).as_deref(),
            Some(
                "212992 bytes granted of 8388608 asked for receiving; allow more with: sysctl -w net.core.rmem_max=8388608"
            )
        );
        assert_eq!(too_small(&[receiver(8_388_608, 0)]), None);
    }

    #[test]
    fn losses_are_told_with_the_buffer_that_had_them() {
        let small = [receiver(4096, 0), receiver(212_992, 7)];
        let told = losses(&small, counters(7, 0)).unwrap();
        assert!(told.contains("dropped 7 datagrams"), "{told}");
        assert!(told.contains("212992 bytes") && told.contains("rmem_max=8388608"));
        let full = losses(&[receiver(8_388_608, 7)], counters(7, 3)).unwrap();
        assert!(!full.contains("rmem_max"), "{full}");
        assert!(full.contains("3 messages could not be sent"), "{full}");
        assert_eq!(losses(&small, counters(0, 0)), None);
    }
}
