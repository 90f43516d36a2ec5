//! Counts the recipients of a send request before anything is kept: a body can hold millions of empty ones.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::FieldFault;

/// Where a request has its messages and recipients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Of a send endpoint: recipients in each of `messages` (SPEC 2.3).
    Payload,
    /// The same in `payload`.
    Unified,
    /// Of the JSON gateway: the same, and recipients at the top (SPEC 2.14).
    Gateway,
}

/// Refuses a body with more than `most` recipients, or with too many messages. A malformed body passes.
pub(crate) fn check(layout: Layout, body: &[u8], most: usize) -> Result<(), FieldFault> {
    let mut count = Count { most, messages: 0, recipients: 0 };
    let mut json = serde_json::Deserializer::from_slice(body);
    // The parser reports errors, and the counts hold the reason for an early end.
    let _ = match layout {
        Layout::Payload => Payload(&mut count).deserialize(&mut json),
        Layout::Unified => Unified(&mut count).deserialize(&mut json),
        Layout::Gateway => Gateway(&mut count).deserialize(&mut json),
    };
    let prefix = if layout == Layout::Unified { "payload." } else { "" };
    if count.recipients > most {
        let field = match layout {
            Layout::Gateway => "recipients",
            Layout::Payload | Layout::Unified if count.messages > 1 => "messages",
            Layout::Payload | Layout::Unified => "messages[0].recipients",
        };
        let said = format!("has more than {most} recipients; at most {most} fit in one request, over all messages");
        return Err(FieldFault::new(format!("{prefix}{field}"), said));
    }
    if count.messages > most {
        let said = format!("has more than {most} elements; at most {most} recipients fit in one request");
        return Err(FieldFault::new(format!("{prefix}messages"), said));
    }
    Ok(())
}

struct Count {
    most: usize,
    messages: usize,
    recipients: usize,
}

/// The error that ends the counting. It is never shown.
const ENOUGH: &str = "enough";

/// A part of the body whose elements are counted.
trait Part: Sized {
    /// Reads the value of a field of an object: another part, or a value that does not count.
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, entries: &mut A) -> Result<(), A::Error> {
        let _ = name;
        entries.next_value::<IgnoredAny>().map(drop)
    }

    /// The next element of a list; `false` at its end.
    fn element<'de, A: SeqAccess<'de>>(&mut self, elements: &mut A) -> Result<bool, A::Error> {
        Ok(elements.next_element::<IgnoredAny>()?.is_some())
    }
}

struct Unified<'c>(&'c mut Count);

impl Part for Unified<'_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, entries: &mut A) -> Result<(), A::Error> {
        match name {
            "payload" => entries.next_value_seed(Payload(self.0)),
            _ => entries.next_value::<IgnoredAny>().map(drop),
        }
    }
}

struct Payload<'c>(&'c mut Count);

impl Part for Payload<'_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, entries: &mut A) -> Result<(), A::Error> {
        match name {
            "messages" => entries.next_value_seed(Messages(self.0)),
            _ => entries.next_value::<IgnoredAny>().map(drop),
        }
    }
}

struct Gateway<'c>(&'c mut Count);

impl Part for Gateway<'_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, entries: &mut A) -> Result<(), A::Error> {
        match name {
            "messages" => entries.next_value_seed(Messages(self.0)),
            "recipients" => entries.next_value_seed(Recipients(self.0)),
            _ => entries.next_value::<IgnoredAny>().map(drop),
        }
    }
}

struct Messages<'c>(&'c mut Count);

impl Part for Messages<'_> {
    fn element<'de, A: SeqAccess<'de>>(&mut self, elements: &mut A) -> Result<bool, A::Error> {
        self.0.messages += 1;
        match elements.next_element_seed(Message(self.0))? {
            Some(()) if self.0.messages > self.0.most => Err(A::Error::custom(ENOUGH)),
            Some(()) => Ok(true),
            None => {
                self.0.messages -= 1;
                Ok(false)
            }
        }
    }
}

struct Message<'c>(&'c mut Count);

impl Part for Message<'_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, name: &str, entries: &mut A) -> Result<(), A::Error> {
        match name {
            "recipients" | "recipientNumbers" | "recipient_numbers" => entries.next_value_seed(Recipients(self.0)),
            _ => entries.next_value::<IgnoredAny>().map(drop),
        }
    }
}

struct Recipients<'c>(&'c mut Count);

impl Part for Recipients<'_> {
    fn element<'de, A: SeqAccess<'de>>(&mut self, elements: &mut A) -> Result<bool, A::Error> {
        if elements.next_element::<IgnoredAny>()?.is_none() {
            return Ok(false);
        }
        self.0.recipients += 1;
        if self.0.recipients > self.0.most { Err(A::Error::custom(ENOUGH)) } else { Ok(true) }
    }
}

macro_rules! parts {
    ($($part:ident),+) => {$(
        impl<'de> DeserializeSeed<'de> for $part<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_any(Walk(self))
            }
        }
    )+};
}

parts!(Unified, Payload, Gateway, Messages, Message, Recipients);

struct Walk<P>(P);

impl<'de, P: Part> Visitor<'de> for Walk<P> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while let Some(name) = entries.next_key::<String>()? {
            self.0.field(&name, &mut entries)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while self.0.element(&mut elements)? {}
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}
