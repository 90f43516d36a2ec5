//! World `sms-fallback`.

use super::forms::{record, variant};
use crate::sms_fallback::{Decision, RequestedFallback, Sms, Undeliverable};

record!(RequestedFallback { send_fallback, text, unicode });
record!(Undeliverable {
    message_id,
    recipient,
    sender,
    error_code,
    error_text,
    requested,
    auto_text,
    seen_on_whatsapp,
    age_seconds,
    template_name,
    metadata,
});
record!(Sms { text, unicode, sender });
variant!(Decision {
    value { "skip" => Skip as "reason" }
    record { "send" => Send }
});
