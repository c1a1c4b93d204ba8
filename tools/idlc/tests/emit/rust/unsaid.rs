// Made by dunlin idl 0.1.0 from unsaid.idl. Do not edit: change the IDL.
// IDL and options: 95fc5cc0c73da49be0f529f17678f2ae

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct A {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]
#[topic(extensibility = "appendable", default, discriminator = "i32")]
pub enum B {
    #[topic(case = 1)]
    a(i32),
    /// The discriminator selects no member.
    #[topic(other)]
    Other(i32),
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]
#[topic(extensibility = "appendable", default)]
pub enum C {
    C0 = 0,
}
