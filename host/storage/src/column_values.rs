//! Domain values in columns: names of closed sets, addresses, JSON with a version. An unknown value is an error.

use domain::address::Address;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use sqlx::types::Json;

use crate::{Error, Result};

/// Version of written JSON. A change of a stored type raises it; older versions must still be read.
const VERSION: u32 = 1;

pub(crate) fn read_value<T>(
    table: &'static str,
    column: &'static str,
    name: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T> {
    read(name).ok_or_else(|| Error::Inconsistent { table, column, value: name.to_owned() })
}

/// Reads the address of two columns. `columns` names the column of the kind and of the value.
pub(crate) fn address(
    table: &'static str,
    columns: (&'static str, &'static str),
    kind: &str,
    value: &str,
) -> Result<Address> {
    let kind = read_value(table, columns.0, kind, |name| {
        domain::address::AddressKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    })?;
    // The value is personal data and stays out of the error.
    Address::of_kind(kind, value).ok_or_else(|| Error::Inconsistent {
        table,
        column: columns.1,
        value: format!("no {}", kind.as_str()),
    })
}

/// A value for a `jsonb` or `json` column, with the version of its shape.
#[derive(Debug, Serialize)]
pub(crate) struct VersionedJson<T> {
    v: u32,
    value: T,
}

pub(crate) fn write<T: Serialize>(value: T) -> Json<VersionedJson<T>> {
    Json(VersionedJson { v: VERSION, value })
}

pub(crate) fn write_text<T: Serialize>(value: T) -> Result<String> {
    let failed = |error: serde_json::Error| Error::Database(sqlx::Error::Encode(error.into()));
    serde_json::to_string(&VersionedJson { v: VERSION, value }).map_err(failed)
}

pub(crate) type UnreadJson = Json<Box<RawValue>>;

pub(crate) fn read<T: DeserializeOwned>(table: &'static str, column: &'static str, stored: &UnreadJson) -> Result<T> {
    read_text(table, column, stored.get())
}

pub(crate) fn read_optional<T: DeserializeOwned>(
    table: &'static str,
    column: &'static str,
    stored: Option<&UnreadJson>,
) -> Result<Option<T>> {
    stored.map(|stored| read(table, column, stored)).transpose()
}

pub(crate) fn read_text<T: DeserializeOwned>(table: &'static str, column: &'static str, text: &str) -> Result<T> {
    #[derive(Deserialize)]
    struct Envelope<'text> {
        v: u32,
        #[serde(borrow)]
        value: &'text RawValue,
    }

    let unreadable = |version, why| Error::Unreadable { table, column, version, why };
    let envelope: Envelope<'_> =
        serde_json::from_str(text).map_err(|_| unreadable(None, "it is no object with a version and a value"))?;
    if envelope.v != VERSION {
        return Err(unreadable(Some(envelope.v), "the version is another one"));
    }
    serde_json::from_str(envelope.value.get()).map_err(|_| unreadable(Some(envelope.v), "the shape is another one"))
}

#[cfg(test)]
mod tests {
    use domain::content::OutboundContent;

    use super::*;

    fn read_content(text: &str) -> Result<OutboundContent> {
        read_text("outbound_part", "content", text)
    }

    #[test]
    fn stored_values_are_read_back() {
        let content = OutboundContent::Text { body: "hi \u{0} there".to_owned() };
        let text = write_text(&content).unwrap();
        assert!(text.starts_with(r#"{"v":1,"value":{"#), "{text}");
        assert_eq!(read_content(&text).unwrap(), content);
    }

    #[test]
    fn another_version_another_shape_and_a_missing_value_are_distinguished_by_table_and_column() {
        for (text, named) in [
            (r#"{"v":2,"value":{"kind":"text","body":"secret"}}"#, "version 2"),
            (r#"{"v":1,"value":{"kind":"hologram","body":"secret"}}"#, "version 1"),
            (r#"{"kind":"text","body":"secret"}"#, "no version"),
        ] {
            let error = read_content(text).unwrap_err();
            assert!(error.is_of_a_stored_value());
            let error = error.to_string();
            assert!(error.contains("outbound_part.content") && error.contains(named), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn an_invalid_address_names_its_column_and_not_its_value() {
        let columns = ("kind", "value");
        let error = address("customer_address", columns, "PIGEON", "7").unwrap_err().to_string();
        assert!(error.contains("customer_address.kind") && error.contains("PIGEON"), "{error}");
        let error = address("customer_address", columns, "PHONE", "0820000001").unwrap_err().to_string();
        assert!(error.contains("customer_address.value") && !error.contains("0820000001"), "{error}");
    }
}
