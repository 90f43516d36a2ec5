//! Reads CSV (RFC 4180), with commas or semicolons, as spreadsheets write it.

/// The rows of a text, each with its fields. Blank lines are left out. Each row has the number of its first line, from 1.
pub fn rows(text: &str) -> Vec<(usize, Vec<String>)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader { separator: separator(text), ..Reader::default() };
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if reader.quoted && letters.peek() == Some(&'"') => {
                letters.next();
                reader.field.push('"');
            }
            '"' if reader.quoted => reader.quoted = false,
            '"' if reader.field.trim().is_empty() => {
                reader.field.clear();
                reader.quoted = true;
            }
            '\n' if reader.quoted => {
                reader.line += 1;
                reader.field.push('\n');
            }
            '\n' => reader.end_row(),
            '\r' if !reader.quoted && letters.peek() == Some(&'\n') => {}
            letter if letter == reader.separator && !reader.quoted => reader.end_field(),
            letter => reader.field.push(letter),
        }
    }
    reader.end_row();
    reader.rows
}

/// The more frequent of the two in the first line.
fn separator(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    if first.matches(';').count() > first.matches(',').count() { ';' } else { ',' }
}

#[derive(Default)]
struct Reader {
    separator: char,
    rows: Vec<(usize, Vec<String>)>,
    row: Vec<String>,
    field: String,
    quoted: bool,
    /// Line ends so far.
    line: usize,
    /// Line ends before the present row.
    begun: usize,
}

impl Reader {
    fn end_field(&mut self) {
        self.row.push(std::mem::take(&mut self.field).trim().to_owned());
    }

    fn end_row(&mut self) {
        self.end_field();
        self.quoted = false;
        self.line += 1;
        let row = std::mem::take(&mut self.row);
        if row.iter().any(|field| !field.is_empty()) {
            self.rows.push((self.begun + 1, row));
        }
        self.begun = self.line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<Vec<String>> {
        rows(text).into_iter().map(|(_, row)| row).collect()
    }

    #[test]
    fn commas_and_semicolons_separate_fields() {
        assert_eq!(fields("a,b\r\n1, 2\n"), [["a", "b"], ["1", "2"]]);
        assert_eq!(fields("\u{FEFF}a;b\n1,5;2"), [["a", "b"], ["1,5", "2"]]);
    }

    #[test]
    fn a_quoted_field_has_separators_quotes_and_lines() {
        assert_eq!(fields("a,b\n\"x, \"\"y\"\"\nz\",2"), [["a", "b"], ["x, \"y\"\nz", "2"]]);
    }

    #[test]
    fn a_row_has_the_number_of_its_first_line() {
        let numbers: Vec<usize> = rows("a\n\n\"1\n2\"\n3\n").into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 3, 5]);
    }

    #[test]
    fn a_quote_that_does_not_close_ends_with_the_text() {
        assert_eq!(fields("a,b\n\"x"), vec![vec!["a", "b"], vec!["x"]]);
        assert!(fields("").is_empty());
    }
}
