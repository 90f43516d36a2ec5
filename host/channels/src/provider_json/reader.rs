//! Reads JSON byte by byte, and either builds values or skips them.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::{DEPTH_MAX, JsonFault};

/// Replaces an invalid character.
const REPLACEMENT: char = '\u{fffd}';
/// Some programs write it before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) struct JsonReader<'r> {
    raw: &'r [u8],
    at: usize,
}

impl<'r> JsonReader<'r> {
    pub fn new(raw: &'r [u8]) -> Self {
        Self { raw: raw.strip_prefix(BYTE_ORDER_MARK).unwrap_or(raw), at: 0 }
    }

    pub fn end(&mut self) -> Result<(), JsonFault> {
        self.blanks();
        if self.at == self.raw.len() { Ok(()) } else { Err(JsonFault::Trailing(self.at)) }
    }

    pub fn value(&mut self) -> Result<Value, JsonFault> {
        self.value_within(DEPTH_MAX)
    }

    /// `each` gets the name of every field of the object here, and reads or skips the value. Skips a value of another type.
    pub fn fields(&mut self, mut each: impl FnMut(&mut Self, &str) -> Result<(), JsonFault>) -> Result<(), JsonFault> {
        if self.next()? != b'{' {
            return self.skip();
        }
        self.at += 1;
        while let Some(name) = self.name()? {
            each(self, &name)?;
        }
        Ok(())
    }

