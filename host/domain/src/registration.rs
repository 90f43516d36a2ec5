//! Registration of a number for WhatsApp Lite (SPEC 4.7).

use serde::Deserialize;

use crate::{
    body::{self, FieldFault},
    inbox::LiteHosting,
    phone::Msisdn,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteRegistration {
    pub number: Msisdn,
    pub hosting: LiteHosting,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Body {
    number: Option<String>,
    #[serde(default, deserialize_with = "body::optional_word")]
    hosting_type: Option<LiteHosting>,
}

impl LiteRegistration {
    /// Parses a body. `number` is required, in the form of SPEC 2.2. The default of `hostingType` is `WHATSAPP_GO`.
    pub fn parse(body: &[u8]) -> Result<Self, FieldFault> {
        let body: Body = body::parse(body)?;
        let text = body.number.filter(|number| !number.is_empty());
        let text = text.ok_or_else(|| FieldFault::required("number"))?;
        let number = Msisdn::parse(&text).map_err(|fault| FieldFault::new("number", fault.to_string()))?;
        Ok(Self { number, hosting: body.hosting_type.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(body: &str) -> Result<LiteRegistration, FieldFault> {
        LiteRegistration::parse(body.as_bytes())
    }

    #[test]
    fn a_number_is_enough_and_the_platform_hosts_it() {
        let registration = parsed(r#"{"number":"+27820001001"}"#).unwrap();
        assert_eq!((registration.number.as_str(), registration.hosting.as_str()), ("27820001001", "WHATSAPP_GO"));
        assert_eq!(parsed(r#"{"number":"27820001001","hostingType":"WHATSAPP_GO"}"#), Ok(registration.clone()));
        assert_eq!(parsed(r#"{"number":"27820001001","hostingType":null}"#), Ok(registration));
    }

    #[test]
    fn a_number_that_is_missing_is_asked_for() {
        for body in ["{}", r#"{"number":""}"#, r#"{"number":null}"#] {
            assert_eq!(parsed(body), Err(FieldFault::required("number")));
        }
    }

    #[test]
    fn a_number_has_seven_to_fifteen_digits_and_does_not_begin_with_nought() {
        for number in ["1234567", "123456789012345"] {
            assert!(parsed(&format!(r#"{{"number":"{number}"}}"#)).is_ok(), "{number}");
        }
        for number in ["123456", "1234567890123456", "0820001001", "27 82 000 1001", "++27820001001", "27a20001001"] {
            let fault = parsed(&format!(r#"{{"number":"{number}"}}"#)).unwrap_err();
            assert_eq!(fault.field, "number", "{number}");
        }
    }

    #[test]
    fn an_unknown_field_is_refused_by_name() {
        assert_eq!(parsed(r#"{"number":"27820001001","hostingType":"CLOUD"}"#).unwrap_err().field, "hostingType");
        assert_eq!(parsed(r#"{"number":"27820001001","hosting":"WHATSAPP_GO"}"#).unwrap_err().field, "hosting");
        assert_eq!(parsed(r#"{"number":27820001001}"#).unwrap_err().field, "number");
    }
}
