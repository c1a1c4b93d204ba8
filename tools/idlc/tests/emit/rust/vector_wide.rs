// Made by dunlin idl 0.1.0 from vector_wide.idl. Do not edit: change the IDL.
// IDL and options: f60b96953efd6214337bf8e839dffd19

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "appendable", default)]
pub struct Wide {
    #[key]
    pub unit: ::dunlin::cdr::Char16,
    #[key]
    #[topic(bound = 5)]
    pub name: ::dunlin::cdr::String16,
    pub rest: ::dunlin::cdr::String16,
    pub precise: ::dunlin::cdr::Float128,
    #[topic(external)]
    pub far: Box<::dunlin::cdr::Float128>,
    pub letters: [::dunlin::cdr::Char8; 3],
    pub names: Vec<::dunlin::cdr::String16>,
    pub tiny: i8,
    pub small: u8,
}
