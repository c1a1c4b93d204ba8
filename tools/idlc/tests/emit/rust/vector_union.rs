// Made by dunlin idl 0.1.0 from vector_union.idl. Do not edit: change the IDL.
// IDL and options: 8e391e620832e01a53d61eb9c056ec36

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "Golden::Value", extensibility = "appendable", default, discriminator = "i32")]
    pub enum Value {
        #[topic(case = 1)]
        a(i32),
        #[topic(case = 2)]
        b(String),
        #[topic(default)]
        d(i32, f64),
    }
}
