//! Delivery receipts with text and parameters, as most SMSCs send both (PROVIDERS C.3).

use chrono::{DateTime, Utc};
use rusmpp::pdus::{DeliverSm, SubmitSm};
use rusmpp::tlvs::MessageDeliveryRequestTlvValue;
use rusmpp::types::{COctetString, OctetString};
use rusmpp::values::{EsmClass, MessageState, Npi, Ton};

const RECEIPT: u8 = 0x04;
const SHOWN_TEXT: usize = 20;

pub(crate) struct Receipt<'a> {
    pub(crate) message_id: &'a str,
    /// `DELIVRD`, `UNDELIV`, …
    pub(crate) state: &'a str,
    pub(crate) text: &'a str,
    pub(crate) submitted: DateTime<Utc>,
    pub(crate) done: DateTime<Utc>,
}

pub(crate) fn build(submit: &SubmitSm, receipt: &Receipt<'_>) -> DeliverSm {
    let mut text = text_form(receipt);
    text.truncate(254);
    let mut builder = DeliverSm::builder()
        .source_addr_ton(Ton::International)
        .source_addr_npi(Npi::Isdn)
        .source_addr(submit.destination_addr.clone())
        .dest_addr_ton(submit.source_addr_ton)
        .dest_addr_npi(submit.source_addr_npi)
        .destination_addr(submit.source_addr.clone())
        .esm_class(EsmClass::from(RECEIPT))
        .push_tlv(MessageDeliveryRequestTlvValue::MessageState(code(receipt.state)));
    if let Ok(text) = OctetString::from_string(text) {
        builder = builder.short_message(text);
    }
    if let Ok(id) = COctetString::from_string(receipt.message_id.to_owned()) {
        builder = builder.push_tlv(MessageDeliveryRequestTlvValue::ReceiptedMessageId(id));
    }
    builder.build()
}

fn text_form(receipt: &Receipt<'_>) -> String {
    let delivered = u8::from(receipt.state == "DELIVRD");
    let error = match receipt.state {
        "DELIVRD" | "ACCEPTD" | "ENROUTE" => "000",
        _ => "001",
    };
    let shown: String = receipt
        .text
        .chars()
        .take(SHOWN_TEXT)
        .map(|c| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' })
        .collect();
    format!(
        "id:{} sub:001 dlvrd:00{delivered} submit date:{} done date:{} stat:{} err:{error} text:{shown}",
        receipt.message_id,
        receipt.submitted.format("%y%m%d%H%M"),
        receipt.done.format("%y%m%d%H%M"),
        receipt.state,
    )
}

fn code(state: &str) -> MessageState {
    match state {
        "SCHEDLD" => MessageState::Scheduled,
        "ENROUTE" => MessageState::Enroute,
        "DELIVRD" => MessageState::Delivered,
        "EXPIRED" => MessageState::Expired,
        "DELETED" => MessageState::Deleted,
        "UNDELIV" => MessageState::Undeliverable,
        "ACCEPTD" => MessageState::Accepted,
        "REJECTD" => MessageState::Rejected,
        "SKIPPED" => MessageState::Skipped,
        _ => MessageState::Unknown,
    }
}
