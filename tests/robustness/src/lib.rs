//! What the robustness tests share: network namespaces that vanish by themselves, and processes that talk in lines.
#![forbid(unsafe_code)]

mod network;
mod process;
mod threads;

pub use network::{Lan, Place, in_namespace};
pub use process::{Answer, Process};
pub use threads::{Stretch, Threads};
