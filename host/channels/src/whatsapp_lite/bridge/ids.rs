//! Ids of messages at the bridge.

/// Ends the id of a placeholder: its message may still come, under its own id. No id of WhatsApp contains it.
const WAITING: &str = "#waiting";

/// The common part of an id: `true_27820000001@c.us_3EB0A1` is `3EB0A1`.
pub(super) fn stanza(id: &str) -> &str {
    // In groups the participant follows; groups are not supported.
    id.rsplit('_').next().unwrap_or(id)
}

pub(super) fn placeholder_id(stanza: &str) -> String {
    format!("{stanza}{WAITING}")
}

/// The id under which WhatsApp knows a message, also if we have only its placeholder.
pub(super) fn named_id(id: &str) -> &str {
    id.strip_suffix(WAITING).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_has_an_id_of_its_own_and_stands_for_its_message() {
        let id = placeholder_id(stanza("false_27820000001@c.us_3EB0A1"));
        assert_ne!(id, "3EB0A1");
        assert_eq!((named_id(&id), named_id("3EB0A1")), ("3EB0A1", "3EB0A1"));
    }
}
