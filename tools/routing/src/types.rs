//! The types of routes: those that files define, and those that other participants tell.
use crate::plan::{EndpointQos, Output, Route};
use dunlin::cdr::Xcdr;
use dunlin::xtypes::DynamicType;
use dunlin::{DataRepresentation, Guid};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Types that files define, by the names under which participants register them.
#[derive(Clone, Debug, Default)]
pub struct Types {
    by_name: BTreeMap<String, (DynamicType, String)>,
}

/// Equal names, files and types.
impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        let all = self.by_name.iter().zip(&other.by_name);
        self.by_name.len() == other.by_name.len()
            && all.into_iter().all(|((name, own), (other_name, other))| {
                let same_type = own.0.index() == other.0.index() && own.0.tree() == other.0.tree();
                name == other_name && own.1 == other.1 && same_type
            })
    }
}

impl Types {
    /// Adds a type of a file; the first of a name stays.
    pub fn add(&mut self, name: &str, ty: DynamicType, file: &str) {
        let entry = self.by_name.entry(name.to_owned());
        entry.or_insert_with(|| (ty, file.to_owned()));
    }

    /// Registers a type of a file by another name, too.
    pub fn register(&mut self, name: &str, ty: &str) {
        if let Some((ty, file)) = self.by_name.get(ty).cloned() {
            self.add(name, ty, &file);
        }
    }

    /// The type that is registered by this name, and the file that says so.
    pub fn get(&self, name: &str) -> Option<RouteType> {
        let (ty, file) = self.by_name.get(name)?;
        Some(RouteType {
            ty: ty.clone(),
            source: TypeSource::File(file.clone()),
        })
    }

    /// The files that define them, each once.
    pub fn files(&self) -> BTreeSet<&str> {
        self.by_name.values().map(|(_, file)| &**file).collect()
    }

    /// All names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

/// What the type of a route is, and whose word that is.
#[derive(Clone, Debug)]
pub struct RouteType {
    /// The type.
    pub ty: DynamicType,
    /// Whose word it is.
    pub source: TypeSource,
}

/// Whose word it is what a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeSource {
    /// That of a file.
    File(String),
    /// That of a source writer, which was asked (DDS-XTypes 1.3 7.6.3.3).
    Writer(Guid),
}

impl fmt::Display for TypeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name) => write!(f, "from {name}"),
            Self::Writer(guid) => write!(f, "told by writer {guid}"),
        }
    }
}

/// What a route knows of its type.
#[derive(Clone, Debug)]
pub(crate) enum Knowledge {
    /// What it is.
    Known(RouteType),
    /// Nobody can tell; why, in words.
    Unknown(String),
}

/// What a route wants its type for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Nothing: samples pass as bytes.
    Nothing,
    /// It can do without: writers judge its filter.
    Likes,
    /// Nothing passes without it, for this.
    Needs(&'static str),
}

/// What a route wants its type for.
pub(crate) fn wish(route: &Route) -> Wish {
    let processor = route.settings.processor.as_ref();
    if processor.is_some_and(|plugin| plugin.class == "filter") {
        return Wish::Needs("the filter");
    }
    if route.outputs.iter().any(|o| o.transformation.is_some()) {
        return Wish::Needs("the transformation");
    }
    if route.outputs.iter().any(|o| converts(route, o).is_some()) {
        return Wish::Needs("the other representation");
    }
    match route.inputs.iter().any(|input| input.filter.is_some()) {
        true => Wish::Likes,
        false => Wish::Nothing,
    }
}

/// What an output converts samples to: what its configuration asks for, else what its writer offers
/// if an input asks for something else.
pub(crate) fn converts(route: &Route, output: &Output) -> Option<Xcdr> {
    let wanted = match (&output.qos, output.representation) {
        (_, Some(wanted)) => wanted,
        (EndpointQos::AsSource, None) => return None,
        (EndpointQos::Explicit(qos), None) => {
            let offered = qos.representation;
            let differs = route.inputs.iter().any(|input| match &input.qos {
                EndpointQos::AsSource => false,
                EndpointQos::Explicit(qos) => {
                    !qos.representation.is_empty() && !qos.representation.contains(&offered)
                }
            });
            differs.then_some(offered)?
        }
    };
    match wanted {
        DataRepresentation::Xcdr1 => Some(Xcdr::V1),
        DataRepresentation::Xcdr2 => Some(Xcdr::V2),
        DataRepresentation::Xml => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Input, load};

    /// The route of a service whose one route has these lines.
    fn route(lines: &str) -> Route {
        let text = format!(
            "[participants.a]\ndomain = 0\n[participants.b]\ndomain = 1\n[[routes]]\n\
             from = \"a\"\nto = \"b\"\ntopics = [\"*\"]\n{lines}"
        );
        let name = "t.toml".to_owned();
        let read = load(&[Input::Text { name, text }], &Default::default());
        let plan = read.plan.as_ref();
        let plan = plan.unwrap_or_else(|| panic!("{}", read.report()));
        let auto = &plan.domain_routes[0].sessions[0].auto_routes[0];
        Route {
            name: auto.name.clone(),
            enabled: true,
            settings: auto.settings.clone(),
            inputs: vec![auto.input.clone()],
            outputs: auto.outputs.clone(),
        }
    }

    #[test]
    fn routes_want_their_type_for_what_needs_it_only() {
        let both = |reader: &str, writer: &str| {
            let reader = format!("qos.reader.representation = \"{reader}\"");
            format!("{reader}\nqos.writer.representation = \"{writer}\"")
        };
        for (lines, wanted, xcdr) in [
            ("max_rate = \"1/s per instance\"", Wish::Nothing, None),
            ("filter = \"x > 5\"", Wish::Likes, None),
            (
                "representation = \"xcdr2\"",
                Wish::Needs("the other representation"),
                Some(Xcdr::V2),
            ),
            (
                &both("xcdr2", "xcdr1"),
                Wish::Needs("the other representation"),
                Some(Xcdr::V1),
            ),
            (&both("xcdr2", "xcdr2"), Wish::Nothing, None),
            (
                "processor = { class = \"filter\", properties = { expression = \"x > 5\" } }",
                Wish::Needs("the filter"),
                None,
            ),
        ] {
            let route = route(lines);
            assert_eq!(wish(&route), wanted, "{lines}");
            assert_eq!(converts(&route, &route.outputs[0]), xcdr, "{lines}");
        }
    }
}
