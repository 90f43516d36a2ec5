//! For operators: the people who run the service and belong to no client (ADR 0068). [`keys`] are their keys, and
//! [`status`] is the report about the whole service.

pub mod keys;
pub mod status;
