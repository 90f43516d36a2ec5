//! Invisible characters. A text of such characters only is treated as empty.

/// True if a character is invisible: Unicode's `Default_Ignorable_Code_Point`, control and format characters, blanks,
/// U+3164 and U+2800.
pub fn is_blank(one: char) -> bool {
    one.is_whitespace() || one.is_control() || is_ignorable(one) || one == '\u{2800}'
}

pub fn is_all_blank(text: &str) -> bool {
    text.chars().all(is_blank)
}

/// True if a character is left out when a text is shown or compared: `Default_Ignorable_Code_Point` of Unicode 16, and
/// format characters (Cf) without a glyph.
pub fn is_ignorable(one: char) -> bool {
    matches!(one,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_characters_that_show_nothing_is_blank() {
        for text in [
            "",
            " \t\n",
            "\u{200B}",
            "\u{3164}",
            "\u{202E}",
            "\u{2060}",
            "\u{FEFF}\u{00AD}",
            "\u{115F}\u{1160}\u{FFA0}",
            "\u{2800}",
            "\u{00A0}\u{3000}\u{2003}",
            "\u{E0041}\u{FE0F}",
            "\u{180E}\u{034F}\u{061C}",
        ] {
            assert!(is_all_blank(text), "{text:?}");
        }
    }

    #[test]
    fn a_text_with_anything_to_see_is_not_blank() {
        for text in ["a", "\u{202E}a", "\u{1F600}", ".", "\u{093E}", "\u{0301}", "0", "\u{3163}", "\u{E100}"] {
            assert!(!is_all_blank(text), "{text:?}");
        }
    }
}
