// Made by dunlin idl 0.1.0 from comment_annotations.idl. Do not edit: change the IDL.
// IDL and options: 24c8d774e5e6cd17fab1edc283a6e9b6

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub const NUMBER: i32 = 3;

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Late {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct NotYet {
    #[key]
    pub a: i32,
    pub c: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod R {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "R::Position", extensibility = "mutable", nested, default)]
    pub struct Position {
        #[key]
        pub id: i32,
        #[topic(bound = 20)]
        pub name: Option<String>,
        #[topic(id = 7)]
        pub speed: i32,
        #[topic(id = 12, must_understand)]
        pub height: i32,
        pub path: Vec<i32>,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "R::Plain", extensibility = "final", default)]
    pub struct Plain {
        pub a: i32,
    }
}
