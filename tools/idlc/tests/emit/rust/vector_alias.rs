// Made by dunlin idl 0.1.0 from vector_alias.idl. Do not edit: change the IDL.
// IDL and options: 3682248a4dae89db27aa171f68c1ee22

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod Golden {
    pub type Alias = Vec<i32>;

    #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
    #[topic(name = "Golden::Aliased", extensibility = "final", default)]
    pub struct Aliased {
        #[topic(alias = "Golden::Alias", bound = 10)]
        pub numbers: Alias,
    }
}
