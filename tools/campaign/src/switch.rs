//! Three hosts at a switch: network namespaces whose cables (veth) end at a bridge, which is in a
//! fourth one. All of it goes with the campaign.

use std::fmt::Write;
use std::net::Ipv4Addr;
use std::process::Command;

use crate::isolate::{OtherHost, no_hosts, succeeds};

/// The addresses of publisher, subscriber and of what is between them.
pub const HOSTS: [Ipv4Addr; 3] = [
    Ipv4Addr::new(172, 16, 0, 1),
    Ipv4Addr::new(172, 16, 0, 2),
    Ipv4Addr::new(172, 16, 0, 3),
];

/// The hosts beside this one, and the switch.
pub struct Switch {
    /// Where publishers run, if that is not where the campaign is.
    pub publisher: Option<OtherHost>,
    /// Where subscribers run.
    pub subscriber: OtherHost,
    /// Where routers and relays run.
    pub between: OtherHost,
    _bridge: OtherHost,
}

impl Switch {
    /// Made from inside of a namespace; `before` are words that end what follows together with this
    /// process. `apart`: publishers have a host of their own.
    pub fn create(before: &[String], apart: bool) -> Result<Self, String> {
        let host = || OtherHost::without_cable(before);
        let switch = Self {
            publisher: match apart {
                true => Some(host()?),
                false => None,
            },
            subscriber: host()?,
            between: host()?,
            _bridge: host()?,
        };
        let script = switch.script();
        match succeeds(Command::new("sh").args(["-ec", &script])) {
            true => Ok(switch),
            false => Err(no_hosts(
                "no switch could be made (ip link add type bridge, type veth)",
            )),
        }
    }

    fn script(&self) -> String {
        let words = |host: &OtherHost| host.words().join(" ");
        let bridge = words(&self._bridge);
        let mut script = format!(
            "{bridge} ip link add name switch type bridge mcast_snooping 0\n\
             {bridge} ip link set switch up\n"
        );
        let publisher = self.publisher.as_ref().map_or(String::new(), words);
        let inside = [publisher, words(&self.subscriber), words(&self.between)];
        for (number, (host, address)) in inside.iter().zip(HOSTS).enumerate() {
            // Names within a namespace, so that each may have its own.
            let _ = writeln!(
                script,
                "{host} ip link add dunlin{number} type veth peer name port{number} netns {switch}\n\
                 {bridge} ip link set port{number} master switch up\n\
                 {host} ip addr add {address}/24 dev dunlin{number}\n\
                 {host} ip link set dunlin{number} up\n\
                 {host} ip link set lo up",
                switch = self._bridge.process()
            );
        }
        script
    }
}
