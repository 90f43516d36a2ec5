use domain::iso_time::iso_time;
use domain::{event::ConnectionStatus, ids::InboxId, inbox::InboxKind};
use inbound::lite::LiteSessionView;
use serde::Serialize;
use utoipa::ToSchema;

use crate::closed_sets::{ProviderName, SessionStateName, WantedSessionName};

/// The session of a Lite number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LiteSession, examples(json!({
    "whatsAppNumber": {
        "id": "0198f1de-7a34-7c52-9d11-0a8a3f2e4b61", "number": "27820001001", "whatsAppProvider": "WHATSAPP_LITE",
    },
    "wanted": "CONNECTED",
    "status": "Sync Complete. You can now send messages",
    "statusType": "success",
    "changedTime": "2026-01-31T08:15:30.123Z",
    "paired": true,
    "qrWaits": false,
})))]
pub(super) struct LiteSessionBody {
    /// The number.
    whats_app_number: Number,
    /// The last request.
    #[schema(value_type = WantedSessionName)]
    wanted: &'static str,
    /// The status, as on `sessionStatusURL`. `No Session` before the first connection.
    status: String,
    /// Absent before the first connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SessionStateName>)]
    status_type: Option<&'static str>,
    /// Time of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    changed_time: Option<String>,
    /// `true`: the next connection needs no QR code.
    paired: bool,
    /// `true`: a QR code waits for a scan at `GET .../qr` or `.../qr.png`.
    qr_waits: bool,
    /// If WhatsApp has flagged the number: the earliest time of the next connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    banned_until: Option<String>,
}

/// A Lite number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LiteNumber)]
struct Number {
    /// The `whatsAppNumberId` of all other endpoints.
    #[schema(value_type = Uuid)]
    id: InboxId,
    /// Digits, without `+`.
    number: String,
    /// `WHATSAPP_LITE`.
    #[schema(value_type = ProviderName)]
    whats_app_provider: &'static str,
}

/// A QR code.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LiteQrCode, examples(json!({"qr": "2@9f3c...,27820001001,1", "expiresTime": "2026-01-31T08:16:30.123Z"})))]
pub(super) struct QrCode {
    /// The content of the picture. Scan it in WhatsApp under Linked devices.
    pub(super) qr: String,
    /// The code expires at this time, and the next one is shown.
    #[schema(format = DateTime)]
    pub(super) expires_time: String,
}

impl From<LiteSessionView> for LiteSessionBody {
    fn from(view: LiteSessionView) -> Self {
        let session = view.session;
        Self {
            whats_app_number: Number {
                id: view.id,
                number: view.msisdn.into(),
                whats_app_provider: InboxKind::WhatsappLite.as_str(),
            },
            wanted: session.wanted.as_str(),
            status: session.state.words,
            status_type: session.state.status.map(ConnectionStatus::as_str),
            changed_time: session.changed_at.map(iso_time),
            paired: session.paired,
            qr_waits: session.qr.is_some(),
            banned_until: session.banned_until.map(iso_time),
        }
    }
}
