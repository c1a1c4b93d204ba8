//! What a route knows: who is for it, and what its type is.
use super::Entry;
use crate::plan;
use crate::table::known::{Known, is_keyed};
use crate::table::{End, Side, Time, TypeFacts, Via};
use dunlin::Guid;
use dunlin::observe::{ReaderData, WriterData};
use dunlin::untyped::EncodedTypeInformation;

/// D of an input or output: whether a remote endpoint supports it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fact {
    /// As discovery has it now.
    pub(super) is_true: bool,
    /// It was true until then; believed a while longer.
    pub(super) until: Option<Time>,
}

/// The type of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    keyed: bool,
    /// By input.
    inputs: Vec<String>,
    /// By output.
    outputs: Vec<String>,
    /// By output, whether its type has a key.
    outputs_keyed: Vec<bool>,
}

impl Fact {
    /// As it is now; true for those who believe it.
    fn see(&mut self, now: Time, is_true: bool, linger: Time) {
        match (self.is_true, is_true) {
            (true, false) => self.until = Some(now + linger),
            (_, true) => self.until = None,
            (false, false) => self.until = self.until.filter(|until| *until > now),
        }
        self.is_true = is_true;
    }

    pub(super) fn is_believed(&self) -> bool {
        self.is_true || self.until.is_some()
    }
}

/// What a route looks at.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) connections: &'a [Known],
    /// The service, which is not on the way to itself.
    pub(super) router: u32,
}

impl Entry {
    /// D of each input and output, and who the sources are.
    pub(super) fn see(&mut self, now: Time, view: View<'_>) {
        let linger = Time::try_from(self.plan.settings.linger).unwrap_or(Time::MAX / 4);
        for index in 0..self.inputs.len() {
            let is_true = self.writers(view, index).next().is_some();
            self.inputs[index].see(now, is_true, linger);
        }
        for index in 0..self.outputs.len() {
            let is_true = self.readers(view, index).next().is_some();
            self.outputs[index].see(now, is_true, linger);
        }
        let there = self
            .all_writers(view)
            .map(|(_, w)| Via::of(&w.qos.property));
        let back = self.all_readers(view).map(|r| Via::of(&r.qos.property));
        self.ways = [
            Via::through(view.router, there),
            Via::through(view.router, back),
        ];
        if self.asks_for_sources() {
            let mut sources = std::mem::take(&mut self.sources);
            sources.see(now, linger, self.all_writers(view));
            self.sources = sources;
        }
    }

    /// The writers that an input is for.
    fn writers<'a>(&'a self, view: View<'a>, index: usize) -> impl Iterator<Item = &'a WriterData> {
        let end = self.plan.inputs.get(index);
        let known = self.connection(Side::Input, index);
        let known = known.and_then(|connection| view.connections.get(connection));
        let all = known.zip(end).into_iter();
        let all = all.flat_map(|(known, end)| known.writers(&end.topic));
        all.filter(move |data| {
            self.is_of_type(Side::Input, index, &data.type_name)
                && Via::of(&data.qos.property).counts(view.router)
        })
    }

    /// The readers that an output is for.
    fn readers<'a>(&'a self, view: View<'a>, index: usize) -> impl Iterator<Item = &'a ReaderData> {
        let end = self.plan.outputs.get(index);
        let known = self.connection(Side::Output, index);
        let known = known.and_then(|connection| view.connections.get(connection));
        let all = known.zip(end).into_iter();
        let all = all.flat_map(|(known, end)| known.readers(&end.topic));
        all.filter(move |data| {
            self.is_of_type(Side::Output, index, &data.type_name)
                && Via::of(&data.qos.property).counts(view.router)
        })
    }

    /// The writers of all inputs, with these.
    pub(super) fn all_writers<'a>(
        &'a self,
        view: View<'a>,
    ) -> impl Iterator<Item = (usize, &'a WriterData)> {
        let inputs = 0..self.plan.inputs.len();
        inputs.flat_map(move |at| self.writers(view, at).map(move |data| (at, data)))
    }

    pub(super) fn all_readers<'a>(
        &'a self,
        view: View<'a>,
    ) -> impl Iterator<Item = &'a ReaderData> {
        (0..self.plan.outputs.len()).flat_map(move |at| self.readers(view, at))
    }

    /// Is it the type of this input or output? While that is not known, any is.
    fn is_of_type(&self, side: Side, index: usize, name: &str) -> bool {
        let planned = self.end(side, index).and_then(End::type_name);
        let settled = self.settled.as_ref();
        let wanted = planned.or_else(|| settled.and_then(|s| s.name(side, index)));
        wanted.is_none_or(|wanted| wanted == name)
    }

    /// The type: what the plan says, else what the first endpoint that is known says.
    pub(super) fn find_type(&self, view: View<'_>) -> Option<Settled> {
        let (inputs, outputs) = (&self.plan.inputs, &self.plan.outputs);
        let writers = || self.all_writers(view).map(|(_, writer)| writer);
        let planned = inputs.iter().find_map(|input| input.keyed);
        let keyed = planned.or_else(|| {
            let readers = self.all_readers(view).map(|reader| reader.guid);
            let mut all = writers().map(|writer| writer.guid).chain(readers);
            all.find_map(|guid: Guid| is_keyed(&guid))
        })?;
        let any = {
            let inputs = inputs.iter().filter_map(|i| i.type_name.as_ref());
            let readers = self.all_readers(view).map(|reader| &reader.type_name);
            let outputs = outputs.iter().filter_map(|o| o.type_name.as_ref());
            let seen = writers().map(|writer| &writer.type_name).chain(readers);
            inputs.chain(seen).chain(outputs).next()?
        };
        let of_input = |(at, input): (usize, &plan::Input)| {
            let seen = self.writers(view, at).next().map(|w| &w.type_name);
            input.type_name.as_ref().or(seen).unwrap_or(any).clone()
        };
        let names: Vec<String> = inputs.iter().enumerate().map(of_input).collect();
        let first = names.first().unwrap_or(any).clone();
        let of_output = |o: &plan::Output| o.type_name.clone().unwrap_or_else(|| first.clone());
        Some(Settled {
            keyed,
            outputs_keyed: outputs.iter().map(|o| o.keyed.unwrap_or(keyed)).collect(),
            outputs: outputs.iter().map(of_output).collect(),
            inputs: names,
        })
    }

    /// What a source says of the type, if that is passed on.
    pub(super) fn told_type(&self, view: View<'_>) -> Option<EncodedTypeInformation> {
        let told = self
            .all_writers(view)
            .find_map(|(_, writer)| writer.type_information.clone());
        told.filter(|_| self.plan.settings.route_types)
    }
}

impl Settled {
    pub(super) fn name(&self, side: Side, index: usize) -> Option<&str> {
        let names = match side {
            Side::Input => &self.inputs,
            Side::Output => &self.outputs,
        };
        names.get(index).map(String::as_str)
    }

    /// The type of an input or output, of which a source says this.
    pub(super) fn of(
        &self,
        side: Side,
        index: usize,
        told: Option<&EncodedTypeInformation>,
    ) -> Option<TypeFacts> {
        let name = self.name(side, index)?;
        // What is told is about the type of that name.
        let is_same = || self.inputs.iter().any(|input| input == name);
        let passes = side == Side::Output && is_same();
        Some(TypeFacts {
            name: name.to_owned(),
            keyed: match side {
                Side::Input => self.keyed,
                Side::Output => self.outputs_keyed.get(index).copied().unwrap_or(self.keyed),
            },
            information: told.filter(|_| passes).cloned(),
        })
    }
}
