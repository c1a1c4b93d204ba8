//! Files that people write: XML with limits, positions in all files of one load, problems that are
//! shown with their line, and variables.
//!
//! ```
//! use dunlin_document::{Document, Limits, Problem, Problems, Sources, did_you_mean};
//!
//! let mut sources = Sources::default();
//! let mut problems = Problems::new(20);
//! let text = "<dds>\n  <reliabilty/>\n</dds>";
//! let limits = Limits::default();
//! let document = Document::parse(&mut sources, "fleet.xml", text, &limits, &mut problems);
//! for element in document.expect("well-formed").root().children() {
//!     let known = ["reliability", "durability"];
//!     let problem = Problem::error(element.span(), format!("unknown element {:?}", element.name()));
//!     problems.push(problem.help(did_you_mean(element.name(), known)));
//! }
//! assert_eq!(problems.render(&sources), "\
//! fleet.xml:2:4: error: unknown element \"reliabilty\"
//!     2 |   <reliabilty/>
//!       |    ^~~~~~~~~~ did you mean \"reliability\"?
//! ");
//! ```
//!
//! Nothing in a file is trusted. [`Limits`] bound memory and time before anything is built, there
//! is no DTD, no entity besides the five of XML, and nothing else is fetched.
//!
//! [`Sources`], [`Span`] and [`Problems`] know nothing of XML: readers of other formats, such as
//! TOML, add their text with [`Sources::add`] and report with the same words.

#![forbid(unsafe_code)]

mod nearest;
mod problem;
mod render;
mod scan;
mod source;
mod tree;
mod variables;

pub use nearest::{did_you_mean, nearest};
pub use problem::{Problem, Problems, Severity, quoted};
pub use source::{Limits, Location, SourceId, Sources, Span};
pub use tree::{Attribute, Document, Element, Value};
pub use variables::Variables;
