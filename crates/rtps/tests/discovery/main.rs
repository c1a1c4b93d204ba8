//! Whole participants find each other in virtual time.
mod bounds;
mod callers;
mod crowd;
mod duties;
mod inquiries;
mod introductions;
mod liveliness;
mod matching;
mod moves;
mod network;
mod participants;
mod proof;
mod room;
mod sources;
mod types;
mod unmatched;
mod vendors;
