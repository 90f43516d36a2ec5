//! The webhook configuration of a client or of one of its numbers (SPEC 2.12).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::WebhookType;
use crate::{
    body::{self, FieldFault},
    ids::{InboxId, WebhookConfigId},
    phone::Msisdn,
};

/// Format of chatbot events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PayloadVersion {
    /// Flat; deprecated, still the default.
    #[default]
    V1,
    /// With teams, quoted replies and BSUIDs.
    V2,
}

impl PayloadVersion {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown payload version `{0}`")]
pub struct UnknownPayloadVersion(String);

impl std::str::FromStr for PayloadVersion {
    type Err = UnknownPayloadVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = [Self::V1, Self::V2].into_iter().find(|version| version.as_str() == text);
        known.ok_or_else(|| UnknownPayloadVersion(text.to_owned()))
    }
}

/// Body of a create (`POST`) or update (`PUT`). The body of a read is accepted unchanged. Any other field is refused,
/// because a mistyped URL field would otherwise turn that webhook off.
/// An empty URL turns its type off.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookConfigRequest {
    pub id: Option<String>,
    /// Absent, null or empty: the client default (see [`WebhookConfigRequest::scope`]). Ignored on update.
    pub whats_app_number_id: Option<String>,
    /// Read-only. A value in a request is ignored.
    #[serde(default, rename = "whatsAppNumberMsisdn")]
    pub whats_app_number_msisdn: Option<String>,
    #[serde(rename = "incomingMessageURL")]
    pub incoming_message_url: Option<String>,
    #[serde(rename = "statusUpdateURL")]
    pub status_update_url: Option<String>,
    #[serde(rename = "sessionStatusURL")]
    pub session_status_url: Option<String>,
    #[serde(rename = "eventWebhookURL")]
    pub event_webhook_url: Option<String>,
    #[serde(rename = "chatbotWebhookURL")]
    pub chatbot_webhook_url: Option<String>,
    pub chatbot_include_outgoing: Option<bool>,
    pub chatbot_stop_on_agent_assignment: Option<bool>,
    /// `v1` or `v2`.
    #[serde(default, deserialize_with = "body::optional_word")]
    pub chatbot_payload_version: Option<PayloadVersion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberScope {
    /// All numbers without their own configuration.
    ClientDefault,
    /// One number. The caller must check that it belongs to the client.
    Number(InboxId),
    /// An invalid id. The answer is 403, as for a number of another client (SPEC 7).
    Impossible,
}

impl WebhookConfigRequest {
    /// Parses a body. Each URL must be absolute, `http` or `https`, and without a password.
    pub fn parse(body: &[u8]) -> Result<Self, Vec<FieldFault>> {
        let request: Self = body::parse(body).map_err(|fault| vec![fault])?;
        let faults: Vec<FieldFault> = request.urls().filter_map(|(kind, url)| url_fault(kind, url?)).collect();
        if faults.is_empty() { Ok(request) } else { Err(faults) }
    }

    pub fn scope(&self) -> NumberScope {
        match self.whats_app_number_id.as_deref() {
            None | Some("") => NumberScope::ClientDefault,
            Some(id) => id.parse().map_or(NumberScope::Impossible, NumberScope::Number),
        }
    }

    /// The id of the configuration to update. `None` if the id is invalid: the answer is 404, as for an unknown one.
    pub fn updates(&self) -> Result<Option<WebhookConfigId>, FieldFault> {
        match self.id.as_deref() {
            None | Some("") => Err(FieldFault::new(
                "id",
                "is required: the id of the configuration, as WhatsAppClientWebHook/list shows it",
            )),
            Some(id) => Ok(id.parse().ok()),
        }
    }

    /// The settings of a create. An absent URL is off, and an absent switch has its default.
    pub fn create(&self) -> WebhookSettings {
        self.update(&WebhookSettings::default())
    }

    /// The settings after an update. An absent field is unchanged, and an empty URL turns its type off (DESIGN 7).
    pub fn update(&self, stored: &WebhookSettings) -> WebhookSettings {
        let mut settings = stored.clone();
        for (kind, url) in self.urls() {
            match url {
                Some("") => {
                    settings.urls.remove(&kind);
                }
                Some(url) => {
                    settings.urls.insert(kind, url.to_owned());
                }
                None => {}
            }
        }
        let switch = |given: Option<bool>, stored: bool| given.unwrap_or(stored);
        settings.chatbot_include_outgoing = switch(self.chatbot_include_outgoing, stored.chatbot_include_outgoing);
        settings.chatbot_stop_on_agent_assignment =
            switch(self.chatbot_stop_on_agent_assignment, stored.chatbot_stop_on_agent_assignment);
        settings.chatbot_payload_version = self.chatbot_payload_version.unwrap_or(stored.chatbot_payload_version);
        settings
    }

