//! Answers of the batch gateway. The XML is well-formed for any content (`docs/batch-sms.xsd`).

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::iso_time::iso_time;
use quick_xml::{
    Writer,
    events::{BytesEnd, BytesStart, BytesText, Event},
};

/// An answer under construction. Writing into memory cannot fail.
pub(super) struct Xml(Writer<Vec<u8>>);

impl Xml {
    pub(super) fn new() -> Self {
        Self(Writer::new(Vec::new()))
    }

    fn event(&mut self, event: Event<'_>) {
        let _ = self.0.write_event(event);
    }

    pub(super) fn element(&mut self, name: &str, attribute: Option<(&str, &str)>, inner: impl FnOnce(&mut Self)) {
        let mut start = BytesStart::new(name);
        if let Some((name, value)) = attribute {
            start.push_attribute((name, legal(value).as_ref()));
        }
        self.event(Event::Start(start));
        inner(self);
        self.event(Event::End(BytesEnd::new(name)));
    }

    pub(super) fn leaf(&mut self, name: &str, text: &str) {
        self.element(name, None, |xml| xml.text(text));
    }

    pub(super) fn time(&mut self, name: &str, at: DateTime<Utc>) {
        self.leaf(name, &iso_time(at));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.event(Event::Text(BytesText::new(&legal(text))));
    }

    /// Inserts XML that was written here before.
    pub(super) fn raw(&mut self, xml: &str) {
        self.event(Event::Text(BytesText::from_escaped(xml)));
    }

    pub(super) fn finish(self) -> String {
        String::from_utf8(self.0.into_inner()).unwrap_or_default()
    }
}

/// Removes the characters that XML 1.0 does not allow.
fn legal(text: &str) -> Cow<'_, str> {
    let is_legal = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}');
    if text.chars().all(|c| is_legal(&c)) { Cow::Borrowed(text) } else { text.chars().filter(is_legal).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_caller_cannot_end_an_element() {
        let mut xml = Xml::new();
        xml.element("a", Some(("b", "\"'<&>\u{0}")), |xml| xml.leaf("c", "</c>&\u{1b}\u{FFFE} é 🦀 ]]>"));
        let text = xml.finish();
        assert!(text.starts_with("<a b=\"&quot;") && text.ends_with("</c></a>"), "{text}");
        assert!(text.contains("<c>&lt;/c&gt;&amp; é 🦀 ]]&gt;</c>"), "{text}");
    }
}
