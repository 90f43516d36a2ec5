//! One row for each route: its permitted callers, and the places where it takes ids of a client's objects.

mod accounts;
mod conversations;
mod lite;
mod live_chat;
mod live_events;
mod plugins;
mod sending;
mod sms;
mod web_chat;
mod webhooks;

use serde_json::{Value, json};

pub struct Ids {
    pub client: String,
    pub number: String,
    pub number_id: String,
    pub webhook: String,
    pub plugin: String,
    pub participant: String,
    pub upload: String,
    pub conversation: String,
    pub client_ref: String,
    pub user: String,
    pub team: String,
    pub contact: String,
    /// The tracking id of a message of `batch`.
    pub message: String,
    pub batch: String,
    /// For all other kinds of objects.
    pub other: String,
}

impl Ids {
    /// Ids that do not exist.
    pub fn unowned() -> Self {
        let id = |at: u128| uuid::Uuid::from_u128(at).to_string();
        Self {
            client: id(11),
            number: "27119999999".to_owned(),
            number_id: id(12),
            webhook: id(13),
            plugin: "nobodys-plugin".to_owned(),
            participant: id(15),
            upload: id(16),
            conversation: id(17),
            client_ref: "nobodys-ref".to_owned(),
            user: id(20),
            team: id(21),
            contact: id(22),
            message: id(18),
            batch: id(19),
            other: id(14),
        }
    }

    pub fn all(&self) -> [&str; 15] {
        let Self { client, number, number_id, webhook, plugin, participant, upload, .. } = self;
        let Self { conversation, client_ref, message, batch, other, user, team, contact, .. } = self;
        [
            user,
            team,
            contact,
            client,
            number,
            number_id,
            webhook,
            plugin,
            participant,
            upload,
            conversation,
            client_ref,
            message,
            batch,
            other,
        ]
    }
}

/// A request without its key.
pub struct Call {
    pub path: String,
    pub content_type: Option<&'static str>,
    pub body: Vec<u8>,
}

pub type Make = fn(&Ids) -> Call;

pub enum Who {
    /// The users with these roles.
    Roles(&'static [&'static str]),
    /// Operators only. The key of a client is unknown there.
    Operators,
    /// Every caller, with the reason.
    Everybody(&'static str),
}

/// The answer if the ids belong to another client.
pub enum Others {
    /// The route takes no ids. The text says why it gives out nothing of another client.
    None(&'static str),
    /// This status, for the ids in `call`.
    Unknown(u16),
    /// One status for each of these calls.
    In(&'static [(Make, u16)]),
}

pub struct Row {
    pub method: &'static str,
    pub path: &'static str,
    pub who: Who,
    /// A request that changes nothing for any caller. If every request to the route changes something, one such
    /// request.
    pub call: Make,
    pub others: Others,
}

impl Row {
    /// The reasons why the route is open to every caller or takes no ids, if so.
    pub fn reasons(&self) -> Vec<&'static str> {
        let open = match self.who {
            Who::Everybody(reason) => Some(reason),
            Who::Roles(_) | Who::Operators => None,
        };
        let closed = match self.others {
            Others::None(reason) => Some(reason),
            Others::Unknown(_) | Others::In(_) => None,
        };
        open.into_iter().chain(closed).collect()
    }
}

/// For routes about the whole service.
const OF_THE_SERVICE: Others =
    Others::None("it is about the whole service, and has no ids of objects: tests/it/operators.rs");

pub const ALL: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "AGENT", "DEVELOPER", "API"]);
pub const SENDERS: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "DEVELOPER", "API"]);
pub const DEVELOPERS: Who = Who::Roles(&["ADMIN", "DEVELOPER"]);
const SYNCERS: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "DEVELOPER"]);

/// For routes that take no ids.
pub const OWN: Others = Others::None("it is about the caller's own client");
const NO_CLIENT: Others = Others::None("it is about no client");

pub const fn row(method: &'static str, path: &'static str, who: Who, call: Make, others: Others) -> Row {
    Row { method, path, who, call, others }
}

pub fn plain(path: &str) -> Call {
    Call { path: path.to_owned(), content_type: None, body: Vec::new() }
}

pub fn with(path: &str, body: &Value) -> Call {
    Call { path: path.to_owned(), content_type: Some("application/json"), body: body.to_string().into_bytes() }
}

fn from_number(ids: &Ids) -> Value {
    json!({
        "sender": ids.number,
        "messageType": "CHAT",
        "messages": [{ "recipients": [{ "to": "27820000001" }], "messageText": "hello" }],
    })
}

/// All rows in the order of their calls. Calls that change the caller come last.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let of_parts = [
        accounts::ROWS,
        conversations::ROWS,
        lite::ROWS,
        live_chat::ROWS,
        live_events::ROWS,
        plugins::ROWS,
        sending::ROWS,
        sms::ROWS,
        web_chat::ROWS,
        webhooks::ROWS,
    ];
    of_parts.into_iter().flatten().chain(ROWS)
}

