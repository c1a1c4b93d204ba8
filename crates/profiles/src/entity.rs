//! The kinds of entities that QoS is for.

/// What a QoS element is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    /// `domain_participant_qos`.
    Participant,
    /// `publisher_qos`.
    Publisher,
    /// `subscriber_qos`.
    Subscriber,
    /// `topic_qos`.
    Topic,
    /// `datawriter_qos`.
    Writer,
    /// `datareader_qos`.
    Reader,
}

impl Entity {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Participant,
        Self::Publisher,
        Self::Subscriber,
        Self::Topic,
        Self::Writer,
        Self::Reader,
    ];

    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The name of its QoS element.
    pub const fn element(self) -> &'static str {
        match self {
            Self::Participant => "domain_participant_qos",
            Self::Publisher => "publisher_qos",
            Self::Subscriber => "subscriber_qos",
            Self::Topic => "topic_qos",
            Self::Writer => "datawriter_qos",
            Self::Reader => "datareader_qos",
        }
    }

    /// Whose QoS an element of this name is; older names and those of DDS-XML 1.0 count.
    pub fn of_element(name: &str) -> Option<Self> {
        match name {
            "participant_qos" | "domainparticipant_qos" => Some(Self::Participant),
            "data_writer_qos" => Some(Self::Writer),
            "data_reader_qos" => Some(Self::Reader),
            _ => Self::ALL.into_iter().find(|one| one.element() == name),
        }
    }
}
