//! QoS profiles: the XML that RTI Connext and OMG's DDS-XML have, read into the QoS structs of
//! Dunlin.
//!
//! ```
//! use dunlin_profiles::Loader;
//!
//! let text = r#"
//! <dds>
//!   <qos_library name="Fleet">
//!     <qos_profile name="Camera" base_name="BuiltinQosLib::Generic.StrictReliable">
//!       <datawriter_qos topic_filter="Raw*">
//!         <lifespan><duration><sec>2</sec></duration></lifespan>
//!       </datawriter_qos>
//!     </qos_profile>
//!   </qos_library>
//! </dds>"#;
//! let profiles = Loader::new().text("fleet.xml", text).load()?;
//! let qos = profiles.writer("Fleet::Camera", "RawImages")?;
//! assert_eq!(qos.history, dunlin::History::KeepAll);
//! assert_eq!(qos.lifespan, dunlin::Duration::from_secs(2));
//! # Ok::<(), dunlin_profiles::ProfileError>(())
//! ```
//!
//! Nothing is read unless a program asks: the product itself knows no files. [`Loader`] says which
//! files there are, [`Profiles`] has what they say. What is not understood is an error with its
//! line; what has no counterpart and changes no data is noted ([`ProfileSet::notes`]). The table of
//! all elements is [`ELEMENTS`].
//!
//! Programs that have QoS within documents of their own, such as a routing service, read them with
//! [`ProfileSet::load`] and [`ProfileSet::inline`], and report into their own problems.

#![forbid(unsafe_code)]

mod build;
mod describe;
mod elements;
mod entity;
mod library;
mod lint;
mod load;
mod names;
mod read;
mod schema;
mod settings;
mod value;

pub use describe::PolicyLine;
pub use elements::{Class, ELEMENTS, ElementInfo, Kind};
pub use entity::Entity;
pub use library::{ProfileInfo, ProfileSet, limits};
pub use load::{
    BUILTIN, Listed, Loader, ProfileError, Profiles, configuration_variables, default_files,
};
pub use read::Note;
pub use settings::{Setting, Settings, Value};
