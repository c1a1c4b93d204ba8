//! How samples are taken from a reader: as values, or as views of where their writer has built
//! them.

use bytes::Bytes;
use dunlin::{DataReader, View};

use super::NOTES;
use super::types::TestData;
use crate::messaging::Sample;
use crate::options::Options;

/// What is done with each sample before the protocol sees it.
#[derive(Clone)]
pub(super) struct Taking {
    views: bool,
    check_consistency: bool,
    /// Stands for the payload of a view, which nobody reads.
    blank: Bytes,
}

impl Taking {
    pub(super) fn of(options: &Options) -> Self {
        let length = match options.zero_copy {
            true => Options::payload(options.data_len).max(NOTES),
            false => 0,
        };
        Self {
            views: options.zero_copy,
            check_consistency: options.check_consistency,
            blank: Bytes::from(vec![0; length]),
        }
    }

    /// Takes all that there is.
    pub(super) fn drain<T: TestData>(
        &self,
        reader: &DataReader<T>,
        on_sample: &mut impl FnMut(&Sample<'_>),
    ) {
        if self.views {
            // What cannot be read, or has changed meanwhile, is missing in the sequence: lost.
            reader.take_each_view(|view| _ = self.look(&view, on_sample));
            return;
        }
        reader.take_each(|sample| {
            if let Some(data) = sample.data() {
                on_sample(&data.as_sample());
            }
        });
    }

    fn look<T: TestData>(
        &self,
        view: &View<T>,
        on_sample: &mut impl FnMut(&Sample<'_>),
    ) -> Option<()> {
        if !view.info.valid_data {
            return None;
        }
        let members = view.header().ok()?;
        let octets = view.octets()?;
        let mut note = [0; NOTES];
        let longer;
        let data = match note.get_mut(..octets.len()) {
            Some(note) => {
                octets.copy_to(0, note).ok()?;
                &*note
            }
            None => match self.blank.get(..octets.len()) {
                Some(blank) => blank,
                // The publisher has another `-dataLen`.
                None => {
                    longer = vec![0; octets.len()];
                    &longer
                }
            },
        };
        if self.check_consistency && !view.is_valid() {
            return None;
        }
        on_sample(&Sample {
            header: members.as_sample().header,
            data,
            shared: None,
        });
        Some(())
    }
}