const ROWS: &[Row] = &[
    row(
        "GET",
        "/operator-service/api/v1/status",
        Who::Operators,
        |_| plain("/operator-service/api/v1/status"),
        OF_THE_SERVICE,
    ),
    row(
        "POST",
        "/whatsapp-api-service/v2/messages",
        SENDERS,
        |ids| {
            let body = json!({ "channel": "WHATSAPP", "payload": from_number(ids) });
            with("/whatsapp-api-service/v2/messages", &body)
        },
        Others::Unknown(400),
    ),
    row(
        "POST",
        "/whatsapp-api-service/v2/messages/check",
        SENDERS,
        |ids| {
            let body = json!({ "channel": "WHATSAPP", "payload": from_number(ids) });
            with("/whatsapp-api-service/v2/messages/check", &body)
        },
        Others::Unknown(400),
    ),
    row(
        "POST",
        "/whatsapp-api-service/v2/channels/whatsapp",
        SENDERS,
        |ids| with("/whatsapp-api-service/v2/channels/whatsapp", &from_number(ids)),
        Others::Unknown(400),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/authenticate/retrieveApiKey",
        Who::Everybody("it is how one gets a key; the password is what counts"),
        |_| with("/messaging-service/WhatsApp/authenticate/retrieveApiKey", &json!({})),
        Others::None("e-mail, password and clientRef belong together or not: tests/it/accounts.rs"),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser",
        ALL,
        |_| plain("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser"),
        Others::In(&[(
            |ids| {
                let path = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
                plain(&format!("{path}?searchString={}", ids.number))
            },
            200,
        )]),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppClientNumbers/registerWLNumber",
        DEVELOPERS,
        |_| {
            with("/messaging-service/WhatsApp/WhatsAppClientNumbers/registerWLNumber", &json!({ "number": "nonsense" }))
        },
        Others::None("a number may be registered to several clients: tests/it/number_registration.rs"),
    ),
    row("GET", "/messaging-service/WhatsApp/templates", ALL, |_| plain("/messaging-service/WhatsApp/templates"), OWN),
    row(
        "POST",
        "/messaging-service/WhatsApp/templates/sync",
        SYNCERS,
        |_| plain("/messaging-service/WhatsApp/templates/sync"),
        OWN,
    ),
    row(
        "GET",
        "/media/{client}/{id}",
        Who::Everybody("the address is signed"),
        |ids| plain(&format!("/media/{}/{}?expires=4000000000&signature=00", ids.client, ids.other)),
        Others::Unknown(403),
    ),
    row(
        "GET",
        "/providers/whatsapp-cloud/webhook",
        Who::Everybody("the handshake carries a token"),
        |_| plain("/providers/whatsapp-cloud/webhook"),
        NO_CLIENT,
    ),
    row(
        "POST",
        "/providers/whatsapp-cloud/webhook",
        Who::Everybody("callbacks are signed"),
        |_| with("/providers/whatsapp-cloud/webhook", &json!({})),
        Others::None("a callback names accounts of the provider; whose they are is stored: tests/it/callbacks.rs"),
    ),
    row(
        "GET",
        "/providers/messenger/webhook",
        Who::Everybody("the handshake carries a token"),
        |_| plain("/providers/messenger/webhook"),
        NO_CLIENT,
    ),
    row(
        "POST",
        "/providers/messenger/webhook",
        Who::Everybody("callbacks are signed"),
        |_| with("/providers/messenger/webhook", &json!({})),
        Others::None("a callback names pages; whose they are is stored: tests/it/messenger/callbacks.rs"),
    ),
    row(
        "POST",
        "/providers/{provider}/webhook/{id}",
        Who::Everybody("callbacks carry the secret of their account"),
        |ids| with(&format!("/providers/telegram/webhook/{}", ids.other), &json!({})),
        Others::None("without the secret of an account nothing is taken: tests/it/telegram/callbacks.rs"),
    ),
    row("GET", "/healthz", Who::Everybody("a probe"), |_| plain("/healthz"), NO_CLIENT),
    row("GET", "/readyz", Who::Everybody("a probe"), |_| plain("/readyz"), NO_CLIENT),
    row(
        "GET",
        "/metrics",
        Who::Everybody("to this machine only; it names no client"),
        |_| plain("/metrics"),
        NO_CLIENT,
    ),
    row("GET", "/openapi.json", Who::Everybody("documentation"), |_| plain("/openapi.json"), NO_CLIENT),
    row("GET", "/console", Who::Everybody("the page; its calls need a key"), |_| plain("/console"), NO_CLIENT),
    row("GET", "/docs", Who::Everybody("documentation"), |_| plain("/docs"), NO_CLIENT),
    row("GET", "/docs/{file}", Who::Everybody("documentation"), |_| plain("/docs/start.js"), NO_CLIENT),
    row("GET", "/docs/{folder}/{file}", Who::Everybody("documentation"), |_| plain("/docs/rules/webhooks"), NO_CLIENT),
    row("GET", "/docs/guides", Who::Everybody("documentation"), |_| plain("/docs/guides"), NO_CLIENT),
    row("GET", "/docs/search", Who::Everybody("documentation"), |_| plain("/docs/search?q=webhook"), NO_CLIENT),
    row("GET", "/llms.txt", Who::Everybody("documentation"), |_| plain("/llms.txt"), NO_CLIENT),
    row("GET", "/", Who::Everybody("documentation"), |_| plain("/"), NO_CLIENT),
    row(
        "POST",
        "/testing/clock/advance",
        Who::Everybody("served only where testing.clock is set"),
        |_| with("/testing/clock/advance", &json!({ "seconds": 0 })),
        NO_CLIENT,
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/SystemUsers/generateAPIKey",
        ALL,
        |_| plain("/messaging-service/WhatsApp/SystemUsers/generateAPIKey"),
        OWN,
    ),
];
