//! Forms and queries of the SMS gateways. They are read strictly: bytes that are not UTF-8 are refused, not replaced.

/// Most fields of a form: several times the number of known ones.
const FIELDS_MAX: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormError {
    #[error("is not UTF-8 text: encode each character as the bytes of its UTF-8")]
    NotText,
    #[error("has more than {FIELDS_MAX} fields: write `&` in a value as `%26`")]
    TooManyFields,
}

pub(crate) fn fields(form: &[u8]) -> Result<Vec<(String, String)>, FormError> {
    let pairs = || form.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    if pairs().nth(FIELDS_MAX).is_some() {
        return Err(FormError::TooManyFields);
    }
    pairs()
        .map(|pair| {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let name = decoded(halves.next().unwrap_or_default())?;
            Ok((name, decoded(halves.next().unwrap_or_default())?))
        })
        .collect()
}

/// `%41+` is `A `. A `%` without two hexadecimal digits is kept.
fn decoded(text: &[u8]) -> Result<String, FormError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| behind.first_chunk::<2>()).flatten().and_then(hex);
        rest = match escaped {
            Some(byte) => {
                bytes.push(byte);
                behind.get(2..).unwrap_or_default()
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                behind
            }
        };
    }
    String::from_utf8(bytes).map_err(|_| FormError::NotText)
}

fn hex(digits: &[u8; 2]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let [high, low] = *digits;
    Some(value(high)? * 16 + value(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(form: &str) -> Vec<(String, String)> {
        fields(form.as_bytes()).unwrap()
    }

    #[test]
    fn fields_are_decoded() {
        let expected =
            [("message", "a b&c=é+"), ("cell", ""), ("x", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read("message=a+b%26c%3D%C3%a9%2B&cell=&&x"), expected);
    }

    #[test]
    fn a_percent_sign_that_begins_nothing_stands_for_itself() {
        assert_eq!(read("message=100%&cell=%zz")[0].1, "100%");
    }

    #[test]
    fn text_that_is_not_utf8_is_refused() {
        assert_eq!(fields(b"message=%ff"), Err(FormError::NotText));
    }

    #[test]
    fn a_form_with_too_many_fields_is_not_read() {
        assert_eq!(read(&"a&".repeat(FIELDS_MAX)).len(), FIELDS_MAX);
        assert_eq!(fields("a&".repeat(FIELDS_MAX + 1).as_bytes()), Err(FormError::TooManyFields));
    }
}
