// Made by dunlin idl 0.1.0 from recursion.idl. Do not edit: change the IDL.
// IDL and options: 62b2444a9eb69ce1b48b93cb55723f5a

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(name = "Self", extensibility = "final", default)]
pub struct Self_ {
    pub selves: Vec<Self_>,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Tree {
    pub type Nodes = Vec<Node>;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Tree::Pair", extensibility = "final", default)]
    pub struct Pair {
        #[topic(external)]
        pub left: Box<Node>,
        pub right: Option<Box<Leaf>>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Tree::Node", extensibility = "appendable", default)]
    pub struct Node {
        pub value: i32,
        #[topic(alias = "Tree::Nodes")]
        pub children: Nodes,
        pub named: ::std::collections::BTreeMap<String, Node>,
        pub next: Option<Box<Node>>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Tree::Leaf", extensibility = "appendable", default, discriminator = "i32")]
    pub enum Leaf {
        #[topic(case = 0, external)]
        leaf(Box<Leaf>),
        #[topic(default, alias = "Tree::Nodes")]
        nodes(i32, Nodes),
    }
}
