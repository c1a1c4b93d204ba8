//! What the suite runs: ways for samples to travel, and the sizes of each.

/// A section of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Udp,
    Shmem,
    Tcp,
}

/// How samples travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Raw,
    BestEffort,
    Reliable,
    Keyed,
    /// Neither copied in nor out, without DDS and with it.
    RawLoan,
    ZeroCopy,
}

/// The largest size that the published tables have for all modes; beyond, there is only reliable.
const MEDIUM: usize = 63_000;

impl Carrier {
    pub(super) const ALL: [Carrier; 3] = [Carrier::Udp, Carrier::Shmem, Carrier::Tcp];

    /// As the tables name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Carrier::Udp => "UDPv4 on loopback",
            Carrier::Shmem => "shared memory",
            Carrier::Tcp => "TCP on loopback",
        }
    }

    /// The value of `-transport`.
    pub(super) fn option(self) -> &'static str {
        match self {
            Carrier::Udp => "UDPv4",
            Carrier::Shmem => "SHMEM",
            Carrier::Tcp => "TCP",
        }
    }

    /// Every row, in order: the floor and what stands on it, size by size.
    pub(super) fn rows(self) -> impl Iterator<Item = (usize, Mode)> {
        let sizes: &[usize] = match self {
            Carrier::Udp => &[32, 1_024, 8_192, 63_000, 1_048_576],
            Carrier::Shmem | Carrier::Tcp => &[32, 1_024, 63_000, 1_048_576, 10_485_760],
        };
        sizes.iter().flat_map(move |size| {
            let modes = self.modes().iter().map(move |mode| (*size, *mode));
            modes.filter(|(size, mode)| *size <= MEDIUM || mode.is_for_large())
        })
    }

    fn modes(self) -> &'static [Mode] {
        use Mode::*;
        match self {
            Carrier::Udp | Carrier::Tcp => &[Raw, BestEffort, Reliable],
            Carrier::Shmem => &[Raw, BestEffort, Reliable, Keyed, RawLoan, ZeroCopy],
        }
    }
}

impl Mode {
    /// As the tables show it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Mode::Raw => "raw",
            Mode::BestEffort => "best effort",
            Mode::Reliable => "reliable",
            Mode::Keyed => "keyed",
            Mode::RawLoan => "raw, no copy",
            Mode::ZeroCopy => "zero copy",
        }
    }

    /// What its figures are compared with.
    pub(super) fn floor(self) -> Mode {
        match self {
            Mode::RawLoan | Mode::ZeroCopy => Mode::RawLoan,
            _ => Mode::Raw,
        }
    }

    /// Whether it runs without DDS.
    pub(super) fn is_raw(self) -> bool {
        self == self.floor()
    }

    fn is_for_large(self) -> bool {
        !matches!(self, Mode::BestEffort | Mode::Keyed)
    }

    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Mode::Raw => &["-rawTransport"],
            Mode::BestEffort => &["-bestEffort"],
            Mode::Reliable => &[],
            Mode::Keyed => &["-keyed", "-instances", "100000"],
            Mode::RawLoan => &["-rawTransport", "-zeroCopy"],
            Mode::ZeroCopy => &["-zeroCopy"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_comes_after_its_floor() {
        for carrier in Carrier::ALL {
            let rows: Vec<_> = carrier.rows().collect();
            for (place, (size, mode)) in rows.iter().enumerate() {
                assert!(rows[..=place].contains(&(*size, mode.floor())));
            }
            assert!(rows.contains(&(1_048_576, Mode::Reliable)));
            assert!(!rows.contains(&(1_048_576, Mode::Keyed)));
        }
    }
}
