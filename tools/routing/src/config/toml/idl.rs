//! `idl_files`: types.
use super::Reader;
use super::table::Table;
use crate::config::idl::{mistake, place};
use crate::types::Types;
use dunlin::xtypes::TypeKind;
use dunlin_document::Problem;
use dunlin_idlc::{Options, parse_file};
use std::path::Path;

impl Reader<'_> {
    /// The structures and unions of IDL files, by their names.
    pub(super) fn idl_files(&mut self, table: &Table<'_>) -> Types {
        let mut types = Types::default();
        let Some(item) = table.get("idl_files") else {
            return types;
        };
        let expected = "files such as [\"shapes.idl\"]";
        let texts = item.texts(expected, self.problems).unwrap_or_default();
        for (file, span) in texts {
            self.places.read(file);
            let parsed = parse_file(Path::new(file), &Options::default());
            let Some(model) = &parsed.model else {
                let message = mistake(&parsed);
                let message = match place(&parsed) {
                    Some(place) => format!("{place}: {message}"),
                    None => message,
                };
                let help = format!("dunlin idl check {file} shows all");
                self.problems.push(Problem::error(span, message).help(help));
                continue;
            };
            for ty in model.tree.types() {
                if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
                    let name = ty.name().to_owned();
                    types.add(&name, ty, file);
                }
            }
        }
        types
    }
}
