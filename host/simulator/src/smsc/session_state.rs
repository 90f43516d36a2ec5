use std::{sync::Arc, time::Instant};

use rusmpp::{pdus::DeliverSm, tokio_codec::CommandCodec};
use tokio::{net::TcpStream, sync::mpsc::UnboundedSender};
use tokio_util::{codec::Framed, sync::CancellationToken};

use super::unanswered_deliveries::UnansweredDeliveries;
use crate::world::SimulatedWorld;

pub(super) struct SmscSession {
    pub(super) world: Arc<SimulatedWorld>,
    pub(super) id: u64,
    pub(super) system_id: String,
    pub(super) framed: Framed<TcpStream, CommandCodec>,
    pub(super) bind: Option<BindKind>,
    pub(super) delivery_sender: UnboundedSender<DeliverSm>,
    pub(super) sequence: u32,
    /// `deliver_sm` without an answer. When the session ends they go to the next receiver.
    pub(super) unanswered: UnansweredDeliveries,
    /// True from an `enquire_link` of ours until the next PDU of the client.
    pub(super) enquire_link_unanswered: bool,
    /// The current second, and the number of submits in it.
    pub(super) second: (Instant, u32),
    /// Cancelled to drop the link.
    pub(super) lost: CancellationToken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BindKind {
    Transmitter,
    Receiver,
    Transceiver,
}

impl BindKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Transmitter => "transmitter",
            Self::Receiver => "receiver",
            Self::Transceiver => "transceiver",
        }
    }
}
