//! The endpoints of a route that an adapter makes.
use super::ends::{EndError, Endpoint, Site, judge};
use super::qos;
use crate::adapter::{AdapterReader, AdapterWriter, Connection, Notify};
use crate::engine::{Admission, Edit, InputLane, RouteCore, Sink};
use crate::plan::{Input, Output, Route, Session};
use crate::table::{Design, Side, Slot, Time};
use crate::types::RouteType;
use dunlin::observe::{ReaderData, WriterData};
use dunlin::{DataWriterQos, Guid, PublisherQos};
use dunlin_filter::Filter;
use std::sync::Arc;

/// An endpoint; it ends when this is dropped.
pub(super) enum BeyondEnd {
    Reader(Arc<dyn AdapterReader>, Arc<Admission>),
    Writer(Arc<dyn AdapterWriter>),
}

/// Makes a reader and has its route use it.
pub(super) fn reader(
    site: &Site<'_>,
    connection: &dyn Connection,
    input: &Input,
    design: &Design,
    core: &Arc<RouteCore>,
    lane: impl FnOnce(Arc<dyn AdapterReader>) -> InputLane,
) -> Result<Endpoint, EndError> {
    let data = reader_data(site.session, input, design);
    let accepts = Box::new(qos::accepts(design, site.router));
    let (pumped, thinned) = (Arc::clone(core), Arc::clone(core));
    let on_data: Notify = Arc::new(move || pumped.pump());
    let on_matched: Notify = Arc::new(move || thinned.look_for_sources());
    let reader = connection
        .create_reader(data, design.ty.keyed, accepts, [on_data, on_matched])
        .map_err(dunlin::Error::BadParameter)?;
    let lane = Box::new(lane(Arc::clone(&reader)));
    let admission = Arc::clone(&lane.admission);
    core.edit(Edit::AddInput(lane));
    Ok(Endpoint::Beyond(BeyondEnd::Reader(reader, admission)))
}

/// Makes a writer, and what its route writes to.
pub(super) fn writer(
    connection: &dyn Connection,
    output: &Output,
    design: &Design,
    qos: (DataWriterQos, PublisherQos),
    core: &Arc<RouteCore>,
) -> Result<(Endpoint, Sink), EndError> {
    let data = writer_data(output, design, qos);
    let core = Arc::clone(core);
    let on_room: Notify = Arc::new(move || core.pump());
    let writer = connection
        .create_writer(data, design.ty.keyed, on_room)
        .map_err(dunlin::Error::BadParameter)?;
    let sink = Sink::Beyond(Arc::clone(&writer));
    Ok((Endpoint::Beyond(BeyondEnd::Writer(writer)), sink))
}

/// May the sources of an input be made to wait?
pub(super) fn is_reliable(session: &Session, input: &Input, design: &Design) -> bool {
    let (qos, _) = qos::of_reader(session, input, design);
    qos.reliability.is_reliable()
}

fn reader_data(session: &Session, input: &Input, design: &Design) -> ReaderData {
    let mut data = ReaderData::new(Guid::UNKNOWN, &input.topic, &design.ty.name);
    (data.qos, data.subscriber) = qos::of_reader(session, input, design);
    data
}

fn writer_data(
    output: &Output,
    design: &Design,
    (qos, publisher): (DataWriterQos, PublisherQos),
) -> WriterData {
    let mut data = WriterData::new(Guid::UNKNOWN, &output.topic, &design.ty.name);
    (data.qos, data.publisher) = (qos, publisher);
    data.type_information = design.ty.information.clone();
    data
}

impl BeyondEnd {
    /// Has it announce what it is now; returns what an input is judged by from now on.
    pub(super) fn change(
        &self,
        session: &Session,
        route: &Route,
        slot: Slot,
        design: &Design,
        ty: Option<&RouteType>,
    ) -> Result<Option<Filter>, EndError> {
        match (self, slot.side) {
            (Self::Reader(reader, admission), Side::Input) => {
                admission.note_returning(&design.returning);
                let Some(input) = route.inputs.get(slot.index) else {
                    return Ok(None);
                };
                reader.announce(reader_data(session, input, design));
                judge(input, ty)
            }
            (Self::Writer(writer), Side::Output) => {
                if let Some(output) = route.outputs.get(slot.index) {
                    let qos = qos::of_writer(session, &route.settings, output, design);
                    writer.announce(writer_data(output, design, qos));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn matched(&self) -> usize {
        match self {
            Self::Reader(reader, _) => reader.matched().len(),
            Self::Writer(writer) => writer.matched(),
        }
    }

    pub(super) fn finish(&self, most: Time) {
        if let Self::Writer(writer) = self {
            writer.finish(most);
        }
    }
}

impl Drop for BeyondEnd {
    fn drop(&mut self) {
        match self {
            Self::Reader(reader, _) => reader.close(),
            Self::Writer(writer) => writer.close(),
        }
    }
}
