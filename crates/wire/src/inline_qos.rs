//! What a DATA says about itself beside its payload (RTPS 2.5 8.7, 9.6.4).
use crate::{Error, ParameterId, Parameters};
use bytes::BufMut;

/// The inline QoS that a reader acts on; policies that came by discovery are not repeated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct InlineQos {
    /// Which instance (RTPS 2.5 9.6.4.8).
    pub key_hash: Option<[u8; 16]>,
    /// Disposed, unregistered: the `STATUS_` bits (RTPS 2.5 9.6.4.9).
    pub status_info: Option<u32>,
}

impl InlineQos {
    /// The instance was disposed.
    pub const STATUS_DISPOSED: u32 = 1;
    /// The writer unregistered the instance.
    pub const STATUS_UNREGISTERED: u32 = 2;
    /// The sample did not pass a content filter.
    pub const STATUS_FILTERED: u32 = 4;
    /// The most bytes that `encode` writes.
    pub const MAX_SIZE: usize = 32;

    /// Reads the parameters that matter and skips the others.
    pub fn parse(parameters: Parameters<'_>) -> Result<Self, Error> {
        let mut qos = Self::default();
        for parameter in parameters {
            let parameter = parameter?;
            let mut value = parameter.value;
            match parameter.id {
                ParameterId::KEY_HASH => qos.key_hash = Some(value.array()?),
                // Bytes, not a number: the flags are in the last one whatever the byte order.
                ParameterId::STATUS_INFO => {
                    qos.status_info = Some(u32::from_be_bytes(value.array()?));
                }
                id if id.is_inline_policy() => {}
                _ => parameter.skip()?,
            }
        }
        Ok(qos)
    }

    /// Writes the list, little endian, with its sentinel; nothing at all if there is nothing to say.
    #[inline]
    pub fn encode(&self, out: &mut impl BufMut) {
        if *self == Self::default() {
            return;
        }
        if let Some(hash) = self.key_hash {
            out.put_slice(&[0x70, 0, 16, 0]);
            out.put_slice(&hash);
        }
        if let Some(status) = self.status_info {
            out.put_slice(&[0x71, 0, 4, 0]);
            out.put_slice(&status.to_be_bytes());
        }
        out.put_slice(&[1, 0, 0, 0]);
    }
}

impl ParameterId {
    /// Policies and facts that may stand in a DATA and say nothing new to a matched reader (RTPS 2.5 table 9.19).
    fn is_inline_policy(self) -> bool {
        matches!(
            self,
            Self::TOPIC_NAME
                | Self::DURABILITY
                | Self::PRESENTATION
                | Self::DEADLINE
                | Self::LATENCY_BUDGET
                | Self::OWNERSHIP
                | Self::OWNERSHIP_STRENGTH
                | Self::LIVELINESS
                | Self::PARTITION
                | Self::RELIABILITY
                | Self::TRANSPORT_PRIORITY
                | Self::LIFESPAN
                | Self::DESTINATION_ORDER
        )
    }
}
