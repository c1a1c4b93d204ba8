// Made by dunlin idl 0.1.0 from modules.idl. Do not edit: change the IDL.
// IDL and options: a8c3e34ce8b7c7b32f961a7def51302b

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod A {
    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "A::Outer", extensibility = "final", default)]
    pub struct Outer {
        pub one: self::B::Inner,
        pub two: self::B::Inner,
    }

    pub mod B {
        pub const LENGTH: i32 = 3;

        #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
        #[topic(name = "A::B::Inner", extensibility = "final", default)]
        pub struct Inner {
            pub v: [i32; 3],
        }

        pub type Again = Inner;

        #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
        #[topic(name = "A::B::More", extensibility = "appendable", default)]
        pub struct More {
            #[topic(alias = "A::B::Again")]
            pub a: Again,
            pub o: super::Outer,
            pub l: [i32; 3],
        }
    }
}
