pub(crate) fn names(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in text.split("{{").skip(1) {
        let Some((name, _)) = piece.split_once("}}") else {
            continue;
        };
        let name = name.trim().to_owned();
        if !name.is_empty() && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

pub(crate) fn fill(text: &str, values: &[(String, String)]) -> String {
    let mut pieces = text.split("{{");
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let value = piece.split_once("}}").and_then(|(name, rest)| {
            let (_, value) = values.iter().find(|(known, _)| known == name.trim())?;
            Some((value, rest))
        });
        match value {
            Some((value, rest)) => {
                filled.push_str(value);
                filled.push_str(rest);
            }
            None => {
                filled.push_str("{{");
                filled.push_str(piece);
            }
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_filled_by_name_and_position() {
        let text = "Hi {{1}}, order {{2}}: {{1}} {{";
        assert_eq!(names(text), ["1", "2"]);
        let values = [("1".to_owned(), "Zo {{2}}".to_owned()), ("2".to_owned(), "42".to_owned())];
        assert_eq!(fill(text, &values), "Hi Zo {{2}}, order 42: Zo {{2}} {{");
        assert_eq!(fill("Hello {{ name }}", &[("name".to_owned(), "Zo".to_owned())]), "Hello Zo");
    }
}
