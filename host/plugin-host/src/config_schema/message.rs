//! The length of messages about a schema.

/// Most characters about one violation, because its text may repeat the whole configuration.
pub(super) const FAULT_LENGTH: usize = 500;

pub fn shorten(text: &str) -> String {
    let mut characters = text.chars().map(|character| if character == '\0' { '\u{fffd}' } else { character });
    let mut kept: String = characters.by_ref().take(FAULT_LENGTH).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}
