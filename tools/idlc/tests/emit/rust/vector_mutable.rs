// Made by dunlin idl 0.1.0 from vector_mutable.idl. Do not edit: change the IDL.
// IDL and options: 2d205606e4658d0af1789936c9397024

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Mut", extensibility = "mutable", autoid = "hash", default)]
    pub struct Mut {
        #[key]
        #[topic(bound = 300)]
        pub color: String,
        pub x: i32,
        pub angle: Option<f32>,
    }
}
