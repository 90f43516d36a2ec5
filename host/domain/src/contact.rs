//! Entries of a client's address book (SPEC 2.10, 4.4): a customer by the name that the business gives it.

use serde::Deserialize;

use crate::{
    body::{self, Faults, FieldFault},
    invisible_characters::is_all_blank,
    phone::Msisdn,
};

pub const NAME_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactName(String);

impl ContactName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn parse(text: Option<String>) -> Result<Self, FieldFault> {
        let Some(text) = text else { return Err(FieldFault::required("fullName")) };
        let name = text.trim();
        let fits = name.chars().count() <= NAME_MAX;
        if fits && !is_all_blank(name) && !name.chars().any(char::is_control) {
            return Ok(Self(name.to_owned()));
        }
        Err(FieldFault::new(
            "fullName",
            format!("must have 1 to {NAME_MAX} characters, something to see among them, and no control characters"),
        ))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContact {
    pub name: ContactName,
    pub phone: Msisdn,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    full_name: Option<String>,
    phone_number: Option<String>,
}

impl NewContact {
    pub fn parse(bytes: &[u8]) -> Result<Self, Faults> {
        let written: Written = body::parse(bytes)?;
        let phone = match written.phone_number {
            None => Err(FieldFault::required("phoneNumber")),
            Some(text) => Msisdn::parse(&text).map_err(|error| FieldFault::new("phoneNumber", error.to_string())),
        };
        match (ContactName::parse(written.full_name), phone) {
            (Ok(name), Ok(phone)) => Ok(Self { name, phone }),
            (name, phone) => Err([name.err(), phone.err()].into_iter().flatten().collect()),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Renamed {
    full_name: Option<String>,
}

/// Parses and judges the body of a change: `fullName`, and nothing else (SPEC 2.10).
pub fn parse_rename(bytes: &[u8]) -> Result<ContactName, Faults> {
    let renamed: Renamed = body::parse(bytes)?;
    Ok(ContactName::parse(renamed.full_name)?)
}

/// Tags of one contact.
const TAGS_MAX: usize = 20;
const TAG_MAX: usize = 40;

/// Checks tags: each is trimmed, and kept once in any case.
pub(crate) fn parse_tags(written: Vec<String>) -> Result<Vec<String>, FieldFault> {
    let mut tags: Vec<String> = Vec::new();
    for tag in written {
        let tag = tag.trim();
        let fits = tag.chars().count() <= TAG_MAX && !tag.chars().any(char::is_control);
        if !fits || is_all_blank(tag) {
            let said = format!("must each have 1 to {TAG_MAX} characters, and no control characters");
            return Err(FieldFault::new("tags", said));
        }
        if !tags.iter().any(|known| known.to_lowercase() == tag.to_lowercase()) {
            tags.push(tag.to_owned());
        }
    }
    if tags.len() > TAGS_MAX {
        return Err(FieldFault::new("tags", format!("may have {TAGS_MAX} at most")));
    }
    Ok(tags)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tagged {
    tags: Option<Vec<String>>,
}

/// Parses the body of new tags.
pub fn parse_tag_list(bytes: &[u8]) -> Result<Vec<String>, Faults> {
    let tagged: Tagged = body::parse(bytes)?;
    Ok(parse_tags(tagged.tags.ok_or_else(|| FieldFault::required("tags"))?)?)
}

const NOTE_MAX: usize = 4_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    text: Option<String>,
}

/// Parses the body of a new note about a customer.
pub fn parse_note(bytes: &[u8]) -> Result<String, Faults> {
    let noted: Noted = body::parse(bytes)?;
    let text = noted.text.ok_or_else(|| FieldFault::required("text"))?;
    if is_all_blank(&text) || text.chars().count() > NOTE_MAX {
        let said = format!("must have 1 to {NOTE_MAX} characters, something to see among them");
        return Err(FieldFault::new("text", said).into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faulty<T: std::fmt::Debug>(result: Result<T, Faults>) -> Vec<String> {
        result.unwrap_err().iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn a_contact_has_a_name_and_a_number() {
        let contact = NewContact::parse(br#"{"fullName":" Thandi ","phoneNumber":"+27820000001"}"#).unwrap();
        assert_eq!((contact.name.as_str(), contact.phone.as_str()), ("Thandi", "27820000001"));
        assert_eq!(faulty(NewContact::parse(b"{}")), ["fullName", "phoneNumber"]);
        assert_eq!(faulty(NewContact::parse(br#"{"fullName":"T","phoneNumber":"0820000001"}"#)), ["phoneNumber"]);
    }

    #[test]
    fn a_name_has_1_to_200_characters() {
        let renamed = |name: &str| parse_rename(format!(r#"{{"fullName":"{name}"}}"#).as_bytes());
        assert!(renamed(&"é".repeat(200)).is_ok());
        for bad in
            ["", "  ", &"é".repeat(201), "a\\nb", "\u{200B}", "\u{3164}", "\u{202E}", "\u{2060} \u{FEFF}", "\u{2800}"]
        {
            assert_eq!(faulty(renamed(bad)), ["fullName"], "{bad:?}");
        }
        assert_eq!(renamed("\u{202E}Thandi").unwrap().as_str(), "\u{202E}Thandi", "there is something to see");
    }

    #[test]
    fn tags_are_short_trimmed_and_kept_once() {
        let tags = |list: &str| parse_tag_list(format!(r#"{{"tags":{list}}}"#).as_bytes());
        assert_eq!(tags(r#"[" vip ","VIP","new"]"#).unwrap(), ["vip", "new"]);
        assert!(tags("[]").unwrap().is_empty());
        let many = (0..21).map(|at| format!("\"{at}\"")).collect::<Vec<_>>().join(",");
        for bad in [r#"[" "]"#, r#"["a\nb"]"#, &format!("[\"{}\"]", "x".repeat(41)), &format!("[{many}]")] {
            assert_eq!(faulty(tags(bad)), ["tags"], "{bad}");
        }
        assert_eq!(faulty(parse_note(br#"{"text":" "}"#)), ["text"]);
    }

    #[test]
    fn a_change_has_the_name_and_nothing_else() {
        assert_eq!(faulty(parse_rename(b"{}")), ["fullName"]);
        for field in ["phoneNumber", "businessName", "id", "customerUserId"] {
            let body = format!(r#"{{"fullName":"T","{field}":"27820000001"}}"#);
            assert_eq!(faulty(parse_rename(body.as_bytes())), [field]);
        }
    }
}
