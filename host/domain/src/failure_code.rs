//! Our own codes of failed messages. Other failed messages have the code of their provider, unchanged.

/// Why a message failed, where no provider says it. The list is closed: `docs/errors.md` has a row for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OwnCode {
    /// The number was looked up before sending and is not registered on WhatsApp (Lite).
    NotRegistered,
    /// The second provider call was not answered either.
    NoAnswer,
    /// Its outcome is unknown, and its client wants no message twice.
    NotRepeated,
    Cancelled,
    CannotCarry,
    /// The SMSC refused it; the SMSC's status is in the text.
    RefusedBySmsc,
    /// The repeated submit was not answered either.
    NoAnswerFromSmsc,
    /// The SMSC took it, and it did not arrive.
    UndeliveredSms,
    /// A router of SMS refused it; its reason is in the text.
    RefusedByRouter,
    /// The device of a Lite number did not take it, or could not send it.
    RefusedByDevice,
    StoppedSms,
    /// It could not be handed over for too long.
    NotHandedOver,
}

impl OwnCode {
    pub const ALL: [Self; 12] = [
        Self::NotRegistered,
        Self::NoAnswer,
        Self::NotRepeated,
        Self::Cancelled,
        Self::CannotCarry,
        Self::RefusedBySmsc,
        Self::NoAnswerFromSmsc,
        Self::UndeliveredSms,
        Self::RefusedByRouter,
        Self::RefusedByDevice,
        Self::StoppedSms,
        Self::NotHandedOver,
    ];

    pub const fn code(self) -> i64 {
        match self {
            Self::NotRegistered => 900_404,
            Self::NoAnswer => 900_408,
            Self::NotRepeated => 900_409,
            Self::Cancelled => 900_410,
            Self::CannotCarry => 900_415,
            Self::RefusedBySmsc => 900_450,
            Self::NoAnswerFromSmsc => 900_451,
            Self::UndeliveredSms => 900_452,
            Self::RefusedByRouter => 900_453,
            Self::RefusedByDevice => 900_460,
            Self::StoppedSms => 900_470,
            Self::NotHandedOver => 900_503,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_codes_are_unique_and_differ_from_those_of_providers() {
        let codes: Vec<i64> = OwnCode::ALL.into_iter().map(OwnCode::code).collect();
        assert!(codes.is_sorted_by(|one, next| one < next), "{codes:?}");
        assert!(codes.iter().all(|code| (900_000..901_000).contains(code)), "{codes:?}");
    }
}
