/// Most characters of a preview.
pub const PREVIEW_MAX: usize = 160;

/// Returns the beginning of a text in one line. Runs of white space and control characters become one space. A text that
/// is cut ends with an ellipsis.
pub fn preview(text: &str) -> String {
    let words = text.split(|one: char| one.is_whitespace() || one.is_control()).filter(|word| !word.is_empty());
    let line = words.take(PREVIEW_MAX).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(PREVIEW_MAX) {
        None => line,
        Some(_) => line.chars().take(PREVIEW_MAX - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_line() {
        assert_eq!(preview(" one\n\n two\tthree\0 "), "one two three");
        assert_eq!(preview("\n \r"), "");
    }

    #[test]
    fn a_long_text_is_cut_by_characters_and_ends_with_an_ellipsis() {
        assert_eq!(preview(&"é".repeat(PREVIEW_MAX)), "é".repeat(PREVIEW_MAX));
        let cut = preview(&"é".repeat(PREVIEW_MAX + 1));
        assert_eq!(cut.chars().count(), PREVIEW_MAX);
        assert!(cut.ends_with('…'));
    }
}
