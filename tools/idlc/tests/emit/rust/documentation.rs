// Made by dunlin idl 0.1.0 from documentation.idl. Do not edit: change the IDL.
// IDL and options: fa2a316af1994c968c0afb1969cdef9d

/// A module.
#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod D {
    /// The length.
    pub const LENGTH: i32 = 3;

    /// A point
    ///   in the plane.
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "D::Point", extensibility = "final", default)]
    pub struct Point {
        /// To the right.
        pub x: f64,
        /// Up.
        pub y: f64,
        /// And its name,
        /// too.
        pub name: String,
    }

    /// Colors.
    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
    #[topic(name = "D::Color", extensibility = "appendable", default)]
    pub enum Color {
        /// like blood
        RED = 0,
        /// like grass
        GREEN = 1,
    }

    #[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
    #[topic(name = "D::U", extensibility = "final", default, discriminator = "i32")]
    pub enum U {
        /// The first.
        #[topic(case = 1)]
        a(i32),
        /// the second
        #[topic(case = 2)]
        b(i32),
        /// The discriminator selects no member.
        #[topic(other)]
        Other(i32),
    }
}
