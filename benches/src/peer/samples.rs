//! What Dunlin's peer sends: samples that are copied, keyed ones, and ones that are built where the
//! receiver looks at them.
use bytes::Bytes;
use dunlin::{DataReader, DataWriter, Result, Topic, TopicData};

use crate::options::{KEY, OVERHEAD, Options};

/// What all samples of a run have in common.
#[derive(Clone)]
pub(crate) struct Load {
    payload: Bytes,
    instances: u32,
}

impl Load {
    pub(crate) fn new<T: Numbered>(options: &Options) -> Self {
        Self {
            payload: Bytes::from(vec![0; options.size - T::OVERHEAD]),
            instances: options.instances,
        }
    }
}

/// A sample with a number.
pub(crate) trait Numbered: TopicData + Send + Sync + 'static {
    /// Bytes that are not payload.
    const OVERHEAD: usize;

    /// Writes the sample of that number.
    fn write(writer: &DataWriter<Self>, seq: u64, load: &Load) -> Result<()>;

    /// Takes all there is: the numbers, and the samples if they have been copied.
    fn drain(reader: &DataReader<Self>, work: impl FnMut(u64, Option<&Self>));
}

/// Without a key.
#[derive(Topic)]
#[topic(extensibility = "final")]
pub(crate) struct Copied {
    seq: u64,
    data: Bytes,
}

impl Numbered for Copied {
    const OVERHEAD: usize = OVERHEAD;

    fn write(writer: &DataWriter<Self>, seq: u64, load: &Load) -> Result<()> {
        let data = load.payload.clone();
        writer.write(&Self { seq, data }).map(drop)
    }

    fn drain(reader: &DataReader<Self>, mut work: impl FnMut(u64, Option<&Self>)) {
        reader.take_each(|sample| {
            if let Some(data) = sample.data() {
                work(data.seq, Some(data));
            }
        });
    }
}

/// Of many instances.
#[derive(Topic)]
#[topic(extensibility = "final")]
pub(crate) struct Keyed {
    seq: u64,
    #[key]
    instance: u32,
    data: Bytes,
}

impl Numbered for Keyed {
    const OVERHEAD: usize = OVERHEAD + KEY;

    fn write(writer: &DataWriter<Self>, seq: u64, load: &Load) -> Result<()> {
        let sample = Self {
            seq,
            instance: (seq % u64::from(load.instances)) as u32,
            data: load.payload.clone(),
        };
        writer.write(&sample).map(drop)
    }

    fn drain(reader: &DataReader<Self>, mut work: impl FnMut(u64, Option<&Self>)) {
        reader.take_each(|sample| {
            if let Some(data) = sample.data() {
                work(data.seq, Some(data));
            }
        });
    }
}

/// Bytes of a sample's number.
const NUMBER: usize = size_of::<u64>();

/// A sample of so many bytes that is never copied.
macro_rules! in_place {
    ($name:ident, $size:expr) => {
        #[derive(Topic, Clone, Copy)]
        #[topic(extensibility = "final", plain)]
        #[repr(C)]
        pub(crate) struct $name {
            seq: u64,
            data: [u8; $size - NUMBER],
        }

        impl Numbered for $name {
            const OVERHEAD: usize = NUMBER;

            fn write(writer: &DataWriter<Self>, seq: u64, _: &Load) -> Result<()> {
                let mut loan = writer.loan_unset()?;
                loan.seq = seq;
                writer.write_loan(loan).map(drop)
            }

            fn drain(reader: &DataReader<Self>, mut work: impl FnMut(u64, Option<&Self>)) {
                reader.take_each_view(|view| {
                    let mut seq = [0; NUMBER];
                    let seen = view.copy_to(0, &mut seq).is_ok();
                    drop(view);
                    if seen {
                        work(u64::from_ne_bytes(seq), None);
                    }
                });
            }
        }
    };
}

in_place!(Tiny, 32);
in_place!(Small, 1024);
in_place!(Medium, 63_000);
in_place!(Large, 1_048_576);
in_place!(Huge, 10_485_760);
