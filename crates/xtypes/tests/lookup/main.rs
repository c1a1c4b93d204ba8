//! What participants ask each other for, and what they keep of the answers.
mod messages;
mod store;

use dunlin_cdr::Extensibility::Appendable;
use dunlin_xtypes::{LocalType, TypeIndex, TypeTreeBuilder};

/// A type that refers to another one, and that to itself.
pub(crate) fn shape(name: &str) -> LocalType {
    let mut types = TypeTreeBuilder::new();
    let point = types
        .structure(&format!("{name}::Point"), Appendable)
        .member("x", TypeIndex::INT32)
        .finish();
    let node = types.declare(&format!("{name}::Node"));
    let nodes = types.sequence(node, 0);
    types
        .define_structure(node, Appendable)
        .member("at", point)
        .member("next", nodes)
        .finish();
    let shape = types
        .structure(name, Appendable)
        .member("root", node)
        .member("origin", point)
        .finish();
    LocalType::new(&types.build(shape).unwrap()).unwrap()
}
