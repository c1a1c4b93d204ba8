// Made by dunlin idl 0.1.0 from vector_color.idl. Do not edit: change the IDL.
// IDL and options: a7f3ad5937fea9f774ede0209ceb976d

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "Golden::Color", extensibility = "final", default)]
    pub enum Color {
        RED = 0,
        GREEN = 1,
        BLUE = 2,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Colored", extensibility = "final", default)]
    pub struct Colored {
        #[key]
        pub color: Color,
        pub others: [Color; 2],
    }
}
