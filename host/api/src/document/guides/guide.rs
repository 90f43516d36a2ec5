pub(super) struct Guide {
    /// Below `/docs/`.
    pub path: String,
    pub title: String,
    pub summary: String,
}
