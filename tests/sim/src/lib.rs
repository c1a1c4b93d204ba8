//! Nothing but tests; see `tests/sim`.
