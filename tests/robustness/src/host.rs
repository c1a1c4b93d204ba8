//! Hosts that are joined by cables one by one: routers and translators among them.
use crate::network::{Place, hold};
use crate::process::Process;

/// A host without an interface but loopback. It vanishes with the value.
pub struct Host {
    /// Keeps its namespace alive.
    holder: Process,
}

impl Host {
    /// A host that nothing leads to yet.
    pub fn new() -> Self {
        let host = Self { holder: hold() };
        host.place().shell("ip link set lo up");
        host
    }

    /// Where its programs run.
    pub fn place(&self) -> Place {
        Place::of(self.holder.id())
    }

    /// Lays a cable to another host. Its ends are interfaces with these names, and with these
    /// addresses within 24 bits.
    ///
    /// # Panics
    /// If the system gives no such interfaces: the test expects it to.
    pub fn join(
        &self,
        other: &Self,
        [name, other_name]: [&str; 2],
        [address, other_address]: [&str; 2],
    ) {
        let pid = other.holder.id();
        let here = format!(
            "ip link add {name} type veth peer name {other_name} netns {pid}; ip addr add {address}/24 dev {name}; ip link set {name} up"
        );
        let there =
            format!("ip addr add {other_address}/24 dev {other_name}; ip link set {other_name} up");
        self.place().shell(&here);
        other.place().shell(&there);
    }

    /// As `join`, by a cable that a program carries (see `lossy_wire`), with these faults. `cable`,
    /// a letter, tells it from others in the same namespace. It is cut when what is returned is
    /// dropped.
    ///
    /// # Panics
    /// As there.
    pub fn join_by(
        &self,
        other: &Self,
        names: [&str; 2],
        addresses: [&str; 2],
        (program, cable, faults): (&str, char, &str),
    ) -> Process {
        let ends = self.lay(other, names, addresses, cable);
        Place::HERE.start(program, &format!("{ends} {faults}"))
    }

    /// What `join_by` does before the program starts, which may carry several cables; the names of
    /// the two interfaces that it carries between.
    ///
    /// # Panics
    /// As `join`.
    pub fn lay(
        &self,
        other: &Self,
        [name, other_name]: [&str; 2],
        [address, other_address]: [&str; 2],
        cable: char,
    ) -> String {
        let ends = [
            (self, name, address, 1),
            (other, other_name, other_address, 2),
        ];
        for (host, name, address, end) in ends {
            let pid = host.holder.id();
            let near = format!("{cable}{end}");
            Place::HERE.shell(&format!(
                "ip link add {near} type veth peer name {name} netns {pid}; ip link set {near} up"
            ));
            // Large frames that a network card would cut are cut before they come here.
            host.place().shell(&format!(
                "ip link set {name} gso_max_segs 1; ip addr add {address}/24 dev {name}; ip link set {name} up"
            ));
        }
        format!("{cable}1 {cable}2")
    }

    /// Passes packets on, or drops them all without a word.
    pub fn forward(&self, forward: bool) {
        let value = u8::from(forward);
        self.place()
            .shell(&format!("echo {value} >/proc/sys/net/ipv4/ip_forward"));
    }

    /// What leaves by this interface bears the interface's address, and what is sent to its `port`
    /// goes to `server`. False, and a line that says so, where there is no `nft` or the kernel
    /// cannot do it.
    pub fn translate(&self, interface: &str, forwarded: Option<(u16, &str)>) -> bool {
        let mut rules = format!(
            "add table ip nat\nadd chain ip nat out {{ type nat hook postrouting priority 100; }}\n\
             add rule ip nat out oifname {interface} masquerade\n\
             add chain ip nat in {{ type nat hook prerouting priority -100; }}\n"
        );
        if let Some((port, server)) = forwarded {
            rules += &format!(
                "add rule ip nat in iifname {interface} tcp dport {port} dnat to {server}\n"
            );
        }
        self.forward(true);
        self.filter(&rules)
    }

    /// Gives the kernel rules in the language of `nft`. False, and a line that says so, where that
    /// cannot be.
    pub fn filter(&self, rules: &str) -> bool {
        self.place().filter(rules)
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}
