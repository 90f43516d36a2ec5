//! Handles one `submit_sm`: the answer, the phone's inbox, and the receipt.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rusmpp::{
    CommandStatus,
    pdus::{DeliverSm, SubmitSm, SubmitSmResp},
    types::COctetString,
};
use serde_json::json;

use super::{
    encoding,
    reassembly::{JoinedMessage, SubmitPart},
    receipts::{self, Receipt},
    session_state::SmscSession,
};
use crate::{
    clock, identity,
    mailbox::{MessageState, PhoneChannel, PhoneRecord},
    world::SimulatedWorld,
};

const UNTIL_RECEIPT: Duration = Duration::from_millis(50);
const RECEIPT_WANTED: u8 = 0x03;

pub(super) struct SubmitReaction {
    pub(super) status: CommandStatus,
    pub(super) response: SubmitSmResp,
    pub(super) receipt: Option<DeliverSm>,
    pub(super) receipt_first: bool,
    pub(super) answer: SubmitAnswer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubmitAnswer {
    Pdu,
    Nothing,
    Nonsense,
}

pub(super) fn refusal(status: CommandStatus) -> SubmitReaction {
    SubmitReaction {
        status,
        response: SubmitSmResp::default(),
        receipt: None,
        receipt_first: false,
        answer: SubmitAnswer::Pdu,
    }
}

pub(super) fn take(session: &mut SmscSession, submit: &SubmitSm) -> SubmitReaction {
    let world = Arc::clone(&session.world);
    let world = &*world;
    let msisdn = identity::digits(submit.destination_addr.as_str());
    if msisdn.is_empty() {
        return refusal(CommandStatus::EsmeRinvdstadr);
    }
    let (faults, phone) = {
        let mut state = world.state();
        if state.faults.smsc_throttle > 0 {
            state.faults.smsc_throttle -= 1;
            return refusal(CommandStatus::EsmeRthrottled);
        }
        if state.faults.smsc_queue_full > 0 {
            state.faults.smsc_queue_full -= 1;
            return refusal(CommandStatus::EsmeRmsgqful);
        }
        if state.faults.smsc_nonsense > 0 {
            state.faults.smsc_nonsense -= 1;
            return SubmitReaction { answer: SubmitAnswer::Nonsense, ..refusal(CommandStatus::EsmeRsyserr) };
        }
        if state.faults.smsc_rate.is_some_and(|most| is_too_fast(session, most)) {
            return refusal(CommandStatus::EsmeRthrottled);
        }
        (state.faults.clone(), state.phones.get(&msisdn).clone())
    };
    let number = world.smsc.new_message_id();
    let (answered, reported) = if faults.smsc_hex_ids {
        (format!("{number:X}"), number.to_string())
    } else {
        (number.to_string(), number.to_string())
    };
    let final_state = phone.sms_state.or(faults.smsc_receipt_state);
    let final_state = final_state.unwrap_or_else(|| "DELIVRD".to_owned());
    let part = SubmitPart::of(submit);
    let data_coding = u8::from(submit.data_coding);
    let text = encoding::decode(data_coding, &part.octets);
    let from = submit.source_addr.as_str();
    let whole = world.smsc.registry().reassembly.take(from, &msisdn, part);
    if let Some(whole) = whole.filter(|_| matches!(final_state.as_str(), "DELIVRD" | "NONE")) {
        receive(world, &msisdn, from, &answered, data_coding, whole);
    }
    let wanted = u8::from(submit.registered_delivery) & RECEIPT_WANTED != 0;
    let receipt = (wanted && final_state != "NONE").then(|| {
        let now = clock::now();
        let receipt = Receipt { message_id: &reported, state: &final_state, text: &text, submitted: now, done: now };
        receipts::build(submit, &receipt)
    });
    let id = COctetString::from_string(answered).unwrap_or_else(|_| COctetString::null());
    SubmitReaction {
        status: CommandStatus::EsmeRok,
        response: SubmitSmResp::new(id, Vec::new()),
        receipt,
        receipt_first: faults.smsc_receipt_before_response,
        answer: if faults.smsc_silent { SubmitAnswer::Nothing } else { SubmitAnswer::Pdu },
    }
}

fn is_too_fast(session: &mut SmscSession, most: u32) -> bool {
    let (since, count) = &mut session.second;
    if since.elapsed() >= Duration::from_secs(1) {
        (*since, *count) = (Instant::now(), 0);
    }
    *count += 1;
    *count > most
}

fn receive(world: &SimulatedWorld, msisdn: &str, from: &str, id: &str, data_coding: u8, whole: JoinedMessage) {
    let text = encoding::decode(data_coding, &whole.octets);
    world.state().mailbox.receive(PhoneRecord {
        id: id.to_owned(),
        msisdn: msisdn.to_owned(),
        channel: PhoneChannel::Sms,
        from: from.to_owned(),
        phone_number_id: None,
        device: None,
        kind: "text".to_owned(),
        body: json!({"text": text}).to_string().into(),
        text,
        buttons: Vec::new(),
        cards: Vec::new(),
        received_time: clock::now(),
        status: MessageState::Delivered,
        parts: Some(whole.parts),
        data_coding: Some(data_coding),
        sender: None,
    });
}

pub(super) fn report_later(session: &SmscSession, receipt: DeliverSm) {
    let world = Arc::clone(&session.world);
    let (id, system_id) = (session.id, session.system_id.clone());
    session.world.tasks.spawn(async move {
        let delay = world.faults().smsc_receipt_delay_millis.map_or(UNTIL_RECEIPT, Duration::from_millis);
        world.pause(delay).await;
        world.smsc.deliver(id, &system_id, receipt);
    });
}
