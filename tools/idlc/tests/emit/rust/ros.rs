// Made by dunlin idl 0.1.0 from ros.idl. Do not edit: change the IDL.
// IDL and options: 7360ffd712a96819e30c8341c0853182

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
#[topic(extensibility = "final", default)]
pub struct Included {
    pub a: i32,
}

#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]
pub mod sensor {
    pub mod msg {
        pub type double__9 = [f64; 9];

        pub mod Imu_Constants {
            pub const KIND: u8 = 3;

            pub const FRAME: &str = "base";
        }

        pub mod dds_ {
            /// An inertial measurement unit.
            /// It drifts.
            #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
            #[topic(name = "sensor::msg::dds_::Imu_", extensibility = "final", default)]
            pub struct Imu_ {
                #[topic(alias = "sensor::msg::double__9")]
                pub covariance: super::double__9,
                #[topic(default = "imu")]
                pub name: String,
                #[topic(unit = "rad/s")]
                pub rate: f64,
            }

            #[derive(Clone, Debug, PartialEq, ::dunlin::Topic)]
            #[topic(name = "sensor::msg::dds_::Many_", extensibility = "final", default)]
            pub struct Many_ {
                #[topic(bound = 4)]
                pub all: Vec<Imu_>,
            }
        }
    }
}
