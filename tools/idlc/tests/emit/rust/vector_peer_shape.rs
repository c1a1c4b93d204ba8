// Made by dunlin idl 0.1.0 from vector_peer_shape.idl. Do not edit: change the IDL.
// IDL and options: 5d80dd0476f38cf1197bccd199f4ef4b

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "golden::Shape", extensibility = "final", default)]
    pub struct Shape {
        #[key]
        #[topic(bound = 128)]
        pub color: String,
        pub x: i32,
        pub y: i32,
        pub shapesize: i32,
        pub payload: ::dunlin::cdr::Bytes,
    }
}