    /// Calls `each` for every element of the list here; `each` reads or skips it. Skips a value of another type.
    pub fn elements(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), JsonFault>) -> Result<(), JsonFault> {
        if self.next()? != b'[' {
            return self.skip();
        }
        self.at += 1;
        while self.has_element()? {
            each(self)?;
        }
        Ok(())
    }

    /// Reads the text here, or the number as text. `None` for a value of another type, which is skipped.
    pub fn text(&mut self) -> Result<Option<Cow<'r, str>>, JsonFault> {
        match self.next()? {
            b'"' => self.string().map(Some),
            b'-' | b'0'..=b'9' => Ok(Some(Cow::Borrowed(self.token(is_of_number)))),
            _ => self.skip().map(|()| None),
        }
    }

    pub fn skip(&mut self) -> Result<(), JsonFault> {
        let mut open = 0_usize;
        loop {
            match self.next()? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    self.at += 1;
                    open += 1;
                    continue;
                }
                b'}' | b']' | b',' | b':' if open > 0 => {
                    if matches!(self.raw.get(self.at), Some(b'}' | b']')) {
                        open -= 1;
                    }
                    self.at += 1;
                }
                _ => {
                    if self.token(is_of_word).is_empty() {
                        return Err(JsonFault::Unexpected(self.at));
                    }
                }
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Objects and arrays below `depth` levels, and words that are no value of JSON, become null.
    fn value_within(&mut self, depth: usize) -> Result<Value, JsonFault> {
        match self.next()? {
            b'{' | b'[' if depth == 0 => self.skip().map(|()| Value::Null),
            b'{' => {
                self.at += 1;
                let mut fields = Map::new();
                while let Some(name) = self.name()? {
                    fields.insert(name.into_owned(), self.value_within(depth - 1)?);
                }
                Ok(Value::Object(fields))
            }
            b'[' => {
                self.at += 1;
                let mut elements = Vec::new();
                while self.has_element()? {
                    elements.push(self.value_within(depth - 1)?);
                }
                Ok(Value::Array(elements))
            }
            b'"' => Ok(Value::String(self.string()?.into_owned())),
            _ => match self.token(is_of_word) {
                "" => Err(JsonFault::Unexpected(self.at)),
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                word if word.bytes().any(|byte| byte.is_ascii_digit())
                    && word.bytes().all(|byte| is_of_number(&byte)) =>
                {
                    Ok(number(word))
                }
                _ => Ok(Value::Null),
            },
        }
    }

    fn name(&mut self) -> Result<Option<Cow<'r, str>>, JsonFault> {
        loop {
            match self.next()? {
                b'}' => {
                    self.at += 1;
                    return Ok(None);
                }
                b',' => self.at += 1,
                b'"' => break,
                _ => return Err(JsonFault::Unexpected(self.at)),
            }
        }
        let name = self.string()?;
        if self.next()? != b':' {
            return Err(JsonFault::Unexpected(self.at));
        }
        self.at += 1;
        Ok(Some(name))
    }

    fn has_element(&mut self) -> Result<bool, JsonFault> {
        loop {
            match self.next()? {
                b']' => {
                    self.at += 1;
                    return Ok(false);
                }
                b',' => self.at += 1,
                _ => return Ok(true),
            }
        }
    }

    fn next(&mut self) -> Result<u8, JsonFault> {
        self.blanks();
        self.raw.get(self.at).copied().ok_or(JsonFault::Incomplete)
    }

    /// Control characters have no meaning between values.
    fn blanks(&mut self) {
        while self.raw.get(self.at).is_some_and(|byte| *byte <= b' ') {
            self.at += 1;
        }
    }

    fn token(&mut self, belongs: impl Fn(&u8) -> bool) -> &'r str {
        let rest = self.raw.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| belongs(byte)).count();
        self.at += length;
        rest.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    fn skip_string(&mut self) -> Result<(), JsonFault> {
        self.at += 1;
        loop {
            match self.raw.get(self.at) {
                None => return Err(JsonFault::Incomplete),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'r, str>, JsonFault> {
        let begin = self.at + 1;
        self.skip_string()?;
        let inside = self.raw.get(begin..self.at - 1).ok_or(JsonFault::Incomplete)?;
        match std::str::from_utf8(inside) {
            Ok(text) if !inside.iter().any(|byte| matches!(byte, 0 | b'\\')) => Ok(Cow::Borrowed(text)),
            _ => Ok(Cow::Owned(unescaped(inside))),
        }
    }
}

fn is_of_number(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// A byte of words and numbers, also of some that JSON lacks, such as `NaN` and `-Infinity`.
fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

/// A number; its digits as text if our number types cannot hold it exactly, because it may be an id.
fn number(digits: &str) -> Value {
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match serde_json::from_str::<Number>(digits) {
        // `-0` is a float, too.
        Ok(number) if !(is_whole && number.is_f64() && digits.len() > 2) => Value::Number(number),
        _ => Value::String(digits.to_owned()),
    }
}

fn unescaped(inside: &[u8]) -> String {
    let mut text = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            0 => push(&mut text, REPLACEMENT),
            b'\\' => {
                let Some((&escape, after)) = rest.split_first() else { break };
                rest = after;
                match escape {
                    b'n' => text.push(b'\n'),
                    b't' => text.push(b'\t'),
                    b'r' => text.push(b'\r'),
                    b'b' => text.push(8),
                    b'f' => text.push(12),
                    b'u' => push(&mut text, escaped_character(&mut rest)),
                    // Quote, slash and backslash stand for themselves, and so do characters that need no escape.
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
    String::from_utf8(text).unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

fn push(text: &mut Vec<u8>, character: char) {
    let character = if character == '\0' { REPLACEMENT } else { character };
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The four digits here, and the second half of a pair; U+FFFD for half a pair or without four digits.
fn escaped_character(rest: &mut &[u8]) -> char {
    const HIGH: std::ops::RangeInclusive<u32> = 0xD800..=0xDBFF;
    const LOW: std::ops::RangeInclusive<u32> = 0xDC00..=0xDFFF;
    let Some(first) = four_digits(rest) else { return REPLACEMENT };
    *rest = rest.get(4..).unwrap_or_default();
    if HIGH.contains(&first)
        && let Some(digits) = rest.strip_prefix(b"\\u")
        && let Some(second) = four_digits(digits).filter(|second| LOW.contains(second))
    {
        *rest = digits.get(4..).unwrap_or_default();
        return char::from_u32(0x1_0000 + ((first - HIGH.start()) << 10) + (second - LOW.start()))
            .unwrap_or(REPLACEMENT);
    }
    char::from_u32(first).unwrap_or(REPLACEMENT)
}

fn four_digits(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
