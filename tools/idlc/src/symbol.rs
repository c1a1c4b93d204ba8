//! Names and literals, each text kept once.

use std::collections::HashMap;
use std::sync::Arc;

/// A text that is kept once: equal texts are equal symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(u32);

macro_rules! keywords {
    ($($name:ident = $text:literal,)*) => {
        /// A word that IDL 4.2 keeps for itself (7.2.4).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the keywords are their names")]
        pub(crate) enum Keyword {
            $($name,)*
        }

        const KEYWORDS: &[(Keyword, &str)] = &[$((Keyword::$name, $text),)*];
    };
}

keywords! {
    Any = "any",
    Bitfield = "bitfield",
    Bitmask = "bitmask",
    Bitset = "bitset",
    Boolean = "boolean",
    Case = "case",
    Char = "char",
    Const = "const",
    Default = "default",
    Double = "double",
    Enum = "enum",
    Exception = "exception",
    False = "FALSE",
    Fixed = "fixed",
    Float = "float",
    Int16 = "int16",
    Int32 = "int32",
    Int64 = "int64",
    Int8 = "int8",
    Interface = "interface",
    Long = "long",
    Map = "map",
    Module = "module",
    Native = "native",
    Object = "Object",
    Octet = "octet",
    Sequence = "sequence",
    Short = "short",
    String = "string",
    Struct = "struct",
    Switch = "switch",
    True = "TRUE",
    Typedef = "typedef",
    Uint16 = "uint16",
    Uint32 = "uint32",
    Uint64 = "uint64",
    Uint8 = "uint8",
    Union = "union",
    Unsigned = "unsigned",
    ValueBase = "ValueBase",
    Valuetype = "valuetype",
    Void = "void",
    Wchar = "wchar",
    Wstring = "wstring",
    // Those of building blocks that DDS does not use; as names they are taken with a warning.
    Abstract = "abstract",
    Alias = "alias",
    Attribute = "attribute",
    Component = "component",
    Connector = "connector",
    Consumes = "consumes",
    Context = "context",
    Custom = "custom",
    Emits = "emits",
    Eventtype = "eventtype",
    Factory = "factory",
    Finder = "finder",
    Getraises = "getraises",
    Home = "home",
    Import = "import",
    In = "in",
    Inout = "inout",
    Local = "local",
    Manages = "manages",
    Mirrorport = "mirrorport",
    Multiple = "multiple",
    Oneway = "oneway",
    Out = "out",
    Port = "port",
    Porttype = "porttype",
    Primarykey = "primarykey",
    Private = "private",
    Provides = "provides",
    Public = "public",
    Publishes = "publishes",
    Raises = "raises",
    Readonly = "readonly",
    Setraises = "setraises",
    Supports = "supports",
    Truncatable = "truncatable",
    Typeid = "typeid",
    Typename = "typename",
    Typeprefix = "typeprefix",
    Uses = "uses",
}

impl Keyword {
    /// It belongs to a building block that DDS does not use.
    pub(crate) fn is_unused(self) -> bool {
        self as usize >= Self::Abstract as usize
    }

    /// Its spelling.
    pub(crate) fn text(self) -> &'static str {
        KEYWORDS.get(self as usize).map_or("", |entry| entry.1)
    }
}

impl Symbol {
    /// The empty text.
    pub(crate) const EMPTY: Self = Self(0);

    /// The keyword that it is.
    pub(crate) fn keyword(self) -> Option<Keyword> {
        let index = (self.0 as usize).checked_sub(1)?;
        KEYWORDS.get(index).map(|entry| entry.0)
    }
}

#[derive(Debug)]
struct Entry {
    text: Arc<str>,
    folded: Symbol,
}

/// All symbols of one run.
#[derive(Debug)]
pub(crate) struct Symbols {
    by_text: HashMap<Arc<str>, Symbol>,
    entries: Vec<Entry>,
    /// Keywords by their text in lower case.
    folded_keywords: HashMap<Symbol, Keyword>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self {
            by_text: HashMap::new(),
            entries: Vec::new(),
            folded_keywords: HashMap::new(),
        };
        symbols.insert("", Some(Symbol::EMPTY));
        // Keywords come first, in their order; texts in lower case after all of them.
        for (_, text) in KEYWORDS {
            symbols.insert(text, Some(Symbol::EMPTY));
        }
        for (index, (keyword, text)) in KEYWORDS.iter().enumerate() {
            let folded = symbols.intern(&text.to_ascii_lowercase());
            if let Some(entry) = symbols.entries.get_mut(index + 1) {
                entry.folded = folded;
            }
            symbols.folded_keywords.insert(folded, *keyword);
        }
        symbols
    }
}

impl Symbols {
    /// The symbol of a text.
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        match self.by_text.get(text) {
            Some(symbol) => *symbol,
            None if text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                let folded = self.intern(&text.to_ascii_lowercase());
                self.insert(text, Some(folded))
            }
            None => self.insert(text, None),
        }
    }

    fn insert(&mut self, text: &str, folded: Option<Symbol>) -> Symbol {
        let symbol = Symbol(self.entries.len() as u32);
        let text: Arc<str> = text.into();
        self.entries.push(Entry {
            text: text.clone(),
            folded: folded.unwrap_or(symbol),
        });
        self.by_text.insert(text, symbol);
        symbol
    }

    /// The text of a symbol.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        self.entries
            .get(symbol.0 as usize)
            .map_or("", |entry| &entry.text)
    }

    /// The text of a symbol, shared.
    pub(crate) fn shared(&self, symbol: Symbol) -> Arc<str> {
        let entry = self.entries.get(symbol.0 as usize);
        entry.map_or_else(|| "".into(), |entry| entry.text.clone())
    }

    /// The symbol of the text in lower case.
    pub(crate) fn folded(&self, symbol: Symbol) -> Symbol {
        let entry = self.entries.get(symbol.0 as usize);
        entry.map_or(symbol, |entry| entry.folded)
    }

    /// The keyword from which a text differs by case alone.
    pub(crate) fn near_keyword(&self, symbol: Symbol) -> Option<Keyword> {
        self.folded_keywords.get(&self.folded(symbol)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_known_by_their_exact_case() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.intern("struct").keyword(), Some(Keyword::Struct));
        assert_eq!(symbols.intern("TRUE").keyword(), Some(Keyword::True));
        assert_eq!(symbols.intern("uses").keyword(), Some(Keyword::Uses));
        let map = symbols.intern("Map");
        assert_eq!(map.keyword(), None);
        assert_eq!(symbols.near_keyword(map), Some(Keyword::Map));
        let object = symbols.intern("object");
        assert_eq!(object.keyword(), None);
        assert_eq!(symbols.near_keyword(object), Some(Keyword::Object));
        assert_eq!(symbols.text(map), "Map");
        assert_eq!(Keyword::Uses.text(), "uses");
    }
}
