//! The document as it is served.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;

use crate::query_names::QueryNames;

/// The document as it is served, and the facts of it that requests are checked against.
#[derive(Clone)]
pub struct Document {
    /// Made at the first request, because it takes longer than the rest of a start.
    pub json: Arc<LazyLock<Bytes, Box<dyn FnOnce() -> Bytes + Send>>>,
    /// `/llms.txt`, with the address of this server.
    pub overview: Arc<LazyLock<Bytes, Box<dyn FnOnce() -> Bytes + Send>>>,
    /// The query parameters of each operation.
    pub query_names: Arc<QueryNames>,
}
