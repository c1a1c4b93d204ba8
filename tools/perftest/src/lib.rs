//! perftest
