//! Fields of CSV files that people open in a spreadsheet.

use domain::invisible_characters::is_blank;

/// Appends `field` as RFC 4180 writes it.
///
/// A text that a spreadsheet would read as a formula gets an apostrophe in front, even if blanks, line ends or
/// invisible characters precede it, because spreadsheets skip them. A semicolon is quoted too: it separates columns if
/// the comma is the decimal sign.
pub fn write_field(field: &str, text: &mut String) {
    let formula = is_formula(field);
    if !formula && !field.contains([',', ';', '"', '\'', '\t', '\n', '\r']) {
        text.push_str(field);
        return;
    }
    text.push('"');
    if formula {
        text.push('\'');
    }
    text.push_str(&field.replace('"', "\"\""));
    text.push('"');
}

/// True if the first visible character, in its usual or full-width form, begins a formula. A tab or a line end at the
/// beginning counts too: some spreadsheets end the cell before there.
fn is_formula(field: &str) -> bool {
    let first = field.chars().find(|c| !is_blank(*c));
    let begins = first.is_some_and(|c| {
        matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '﹢' | '﹣' | '﹦' | '﹫' | '−')
    });
    begins || field.starts_with(['\t', '\r', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str) -> String {
        let mut written = String::new();
        write_field(text, &mut written);
        written
    }

    #[test]
    fn fields_of_csv_are_quoted_where_they_must_be() {
        assert_eq!(field("plain text"), "plain text");
        assert_eq!(field("a,b"), "\"a,b\"");
        assert_eq!(field("a;b"), "\"a;b\"");
        assert_eq!(field("he said \"hi\"\n"), "\"he said \"\"hi\"\"\n\"");
    }

    #[test]
    fn no_field_of_csv_is_a_formula() {
        for before in
            ["", " ", "\n", "\r\n", "\t", "\u{A0}", "\u{200B}", "\u{FEFF}", "\u{3000}", "\u{202E}", "\u{3164} ", "\0"]
        {
            for formula in ["=1+1", "+1", "-1", "@cmd", "＝1+1", "＋1", "－1", "＠cmd"] {
                let text = format!("{before}{formula}");
                assert_eq!(field(&text), format!("\"'{text}\""), "{text:?}");
            }
        }
    }

    #[test]
    fn signs_within_a_text_stay() {
        for text in ["1+1=2", "a-b", "me@example.com", "ﬁrst"] {
            assert_eq!(field(text), text);
        }
    }
}
