//! `<plugin_library>`: names of one's own for what is compiled in.
use super::Reader;
use crate::adapter;
use crate::config::plugins::processors;
use crate::plan::Plugin;
use crate::transformation;
use dunlin_document::{Element, Problem, Value, did_you_mean, quoted};
use std::collections::BTreeMap;

/// A plug-in that a library defines.
#[derive(Clone, Debug)]
pub(in super::super) struct Defined {
    kind: Kind,
    plugin: Plugin,
}

/// What a plug-in is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Processor,
    Transformation,
    Adapter,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Transformation => "transformation",
            Self::Adapter => "adapter",
        }
    }

    fn built_in(self) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match self {
            Self::Processor => owned(&processors()),
            Self::Transformation => transformation::names(),
            Self::Adapter => adapter::names(),
        }
    }

    fn has(self, name: &str) -> bool {
        self.built_in().iter().any(|known| known == name)
    }

    /// What is built in, in words.
    fn list(self) -> String {
        match self.built_in().as_slice() {
            [] => "none is built in".to_owned(),
            names => format!("built in are {}", names.join(", ")),
        }
    }
}

impl Reader<'_> {
    /// Reads all libraries.
    pub(super) fn plugin_libraries(&mut self) {
        for document in self.documents {
            let all = document.root().children();
            for library in all.filter(|element| element.name() == "plugin_library") {
                let name = library.attribute("name").map_or("", |name| name.text);
                for element in library.children() {
                    self.plugin_definition(name, element);
                }
            }
        }
    }

    fn plugin_definition(&mut self, library: &str, element: Element<'_>) {
        let kind = match element.name() {
            "processor_plugin" => Kind::Processor,
            "transformation_plugin" => Kind::Transformation,
            "adapter_plugin" => Kind::Adapter,
            _ => return,
        };
        let Some(name) = element.attribute("name") else {
            let message = format!("{} has no name", element.name());
            return self.error(element.span(), message);
        };
        let Some(class) = self.class(element, kind) else {
            return;
        };
        let properties = self.properties(element);
        let defined = Defined {
            kind,
            plugin: Plugin { class, properties },
        };
        self.plugins
            .insert(format!("{library}::{}", name.text), defined);
    }

    /// What is compiled in that a plug-in stands for.
    fn class(&mut self, element: Element<'_>, kind: Kind) -> Option<String> {
        let function = self.text(element, "create_function");
        if let Some(dll) = element.child("dll") {
            let known = function.filter(|function| kind.has(function.text));
            let Some(known) = known else {
                let message = "dynamic plug-ins are not loaded";
                let problem = Problem::error(dll.span(), message);
                self.problems.push(problem.help(kind.list()));
                return None;
            };
            let message = format!("dll is ignored: {} is built in", quoted(known.text));
            self.problems.push(Problem::warning(dll.span(), message));
            return Some(known.text.to_owned());
        }
        let Some(class) = self.text(element, "class").or(function) else {
            let message = format!("{} has no class", element.name());
            let problem = Problem::error(element.span(), message);
            self.problems.push(problem.help(kind.list()));
            return None;
        };
        self.built_in(class, kind).then(|| class.text.to_owned())
    }

    fn built_in(&mut self, class: Value<'_>, kind: Kind) -> bool {
        let known = kind.built_in();
        if kind.has(class.text) {
            return true;
        }
        let help = did_you_mean(class.text, known.iter().map(String::as_str));
        let help = help.unwrap_or_else(|| kind.list());
        let message = format!("there is no {} {}", kind.name(), quoted(class.text));
        self.undefined(class, message, Some(help));
        false
    }

    /// The plug-in that an element names: `Library::Name`, or what is compiled in.
    pub(super) fn plugin(&mut self, element: Element<'_>, kind: Kind) -> Option<Plugin> {
        let named = element.attribute("plugin_name");
        let Some(named) = named.or_else(|| element.attribute("class_name")) else {
            let message = format!("{} has no plugin_name", element.name());
            self.error(element.span(), message);
            return None;
        };
        let own = self.properties(element);
        let defined = self.plugins.get(named.text);
        if let Some(defined) = defined.filter(|defined| defined.kind == kind) {
            let mut plugin = defined.plugin.clone();
            plugin.properties.extend(own);
            return Some(plugin);
        }
        if kind.has(named.text) {
            return Some(Plugin {
                class: named.text.to_owned(),
                properties: own,
            });
        }
        let names = self.plugins.keys().map(String::as_str);
        let built_in = kind.built_in();
        let names = names.chain(built_in.iter().map(String::as_str));
        let help = did_you_mean(named.text, names).unwrap_or_else(|| kind.list());
        let message = format!("there is no {} {}", kind.name(), quoted(named.text));
        self.undefined(named, message, Some(help));
        None
    }

    /// Names and values of `<property>`, `<parameter>` included.
    pub(super) fn properties(&mut self, element: Element<'_>) -> BTreeMap<String, String> {
        let mut properties = BTreeMap::new();
        let all = element.children();
        let lists = all.filter(|child| matches!(child.name(), "property" | "parameter"));
        let values = lists.flat_map(|list| list.children());
        for pair in values.flat_map(|value| value.children()) {
            if let Some(name) = self.text(pair, "name") {
                let value = pair.child("value").and_then(|value| value.text());
                let value = value.map_or("", |value| value.text);
                properties.insert(name.text.to_owned(), value.to_owned());
            }
        }
        properties
    }
}
