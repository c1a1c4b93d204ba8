//! The hub as a route knows it.
use super::{Hub, lock};
use crate::keys::LAYOUT;
use crate::reader::Reader;
use crate::writer::Writer;
use dunlin::EntityKind;
use dunlin::observe::{DiscoveryEvent, ReaderData, WriterData};
use dunlin_routing::adapter::{Accepts, AdapterReader, AdapterWriter, Connection, Notify};
use std::sync::Arc;

/// It ends with this.
pub(crate) struct Door(pub(crate) Arc<Hub>);

impl Connection for Door {
    fn take_events(&self) -> Vec<DiscoveryEvent> {
        std::mem::take(&mut lock(&self.0.inner).events)
    }

    fn create_reader(
        &self,
        data: ReaderData,
        keyed: bool,
        accepts: Accepts,
        events: [Notify; 2],
    ) -> Result<Arc<dyn AdapterReader>, String> {
        let guid = self.0.guid(match keyed {
            true => EntityKind::ReaderWithKey,
            false => EntityKind::ReaderNoKey,
        });
        let reader = Arc::new(Reader::new(&self.0, guid, data, accepts, events));
        let own = Arc::clone(&reader);
        lock(&self.0.inner).readers.insert(reader.guid.entity, own);
        self.0.changed();
        Ok(reader)
    }

    fn create_writer(
        &self,
        data: WriterData,
        keyed: bool,
        on_room: Notify,
    ) -> Result<Arc<dyn AdapterWriter>, String> {
        let guid = self.0.guid(match keyed {
            true => EntityKind::WriterWithKey,
            false => EntityKind::WriterNoKey,
        });
        let writer = Writer::new(&self.0, guid, data, &self.0.keys, on_room)?;
        let own = Arc::clone(&writer);
        lock(&self.0.inner).writers.insert(writer.guid.entity, own);
        self.0.changed();
        Ok(writer)
    }

    fn note(&self) -> Option<String> {
        let inner = lock(&self.0.inner);
        let sites = inner.directory.sites();
        let lost: u64 = inner.readers.values().map(|reader| reader.lost()).sum();
        let zid = &self.0.zid;
        let mut note = match sites.as_slice() {
            [] => format!("site {zid} sees no other site"),
            [one] => format!("site {zid} sees site {one}"),
            many => format!("site {zid} sees {} sites: {}", many.len(), many.join(", ")),
        };
        if let Some(site) = &self.0.site
            && !inner.carries()
        {
            note += &format!("; it stands by: another service of the site {site} carries");
        }
        if let Some(((zid, _), layout)) = inner.foreign.first_key_value() {
            note += &format!(
                "; site {zid} runs another version, with layout {layout} of keys instead of \
                 {LAYOUT}, so nothing passes between it and this one: have both run the same"
            );
        }
        if lost > 0 {
            note += &format!("; {lost} samples were lost on the way");
        }
        Some(note)
    }

    fn close(&self) {
        self.0.end();
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.0.end();
    }
}
