// Made by dunlin idl 0.1.0 from vector_shape_type.idl. Do not edit: change the IDL.
// IDL and options: bc0e0802a6b54b6cb5ae8c8957dceb2d

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct ShapeType {
    #[key]
    #[topic(bound = 128)]
    pub color: String,
    pub x: i32,
    pub y: i32,
    pub shapesize: i32,
}
