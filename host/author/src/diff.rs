use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::subset::SubsetDifference;

/// Two texts: one line each with the different words marked, or line by line.
pub(crate) fn texts(expected: &str, got: &str) -> Vec<String> {
    if expected.contains('\n') || got.contains('\n') {
        return lines(expected, got);
    }
    let diff = TextDiff::from_words(expected, got);
    let marked = |own: ChangeTag, open: &str, close: &str| {
        let (mut text, mut inside) = (String::new(), false);
        for change in diff.iter_all_changes().filter(|change| change.tag() == own || change.tag() == ChangeTag::Equal) {
            let differs = change.tag() == own;
            if differs != inside {
                text.push_str(if differs { open } else { close });
                inside = differs;
            }
            text.push_str(change.value());
        }
        if inside {
            text.push_str(close);
        }
        text
    };
    vec![
        format!("expected: {}", marked(ChangeTag::Delete, "[-", "-]")),
        format!("got:      {}", marked(ChangeTag::Insert, "{+", "+}")),
    ]
}

fn lines(expected: &str, got: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(expected, got);
    let mut lines = vec!["- expected, + got:".to_owned()];
    lines.extend(diff.iter_all_changes().map(|change| {
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        format!("{sign} {}", change.value().trim_end_matches('\n'))
    }));
    lines
}

pub(crate) fn places(differences: &[SubsetDifference]) -> Vec<String> {
    let mut lines = vec![];
    for difference in differences {
        let SubsetDifference { path, expected, got } = difference;
        let place = if path.is_empty() { "the whole" } else { path.as_str() };
        match (expected, got) {
            (Value::String(expected), Some(Value::String(got))) => {
                lines.push(format!("at {place}:"));
                lines.extend(texts(expected, got).into_iter().map(|line| format!("  {line}")));
            }
            (expected, Some(got)) => {
                lines.push(format!("at {place}:"));
                lines.push(format!("  expected: {expected}"));
                lines.push(format!("  got:      {got}"));
            }
            (expected, None) => lines.push(format!("at {place}: expected {expected}, but it is not there")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_words_are_marked() {
        let lines = texts("Order 1 is on its way", "Order 1 is delivered");
        assert_eq!(lines, ["expected: Order 1 is [-on its way-]", "got:      Order 1 is {+delivered+}"]);
    }

    #[test]
    fn texts_of_several_lines_are_compared_line_by_line() {
        let lines = texts("Menu\n1. Orders\n2. Help", "Menu\n1. Orders\n2. Agent");
        assert_eq!(lines, ["- expected, + got:", "  Menu", "  1. Orders", "- 2. Help", "+ 2. Agent"]);
    }
}
