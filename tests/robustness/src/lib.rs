//! What the robustness tests share: network namespaces that vanish by themselves, and processes
//! that talk in lines.
#![forbid(unsafe_code)]

mod control;
mod host;
mod machine;
mod network;
mod patience;
mod process;
mod threads;

pub use control::{Control, Figures};
pub use host::Host;
pub use machine::{Idle, measure, percentile};
pub use network::{Lan, Place, in_namespace};
pub use patience::Patience;
pub use process::{Answer, Holdings, Process};
pub use threads::{Stretch, Threads};
