//! The four types of the original, whose names and members discovery shows: keyed or not, bounded
//! or not.

use bytes::Bytes;
use dunlin::{Topic, TopicData};

use crate::messaging::{Header, Sample};

/// One of the four types.
pub(crate) trait TestData: TopicData {
    /// A sample to write. Payload that is counted is passed on, other payload is copied.
    fn of(sample: &Sample<'_>) -> Self;

    /// The sample as it was received.
    fn as_sample(&self) -> Sample<'_>;

    /// A sample of which only the key matters.
    fn of_key(key: u32) -> Self
    where
        Self: Sized,
    {
        let header = Header {
            key: key.to_le_bytes(),
            ..Header::default()
        };
        Self::of(&Sample::of(header, &Bytes::new()))
    }
}

macro_rules! test_data {
    ($(#[$note:meta])* $name:ident, $wire:literal, [$($key:meta)?], [$($bound:meta)?]) => {
        $(#[$note])*
        #[derive(Topic)]
        #[topic(name = $wire, extensibility = "final")]
        pub(crate) struct $name {
            $(#[$key])?
            key: [u8; 4],
            entity_id: i32,
            seq_num: u32,
            timestamp_sec: i32,
            timestamp_usec: u32,
            latency_ping: i32,
            $(#[$bound])?
            bin_data: Bytes,
        }

        impl TestData for $name {
            fn of(sample: &Sample<'_>) -> Self {
                let header = sample.header;
                Self {
                    key: header.key,
                    entity_id: header.entity_id,
                    seq_num: header.seq_num,
                    timestamp_sec: header.timestamp_sec,
                    timestamp_usec: header.timestamp_usec,
                    latency_ping: header.latency_ping,
                    bin_data: match sample.shared {
                        Some(shared) => shared.clone(),
                        None => Bytes::copy_from_slice(sample.data),
                    },
                }
            }

            fn as_sample(&self) -> Sample<'_> {
                let header = Header {
                    key: self.key,
                    entity_id: self.entity_id,
                    seq_num: self.seq_num,
                    timestamp_sec: self.timestamp_sec,
                    timestamp_usec: self.timestamp_usec,
                    latency_ping: self.latency_ping,
                };
                Sample::of(header, &self.bin_data)
            }
        }
    };
}

test_data!(
    /// Payload of up to 65470 bytes, one instance.
    Plain, "TestData_t", [], [topic(bound = 65470)]
);
test_data!(
    /// Payload of up to 65470 bytes, many instances.
    Keyed, "TestDataKeyed_t", [key], [topic(bound = 65470)]
);
test_data!(
    /// Payload of any size, one instance.
    Large, "TestDataLarge_t", [], []
);
test_data!(
    /// Payload of any size, many instances.
    KeyedLarge, "TestDataKeyedLarge_t", [key], []
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messaging::OVERHEAD;
    use dunlin::cdr::{Layout, Xcdr, serialized_size};

    #[test]
    fn a_sample_is_28_bytes_and_its_payload_on_the_wire() {
        fn size<T: TestData>(payload: usize) -> usize {
            let data = Bytes::from(vec![0; payload]);
            serialized_size(&T::of(&Sample::of(Header::default(), &data)), Xcdr::V1)
        }
        const ENCAPSULATION: usize = 4;
        for payload in [0, 4, 1_000, 65_468] {
            assert_eq!(size::<Plain>(payload), payload + OVERHEAD + ENCAPSULATION);
            assert_eq!(
                size::<KeyedLarge>(payload),
                payload + OVERHEAD + ENCAPSULATION
            );
        }
    }

    #[test]
    fn members_and_payload_pass_through_without_a_copy() {
        let header = Header {
            key: [1, 2, 3, 4],
            entity_id: 5,
            seq_num: 6,
            timestamp_sec: 7,
            timestamp_usec: 8,
            latency_ping: -1,
        };
        let data = Bytes::from_static(b"payload");
        let value = Keyed::of(&Sample::of(header, &data));
        let back = value.as_sample();
        assert_eq!((back.header, back.data.as_ptr()), (header, data.as_ptr()));
    }

    /// perftest in other languages has the types of this file.
    #[test]
    fn idl_and_rust_agree() {
        const IDL: &str = "languages/TestData.idl";
        dunlin_build::assert_matches!(IDL, Plain);
        dunlin_build::assert_matches!(IDL, Keyed);
        dunlin_build::assert_matches!(IDL, Large);
        dunlin_build::assert_matches!(IDL, KeyedLarge);
    }

    #[test]
    fn the_types_have_the_names_of_the_original() {
        let names = [
            Plain::TYPE_NAME,
            Keyed::TYPE_NAME,
            Large::TYPE_NAME,
            KeyedLarge::TYPE_NAME,
        ];
        assert_eq!(
            names,
            [
                "TestData_t",
                "TestDataKeyed_t",
                "TestDataLarge_t",
                "TestDataKeyedLarge_t"
            ]
        );
        let keyed = [
            Plain::HAS_KEY,
            Keyed::HAS_KEY,
            Large::HAS_KEY,
            KeyedLarge::HAS_KEY,
        ];
        assert_eq!(keyed, [false, true, false, true]);
    }
}
