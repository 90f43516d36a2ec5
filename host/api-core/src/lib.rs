//! The parts of the HTTP interface that all its crates share: the checks of a request before its handler ([`admission`],
//! [`auth`], [`request_checks`]), the extractors of handlers ([`body`], [`page`], [`path`], [`query`]), error bodies, and
//! the log of requests ([`observe`]). The crates `api-*` have the handlers, one crate per audience, and `api` joins them.

pub mod admission;
pub mod auth;
pub mod body;
pub mod closed_set;
pub mod csv;
pub mod deprecation;
pub mod early_answers;
pub mod entity_tag;
pub mod error;
pub mod form;
pub mod host_name;
pub mod https;
pub mod media_kind;
pub mod observe;
pub mod page;
pub mod path;
pub mod path_aliases;
pub mod privacy;
pub mod product;
pub mod product_hosts;
pub mod query;
pub mod query_names;
pub mod report_form;
pub mod request_checks;
pub mod request_facts;
pub mod served_document;
pub mod state;
