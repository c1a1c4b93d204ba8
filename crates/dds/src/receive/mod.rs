//! How datagrams come in: the receive role, the work it does, the endpoints that it is for, loans,
//! and callbacks that wait until no lock is held.
pub(crate) mod counters;
pub(crate) mod deferred;
pub(crate) mod liveliness;
pub(crate) mod loan_table;
pub(crate) mod loaned;
pub(crate) mod participant;
pub(crate) mod reassembly_budget;
pub(crate) mod role;
pub(crate) mod routes;
pub(crate) mod worker;
