//! The standard names of command status values.

use rusmpp::CommandStatus;

pub(super) fn status_name(status: CommandStatus) -> String {
    if let CommandStatus::Other(code) = status {
        return format!("0x{code:08X}");
    }
    let variant = format!("{status:?}").to_uppercase();
    match variant.strip_prefix("ESME") {
        Some(rest) => format!("ESME_{rest}"),
        None => variant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_standard() {
        assert_eq!(status_name(CommandStatus::from(0x58)), "ESME_RTHROTTLED");
        assert_eq!(status_name(CommandStatus::from(0x0e)), "ESME_RINVPASWD");
        assert_eq!(status_name(CommandStatus::from(0x0400)), "0x00000400");
    }
}
