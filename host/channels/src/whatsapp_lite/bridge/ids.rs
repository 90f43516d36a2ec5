//! Ids of messages at the bridge.

/// The common part of an id: `true_27820000001@c.us_3EB0A1` is `3EB0A1`.
pub(super) fn stanza(id: &str) -> &str {
    // In groups the participant follows; groups are not supported.
    id.rsplit('_').next().unwrap_or(id)
}