    pub fn urls(&self) -> impl Iterator<Item = (WebhookType, Option<&str>)> {
        WebhookType::ALL.into_iter().map(|kind| {
            let url = match kind {
                WebhookType::IncomingMessage => &self.incoming_message_url,
                WebhookType::StatusUpdate => &self.status_update_url,
                WebhookType::SessionStatus => &self.session_status_url,
                WebhookType::PartnerEvent => &self.event_webhook_url,
                WebhookType::Chatbot => &self.chatbot_webhook_url,
            };
            (kind, url.as_deref())
        })
    }
}

fn url_fault(kind: WebhookType, url: &str) -> Option<FieldFault> {
    let wrong = match (url, Url::parse(url)) {
        ("", _) => return None,
        (_, Err(_)) => {
            "is not an address; give an absolute http or https URL, or an empty text to turn this webhook off"
        }
        (_, Ok(url)) if !matches!(url.scheme(), "http" | "https") => "must be an http or https URL",
        (_, Ok(url)) if !url.username().is_empty() || url.password().is_some() => {
            "must not contain a user name or password"
        }
        (_, Ok(_)) => return None,
    };
    Some(FieldFault::new(kind.url_field(), wrong))
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct WebhookSettings {
    pub urls: BTreeMap<WebhookType, String>,
    pub chatbot_include_outgoing: bool,
    pub chatbot_stop_on_agent_assignment: bool,
    pub chatbot_payload_version: PayloadVersion,
}

impl WebhookSettings {
    pub fn url(&self, kind: WebhookType) -> Option<&str> {
        self.urls.get(&kind).map(String::as_str)
    }
}

/// The configuration for the events of a number: its own as a whole, or else the client default.
pub fn in_force<'c, C>(own: Option<&'c C>, client_default: Option<&'c C>) -> Option<&'c C> {
    own.or(client_default)
}

/// A configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StoredWebhookConfiguration)]
pub struct WebhookConfig {
    /// Id of the configuration.
    #[schema(value_type = Uuid)]
    pub id: WebhookConfigId,
    /// Null for the client's default.
    #[schema(value_type = Option<Uuid>)]
    pub whats_app_number_id: Option<InboxId>,
    /// Null for the client's default.
    #[schema(value_type = Option<String>)]
    pub whats_app_number_msisdn: Option<Msisdn>,
    /// Empty: off.
    #[serde(rename = "incomingMessageURL")]
    pub incoming_message_url: String,
    /// Empty: off.
    #[serde(rename = "statusUpdateURL")]
    pub status_update_url: String,
    /// Empty: off.
    #[serde(rename = "sessionStatusURL")]
    pub session_status_url: String,
    /// Empty: off.
    #[serde(rename = "eventWebhookURL")]
    pub event_webhook_url: String,
    /// Empty: off.
    #[serde(rename = "chatbotWebhookURL")]
    pub chatbot_webhook_url: String,
    /// `true`: replies of chatbots and agents, and assignments, are sent too. Templates are never sent.
    pub chatbot_include_outgoing: bool,
    /// `true`: while an agent is assigned to a chat, none of its chatbot events is sent, not even for messages of the
    /// customer.
    pub chatbot_stop_on_agent_assignment: bool,
    /// Format of chatbot events: `v1` is flat. `v2` adds teams, quoted replies and BSUIDs.
    pub chatbot_payload_version: PayloadVersion,
}

impl WebhookConfig {
    pub fn new(id: WebhookConfigId, number: Option<(InboxId, Msisdn)>, settings: &WebhookSettings) -> Self {
        let (whats_app_number_id, whats_app_number_msisdn) = number.unzip();
        let url = |kind| settings.url(kind).unwrap_or_default().to_owned();
        Self {
            id,
            whats_app_number_id,
            whats_app_number_msisdn,
            incoming_message_url: url(WebhookType::IncomingMessage),
            status_update_url: url(WebhookType::StatusUpdate),
            session_status_url: url(WebhookType::SessionStatus),
            event_webhook_url: url(WebhookType::PartnerEvent),
            chatbot_webhook_url: url(WebhookType::Chatbot),
            chatbot_include_outgoing: settings.chatbot_include_outgoing,
            chatbot_stop_on_agent_assignment: settings.chatbot_stop_on_agent_assignment,
            chatbot_payload_version: settings.chatbot_payload_version,
        }
    }
}
