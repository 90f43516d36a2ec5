//! The sessions of the SMSC, and the messages that wait for one.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use parking_lot::{Mutex, MutexGuard};
use rusmpp::{
    pdus::DeliverSm,
    types::{COctetString, OctetString},
    values::{DataCoding, EsmClass, Npi, Ton},
};
use tokio::sync::mpsc::UnboundedSender;

use super::{bind_info::BindInfo, encoding, reassembly::PhoneReassembly};
use crate::clock;

/// The key of messages that wait for a receiver with any system id.
pub(super) const ANY_RECEIVER: &str = "";
/// Ids of sessions begin with 1.
const NO_SESSION: u64 = 0;

#[derive(Default)]
pub(crate) struct SimulatedSmsc {
    pub(super) registry: Mutex<SessionRegistry>,
}

#[derive(Default)]
pub(super) struct SessionRegistry {
    pub(super) last_session: u64,
    pub(super) last_message: u64,
    pub(super) last_reference: u8,
    pub(super) receivers: BTreeMap<u64, ReceiverSession>,
    /// `deliver_sm` without a receiver, by system id. They wait for the next bind.
    pub(super) waiting: HashMap<String, VecDeque<DeliverSm>>,
    pub(super) reassembly: PhoneReassembly,
    pub(super) bound: BTreeMap<u64, BindInfo>,
}

pub(super) struct ReceiverSession {
    pub(super) system_id: String,
    pub(super) delivery_sender: UnboundedSender<DeliverSm>,
}

pub(crate) struct OriginationOutcome {
    pub(crate) parts: usize,
    /// Number of system ids it was sent to. Zero if it waits for a bind.
    pub(crate) systems: usize,
}

impl SimulatedSmsc {
    pub(super) fn registry(&self) -> MutexGuard<'_, SessionRegistry> {
        self.registry.lock()
    }

    pub(crate) fn drop_pending(&self) {
        let mut registry = self.registry();
        registry.waiting.clear();
        registry.reassembly = PhoneReassembly::default();
    }

    pub(super) fn new_session(&self) -> u64 {
        let mut registry = self.registry();
        registry.last_session += 1;
        registry.last_session
    }

    /// A new message id. The random start makes collisions between runs unlikely.
    pub(super) fn new_message_id(&self) -> u64 {
        let mut registry = self.registry();
        if registry.last_message == 0 {
            registry.last_message = u64::from(u32::from_be_bytes(clock::random_bytes())) + 1_000_000_000;
        }
        registry.last_message += 1;
        registry.last_message
    }

    pub(super) fn add_receiver(&self, session: u64, system_id: &str, delivery_sender: UnboundedSender<DeliverSm>) {
        let mut registry = self.registry();
        for waiting in [system_id, ANY_RECEIVER] {
            for pdu in registry.waiting.remove(waiting).into_iter().flatten() {
                // The session has the other end and is being set up.
                let _ = delivery_sender.send(pdu);
            }
        }
        let receiver = ReceiverSession { system_id: system_id.to_owned(), delivery_sender };
        registry.receivers.insert(session, receiver);
    }

    pub(super) fn forget(&self, session: u64) {
        let mut registry = self.registry();
        registry.receivers.remove(&session);
        registry.bound.remove(&session);
    }

    /// Sends to the session or another receiver of the system id, or keeps the message for the next bind.
    pub(super) fn deliver(&self, session: u64, system_id: &str, pdu: DeliverSm) {
        let mut registry = self.registry();
        let own = registry.receivers.get(&session);
        let other = || registry.receivers.values().rev().find(|r| r.system_id == system_id);
        let unsent = match own.or_else(other) {
            Some(receiver) => receiver.delivery_sender.send(pdu).err().map(|error| error.0),
            None => Some(pdu),
        };
        if let Some(pdu) = unsent {
            registry.waiting.entry(system_id.to_owned()).or_default().push_back(pdu);
        }
    }

    pub(crate) fn originate(&self, msisdn: &str, to: &str, text: &str) -> OriginationOutcome {
        let pdus = self.deliver_sm_parts(msisdn, to, text);
        let systems: BTreeSet<String> =
            self.registry().receivers.values().map(|receiver| receiver.system_id.clone()).collect();
        for pdu in &pdus {
            if systems.is_empty() {
                let mut registry = self.registry();
                registry.waiting.entry(ANY_RECEIVER.to_owned()).or_default().push_back(pdu.clone());
            }
            for system_id in &systems {
                self.deliver(NO_SESSION, system_id, pdu.clone());
            }
        }
        OriginationOutcome { parts: pdus.len(), systems: systems.len() }
    }

    /// The `deliver_sm` of each part of an SMS from a phone.
    fn deliver_sm_parts(&self, msisdn: &str, to: &str, text: &str) -> Vec<DeliverSm> {
        let encoded = encoding::encode(text);
        let total = u8::try_from(encoded.parts.len()).unwrap_or(u8::MAX);
        let reference = {
            let mut registry = self.registry();
            registry.last_reference = registry.last_reference.wrapping_add(1);
            registry.last_reference
        };
        let address = |text: &str| {
            let digits = text.trim_start_matches('+').to_owned();
            COctetString::from_string(digits).unwrap_or_else(|_| COctetString::null())
        };
        let numeric = to.trim_start_matches('+').bytes().all(|byte| byte.is_ascii_digit());
        let part = |(position, octets): (u8, &Vec<u8>)| {
            let header: &[u8] = &[5, 0, 3, reference, total, position];
            let alone = total == 1;
            let octets = if alone { octets.clone() } else { [header, octets].concat() };
            DeliverSm::builder()
                .source_addr_ton(Ton::International)
                .source_addr_npi(Npi::Isdn)
                .source_addr(address(msisdn))
                .dest_addr_ton(if numeric { Ton::International } else { Ton::Alphanumeric })
                .dest_addr_npi(if numeric { Npi::Isdn } else { Npi::Unknown })
                .destination_addr(address(to))
                .esm_class(EsmClass::from(if alone { 0 } else { UDH_PRESENT }))
                .data_coding(DataCoding::from(encoded.data_coding))
                .short_message(OctetString::from_vec(octets).unwrap_or_else(|_| OctetString::null()))
                .build()
        };
        (1..=u8::MAX).zip(&encoded.parts).map(part).collect()
    }
}

pub(super) const UDH_PRESENT: u8 = 0x40;
