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
    fn an_id_that_is_no_number_is_kept() {
        assert_eq!(IdForm::HexThenDecimal.of_submit("M-1"), "M-1");
        assert_eq!(IdForm::Decimal.of_receipt("M-1"), "M-1");
    }
}
