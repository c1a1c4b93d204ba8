// Made by dunlin idl 0.1.0 from vector_point.idl. Do not edit: change the IDL.
// IDL and options: 38434092a8c66b130e54efdee6320f8a

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Point", extensibility = "appendable", default)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }
}
