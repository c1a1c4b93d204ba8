// Made by dunlin idl 0.1.0 from vector_recursive.idl. Do not edit: change the IDL.
// IDL and options: 2c8cfacb0ba409fdb821ec10247c9038

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct Node {
    pub value: i32,
    pub children: Vec<Node>,
}
