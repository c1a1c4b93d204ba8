//! Large samples pass before they are whole: each fragment is written on as it comes.
//!
//! An output begins a sample when its first fragments are here and completes it with the payload
//! that the input delivers as ever. Whatever else is to be written first, or an end without the
//! rest, abandons it: readers are shown nothing of it then. So what is decided about whole samples
//! is decided as before, and costs at worst what was sent in vain.
use super::echo::EchoWatch;
use super::input::{InputLane, Source};
use super::output::{OutputLane, Sources};
use super::rules::Rules;
use dunlin::SampleInfo;
use dunlin::untyped::{Arriving, Time};

/// What has come of samples of an input that are not whole.
pub(super) struct CutThrough<'w> {
    pub(super) rules: &'w Rules,
    /// Not to the second.
    pub(super) now: Time,
    pub(super) input: &'w mut InputLane,
    /// It is the only one of the route.
    pub(super) is_alone: bool,
    /// It is the only one of its group of sources.
    pub(super) is_alone_in_group: bool,
    pub(super) outputs: &'w mut [OutputLane],
}

impl CutThrough<'_> {
    /// Passes on what has come, by way of `news`; false if there is nothing.
    pub(super) fn pass(&mut self, news: &mut Vec<Arriving>) -> bool {
        let Source::Domain(reader) = &self.input.reader else {
            return false;
        };
        reader.take_arriving(news);
        let any = !news.is_empty();
        for one in news.drain(..) {
            match one {
                Arriving::Begins { info, size } => self.begin(&info, size),
                Arriving::Grows {
                    writer,
                    sequence,
                    bytes,
                } => {
                    for output in self.outputs.iter_mut() {
                        output.extend((writer, sequence), &bytes);
                    }
                }
                Arriving::Ends { writer, sequence } => {
                    for output in self.outputs.iter_mut() {
                        output.cut_short((writer, sequence));
                    }
                }
            }
        }
        any
    }

    /// Begins a sample in the outputs that can.
    fn begin(&mut self, info: &SampleInfo, size: usize) {
        let writer = info.publication;
        // The watch for echoes looks at whole samples. Without a hash of ours only the whole sample
        // tells its instance.
        let is_watched = info.source_timestamp.is_some_and(EchoWatch::selects);
        let is_watched = is_watched && self.rules.keeps_time(info);
        let is_unnamed = !info.has_key_hash || info.foreign_key_hash;
        let is_unnamed = self.input.is_keyed && is_unnamed;
        if is_watched || is_unnamed || self.input.has_filter() || !self.input.admits(&writer) {
            return;
        }
        let Some(options) = self.rules.options(info, self.input.is_keyed) else {
            return;
        };
        // Changes of other sources would have to wait.
        let has_come = self.input.has_come(self.now, info);
        let has_one = !has_come && self.input.reader.has_one_writer();
        for at in self.input.targets(&writer) {
            let Some(output) = self.outputs.get_mut(at) else {
                continue;
            };
            let is_only = match output.sources {
                Sources::All => has_one && self.is_alone,
                Sources::Group(_) => has_one && self.is_alone_in_group,
                Sources::Writer(_) => true,
            };
            if is_only {
                output.begin((writer, info.sequence), size, &options);
            }
        }
    }
}
