//! Message ids of SMSCs: opaque, but some name an id in hexadecimal and again in decimal (PROVIDERS C.2), or pad it.

/// The relation of the ids of a route. Both sides are converted to one form and compared as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdForm {
    #[default]
    Raw,
    /// Hexadecimal in the submit answer, decimal in the receipt.
    HexThenDecimal,
    /// Decimal in the submit answer, hexadecimal in the receipt.
    DecimalThenHex,
    /// Hexadecimal on both sides; case and leading zeros do not matter.
    Hex,
    /// Decimal on both sides; leading zeros do not matter.
    Decimal,
}

impl IdForm {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "raw" => Self::Raw,
            "hexdec" => Self::HexThenDecimal,
            "dechex" => Self::DecimalThenHex,
            "hex" => Self::Hex,
            "dec" => Self::Decimal,
            _ => return None,
        })
    }

    pub(super) fn of_submit(self, id: &str) -> String {
        match self {
            Self::Raw => id.trim().to_owned(),
            Self::HexThenDecimal | Self::Hex => number(id, 16),
            Self::DecimalThenHex | Self::Decimal => number(id, 10),
        }
    }

    pub(super) fn of_receipt(self, id: &str) -> String {
        match self {
            Self::Raw => id.trim().to_owned(),
            Self::HexThenDecimal | Self::Decimal => number(id, 10),
            Self::DecimalThenHex | Self::Hex => number(id, 16),
        }
    }

    /// Returns the possible ids of the message of a receipt, the likeliest first. SMPP 3.4 (5.3.2.12) has the id of the submit
    /// answer in the parameter; some SMSCs repeat the id of the text there. If one reading of the parameter agrees with the
    /// text, it is certain.
    pub(super) fn of_receipt_ids(self, parameter: Option<&str>, text: Option<&str>) -> Vec<String> {
        let mut readings: Vec<String> =
            parameter.map(|id| vec![self.of_submit(id), self.of_receipt(id)]).unwrap_or_default();
        if let Some(said) = text.map(|id| self.of_receipt(id)) {
            if readings.contains(&said) {
                return vec![said];
            }
            readings.push(said);
        }
        readings.dedup();
        readings
    }
}

/// The number in decimal, the common form. A text that is not such a number stays as it is.
fn number(id: &str, radix: u32) -> String {
    let id = id.trim();
    let digits = id.strip_prefix("0x").or_else(|| id.strip_prefix("0X")).unwrap_or(id);
    u128::from_str_radix(digits, radix).map_or_else(|_| id.to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_ids_are_compared_as_they_are() {
        assert_eq!(IdForm::Raw.of_submit("00aB"), IdForm::Raw.of_receipt("00aB"));
        assert_ne!(IdForm::Raw.of_submit("ab"), IdForm::Raw.of_receipt("AB"));
    }

    #[test]
    fn a_hexadecimal_answer_meets_its_decimal_receipt() {
        let form = IdForm::from_name("hexdec").unwrap();
        assert_eq!(form.of_submit("07FCEA2F"), form.of_receipt("0134015535"));
        assert_ne!(form.of_submit("10"), form.of_receipt("10"));
    }

    #[test]
    fn a_decimal_answer_meets_its_hexadecimal_receipt() {
        let form = IdForm::from_name("dechex").unwrap();
        assert_eq!(form.of_submit("134015535"), form.of_receipt("7fcea2f"));
    }

    #[test]
    fn padding_and_case_do_not_matter_when_the_route_says_so() {
        assert_eq!(IdForm::Hex.of_submit("00AB"), IdForm::Hex.of_receipt("0xab"));
        assert_eq!(IdForm::Decimal.of_submit("42"), IdForm::Decimal.of_receipt("0000000042"));
    }

    #[test]
    fn the_parameter_of_a_receipt_has_the_id_of_the_answer_or_else_that_of_the_text() {
        let form = IdForm::HexThenDecimal;
        let ids = |form: IdForm, parameter, text| form.of_receipt_ids(parameter, text);
        assert_eq!(ids(form, Some("3E9"), None), [form.of_submit("3E9").as_str(), "3E9"]);
        assert_eq!(ids(form, Some("3E9"), Some("0000001001")), ["1001"], "both agree");
        assert_eq!(ids(form, Some("1001"), Some("1001")), ["1001"], "the parameter repeats the text");
        assert_eq!(ids(form, Some("1001"), None), ["4097", "1001"]);
        assert_eq!(ids(form, Some("3E9"), Some("77")), ["1001", "3E9", "77"]);
        assert_eq!(ids(IdForm::DecimalThenHex, Some("1001"), Some("3e9")), ["1001"]);
        assert_eq!(ids(IdForm::Raw, Some("3E9"), Some("1001")), ["3E9", "1001"]);
        assert_eq!(ids(IdForm::Raw, Some("M-1"), None), ["M-1"]);
        assert_eq!(ids(IdForm::Raw, None, Some("M-1")), ["M-1"]);
    }

    #[test]
    fn an_id_that_is_no_number_is_kept() {
        assert_eq!(IdForm::HexThenDecimal.of_submit("M-1"), "M-1");
        assert_eq!(IdForm::Decimal.of_receipt("M-1"), "M-1");
    }
}
