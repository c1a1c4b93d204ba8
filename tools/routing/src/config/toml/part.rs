//! A route by itself: what is added to a service that runs, or changed in one of its routes.
use super::route::ROUTE;
use super::{Reader, Table};
use crate::config::places::Places;
use crate::plan::{AutoRoute, Connection};
use ::toml::de::DeTable;
use dunlin::{DataReaderQos, DataWriterQos};
use dunlin_document::{Problem, Problems, SourceId, Span, Variables};

/// What policies are laid over where no profile is named.
#[derive(Clone, Debug, Default)]
pub(in crate::config) struct Base {
    pub(in crate::config) reader: Option<DataReaderQos>,
    pub(in crate::config) writer: Option<DataWriterQos>,
}

/// A text with keys of a route, and what it is read with.
#[derive(Clone, Copy)]
pub(in crate::config) struct Part<'p> {
    pub(in crate::config) source: SourceId,
    pub(in crate::config) text: &'p str,
    pub(in crate::config) connections: &'p [Connection],
    pub(in crate::config) variables: &'p Variables,
}

/// Keys that say which route it is, and what it joins.
const FIXED: [&str; 3] = ["name", "from", "to"];

impl Part<'_> {
    /// A whole route; several if it comes from several participants.
    pub(in crate::config) fn whole(&self, name: &str, problems: &mut Problems) -> Vec<AutoRoute> {
        let read = self.read(Base::default(), problems, |reader, table| {
            let name = reader.name(table, "name").unwrap_or(name).to_owned();
            reader.route(table, &name, self.connections)
        });
        read.unwrap_or_default()
    }

    /// What the keys say that are there, and which those are; all else is as where nothing is
    /// written.
    pub(in crate::config) fn changes(
        &self,
        base: Base,
        problems: &mut Problems,
    ) -> Option<(Vec<String>, AutoRoute)> {
        self.read(base, problems, |reader, table| {
            for item in table.items.iter().filter(|item| FIXED.contains(&item.key)) {
                let message = format!("{} cannot be changed", item.key);
                let help = "remove the route and add another one".to_owned();
                let problem = Problem::error(item.key_span, message).help(help);
                reader.problems.push(problem);
            }
            table.allow(&ROUTE, reader.problems);
            reader.is_partial = true;
            let route = reader.template(table, "", &[(0, table.span)], self.connections);
            let mut keys = Vec::new();
            for item in &table.items {
                match item.key {
                    // What is said of readers says nothing of writers.
                    "qos" => {
                        let ends = item.table(reader.problems).map(|table| table.items);
                        let ends = ends.unwrap_or_default().into_iter();
                        keys.extend(ends.map(|end| format!("qos.{}", end.key)));
                    }
                    key => keys.push(key.to_owned()),
                }
            }
            (keys, route)
        })
    }

    fn read<T>(
        &self,
        base: Base,
        problems: &mut Problems,
        with: impl FnOnce(&mut Reader<'_>, &Table<'_>) -> T,
    ) -> Option<T> {
        let table = match DeTable::parse(self.text) {
            Ok(table) => table,
            Err(error) => {
                let span = error.span().map(|range| Span::new(self.source, range));
                problems.push(Problem::error(span, error.message()));
                return None;
            }
        };
        let range = 0..self.text.find('\n').unwrap_or(self.text.len());
        let table = Table::new(self.source, "the route", table.get_ref(), range);
        let mut reader = Reader {
            places: &mut Places::default(),
            problems,
            variables: self.variables,
            qos_files: Vec::new(),
            profiles: None,
            base,
            is_partial: false,
        };
        let read = with(&mut reader, &table);
        (!problems.has_errors()).then_some(read)
    }
}
