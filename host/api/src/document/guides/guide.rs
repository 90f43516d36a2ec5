//! A document in the lists of guides.

/// A document in the lists.
pub(super) struct Guide {
    /// Below `/docs/`.
    pub path: String,
    pub title: String,
    pub summary: String,
}
