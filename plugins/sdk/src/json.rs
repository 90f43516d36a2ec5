//! Writes JSON objects field by field, in the given order, without absent fields.

/// A JSON object under construction.
pub struct Object {
    text: String,
}

impl Object {
    /// An object without fields.
    pub fn new() -> Self {
        let mut text = String::with_capacity(512);
        text.push('{');
        Self { text }
    }

    /// Adds a text.
    pub fn text(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        quote(&mut self.text, value);
        self
    }

    /// Adds a text if there is one.
    pub fn maybe(self, name: &str, value: &Option<String>) -> Self {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    /// Adds `true` or `false`.
    pub fn boolean(self, name: &str, value: bool) -> Self {
        self.raw(name, if value { "true" } else { "false" })
    }

    /// Adds a whole number.
    pub fn integer(self, name: &str, value: u64) -> Self {
        self.raw(name, &value.to_string())
    }

    /// Adds a value that is JSON already.
    pub fn raw(mut self, name: &str, json: &str) -> Self {
        self.name(name);
        self.text.push_str(json);
        self
    }

    /// The finished JSON text.
    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn name(&mut self, name: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        quote(&mut self.text, name);
        self.text.push(':');
    }
}

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends a JSON string. Quotes, backslashes and control characters are escaped.
fn quote(into: &mut String, value: &str) {
    into.push('"');
    for character in value.chars() {
        match character {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            control if control < ' ' => {
                into.push_str("\\u00");
                let code = u32::from(control);
                into.push(if code >= 0x10 { '1' } else { '0' });
                into.extend(char::from_digit(code & 0xf, 16));
            }
            other => into.push(other),
        }
    }
    into.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_survives_a_round_trip_through_json() {
        let all: String = (0..0x3000).filter_map(char::from_u32).chain("🙂\u{2028}".chars()).collect();
        let json = Object::new().text("value", &all).finish();
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["value"], all.as_str());
    }

    #[test]
    fn absent_values_leave_no_trace_and_order_is_kept() {
        let json = Object::new().maybe("a", &None).integer("z", 1).boolean("b", false).text("a", "x").finish();
        assert_eq!(json, r#"{"z":1,"b":false,"a":"x"}"#);
        assert_eq!(Object::new().finish(), "{}");
    }
}
