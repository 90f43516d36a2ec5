use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    inbound::ProviderFailure,
};
use reqwest::Method;
use serde_json::Value;

use super::{
    CloudApi, CloudNumber, GraphError,
    cloud_send::CloudSend,
    graph::{NoAnswer, answer},
    message_body::{message_body, read_receipt_body},
    send_failure::send_failure,
};

impl CloudApi {
    /// Sends one message. Never sends twice by itself.
    pub async fn send(&self, number: &CloudNumber, send: &CloudSend<'_>) -> Result<Acceptance, SendFailure> {
        let Some(body) = message_body(send) else {
            let text = "the message has neither a phone number nor a user id".to_owned();
            return Err(SendFailure::Rejected(ProviderFailure { code: 100, text }));
        };
        let call = self.call(Method::POST, &[&number.phone_number_id, "messages"], &number.access_token).json(&body);
        let response = self.client.send(call).await?;
        match answer(response).await {
            Ok(value) => read_acceptance(&value),
            Err(NoAnswer::Lost(reason)) => Err(SendFailure::Unknown { reason }),
            Err(NoAnswer::Error(error)) => Err(send_failure(error)),
        }
    }

    /// Marks an inbound message and all earlier ones as read. `typing` for at most 25 s (PROVIDERS A.5: only with the read mark).
    pub async fn mark_read(&self, number: &CloudNumber, wamid: &str, typing: bool) -> Result<(), GraphError> {
        let call = self
            .call(Method::POST, &[&number.phone_number_id, "messages"], &number.access_token)
            .json(&read_receipt_body(wamid, typing));
        self.read::<Value>(call).await.map(|_| ())
    }
}

/// The canonical number may differ from the given one (Brazil, Argentina, Mexico). Sends to a BSUID return a BSUID.
fn read_acceptance(value: &Value) -> Result<Acceptance, SendFailure> {
    let text = |list: &str, field: &str| {
        value.get(list)?.get(0)?.get(field)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let Some(provider_id) = text("messages", "id") else {
        let reason = "the answer names no message id".to_owned();
        return Err(SendFailure::Unknown { reason });
    };
    let held = text("messages", "message_status").is_some_and(|status| status != "accepted");
    let named = [(AddressKind::Phone, "wa_id"), (AddressKind::Bsuid, "user_id")];
    let learned =
        named.into_iter().filter_map(|(kind, field)| Address::of_kind(kind, &text("contacts", field)?)).collect();
    Ok(Acceptance { provider_id: Some(provider_id), learned, held, sent: false })
}
