// Made by dunlin idl 0.1.0 from vector_two_types.idl. Do not edit: change the IDL.
// IDL and options: 5866ada5b7aebb925ca74ac0a6ae1131

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct Tree {
    pub value: i32,
    pub leaves: Vec<Leaf>,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct Leaf {
    pub name: String,
    pub tree: Option<Tree>,
    #[topic(external)]
    pub next: Option<Box<Leaf>>,
}
