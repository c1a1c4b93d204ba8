//! What `dunlin.h` declares.
use std::path::Path;

/// A function of the header.
pub(crate) struct Function {
    pub(crate) returns: String,
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// One of its parameters; a pointer's type ends with `*`.
pub(crate) struct Parameter {
    pub(crate) ty: String,
    pub(crate) name: String,
}

/// All of them, in their order.
pub(crate) fn functions() -> Vec<Function> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/dunlin/dunlin.h");
    let text = std::fs::read_to_string(path).unwrap();
    let begins = ["int32_t dunlin_", "uint32_t dunlin_", "const char *dunlin_"];
    let mut found = Vec::new();
    for (at, _) in text.match_indices('\n') {
        let rest = &text[at + 1..];
        if begins.iter().any(|begin| rest.starts_with(begin)) {
            let end = rest.find(';').unwrap();
            found.push(function(&rest[..end]));
        }
    }
    found
}

fn function(text: &str) -> Function {
    let (head, parameters) = text.split_once('(').unwrap();
    let at = head.find("dunlin_").unwrap();
    let parameters = parameters.trim_end_matches(')').split(',');
    Function {
        returns: head[..at].trim().into(),
        name: head[at..].into(),
        parameters: parameters.filter_map(parameter).collect(),
    }
}

fn parameter(text: &str) -> Option<Parameter> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = words.rfind([' ', '*'])? + 1;
    Some(Parameter {
        ty: words[..at].trim().into(),
        name: words[at..].into(),
    })
}
