//! The well-known UDP ports of a domain (RTPS 2.5 9.6.2.3, 9.6.2.4).

const BASE: u32 = 7400;
const DOMAIN_GAIN: u32 = 250;
const PARTICIPANT_GAIN: u32 = 2;

/// The group that SPDP announces to by default (RTPS 2.5 9.6.2.4.1).
pub const SPDP_GROUP: core::net::Ipv4Addr = core::net::Ipv4Addr::new(239, 255, 0, 1);

/// The highest domain whose ports fit for at least one participant: 232.
pub const MAX_DOMAIN: u32 = 232;

/// Port of discovery multicast; `None` if the domain has no ports.
pub fn metatraffic_multicast(domain: u32) -> Option<u16> {
    port(domain, 0, 0)
}

/// Port of discovery unicast of a participant; `None` if it would lie above 65535.
pub fn metatraffic_unicast(domain: u32, participant: u32) -> Option<u16> {
    port(domain, participant, 10)
}

/// Port of user multicast; `None` if the domain has no ports.
pub fn user_multicast(domain: u32) -> Option<u16> {
    port(domain, 0, 1)
}

/// Port of user unicast of a participant; `None` if it would lie above 65535.
pub fn user_unicast(domain: u32, participant: u32) -> Option<u16> {
    port(domain, participant, 11)
}

fn port(domain: u32, participant: u32, offset: u32) -> Option<u16> {
    let port = BASE
        .checked_add(DOMAIN_GAIN.checked_mul(domain)?)?
        .checked_add(PARTICIPANT_GAIN.checked_mul(participant)?)?
        .checked_add(offset)?;
    u16::try_from(port).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_follow_the_formula() {
        assert_eq!(metatraffic_multicast(0), Some(7400));
        assert_eq!(user_multicast(0), Some(7401));
        assert_eq!(metatraffic_unicast(0, 0), Some(7410));
        assert_eq!(user_unicast(0, 0), Some(7411));
        assert_eq!(metatraffic_unicast(1, 3), Some(7666));
        assert_eq!(user_unicast(MAX_DOMAIN, 0), Some(65411));
        assert_eq!(user_unicast(233, 0), None);
        assert_eq!(user_unicast(u32::MAX, u32::MAX), None);
    }
}
