//! Templates that chatbots send later (ADR 0062). They are stored with the answer of the turn. When one is due, it is an
//! ordinary send request to the customer of the chat, so the rules of sends hold at that moment: marketing stops, the
//! blocklist, the approval of the template, tiers.

use std::sync::Arc;

use base::{Context, Error, HostFailed, Result, lanes::Lease};
use domain::{
    address::AddressKind,
    body::Faults,
    channel::Channel,
    ids::{ClientId, RequestId},
    recipient::Recipient,
    sandbox::KeyMode,
    send::SendEndpoint,
};
use outbound::accept::{self, AcceptError, SendCall, Senders};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use storage::{
    chat::{
        participants,
        scheduled_templates::{self, ScheduledTemplate},
    },
    inboxes,
    people::customers,
    plugins::events::{self, PluginEvent},
    tenancy::sandboxes,
};

/// Waiting templates of one chat and plugin.
pub(crate) const MOST_OF_CHAT: usize = 16;
/// Kind of the event of a plugin whose template could not be sent.
const REFUSED: &str = "TEMPLATE_REFUSED";

/// Sends the template of this lane. If the process stops before the row is removed, the send request is repeated with the
/// same idempotency key, so there is one message.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let client = lease.client;
    let found = scheduled_templates::find(&mut *ctx.db.acquire().await?, client, lease.lane).await?;
    let Some(scheduled) = found.filter(|scheduled| scheduled.due_at <= ctx.now()) else { return Ok(()) };
    let refusal = match request(ctx, client, &scheduled).await? {
        Ok(call) => send(ctx, call).await?,
        Err(reason) => Some(reason),
    };
    metrics::counter!("patchbay_plugin_scheduled_templates_total",
        "result" => if refusal.is_some() { "refused" } else { "accepted" })
    .increment(1);
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    scheduled_templates::remove(&mut tx, client, scheduled.id).await?;
    if let Some(reason) = refusal {
        let (plugin, at) = (scheduled.plugin, ctx.now());
        tracing::info!(client.id = %client, participant.id = %scheduled.participant, plugin,
            "a template that a chatbot scheduled was refused");
        let reason = Some(format!("template `{}`: {reason}", scheduled.name));
        let event = PluginEvent { id: ctx.mint(), plugin, version: None, kind: REFUSED.to_owned(), reason, at };
        events::insert(&mut tx, client, &event).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// The send request of a template. The inner error is the reason why there is none.
async fn request(
    ctx: &Context,
    client: ClientId,
    scheduled: &ScheduledTemplate,
) -> Result<std::result::Result<SendCall, String>> {
    let mut db = ctx.db.acquire().await?;
    let Some(chat) = participants::find(&mut db, client, scheduled.participant).await? else {
        return Ok(Err("the conversation no longer exists".to_owned()));
    };
    let customer = customers::find(&mut db, client, chat.customer).await?;
    let inbox = inboxes::by_id(&mut db, client, chat.inbox).await?;
    let (Some(customer), Some(inbox)) = (customer, inbox) else {
        return Ok(Err("the conversation no longer exists".to_owned()));
    };
    let sender = inbox.msisdn().filter(|_| inbox.kind().channel() == Channel::Whatsapp);
    let (Some(sender), Some(recipient)) = (sender, customer.addresses.written_to(inbox.kind())) else {
        return Ok(Err("the customer cannot be reached on this number".to_owned()));
    };
    let recipient = recipient_fields(&recipient);
    if recipient.is_empty() {
        return Ok(Err("the customer has neither a number nor a user id".to_owned()));
    }
    let template = &scheduled.template.0;
    let body = json!({
        "sender": sender.as_str(),
        "messageType": "NOTIFICATION",
        "templateName": template.get("name"),
        "templateId": template.get("id"),
        "messages": [{ "recipients": [recipient], "components": template.get("components") }],
    });
    let is_sandbox = sandboxes::live_client(&mut db, client).await?.is_some();
    Ok(Ok(SendCall {
        client,
        mode: KeyMode::of(is_sandbox),
        endpoint: SendEndpoint::Whatsapp,
        senders: Senders::All,
        body: body.to_string().into(),
        idempotency_key: Some(format!("scheduled-template-{}", scheduled.id)),
        request_id: ctx.mint::<RequestId>(),
    }))
}

/// Other addresses have no place in a send request.
fn recipient_fields(recipient: &Recipient) -> Map<String, Value> {
    let fields = recipient.iter().filter_map(|address| match address.kind() {
        AddressKind::Phone => Some(("to".to_owned(), address.value().into())),
        AddressKind::Bsuid => Some(("customerUserId".to_owned(), address.value().into())),
        _ => None,
    });
    fields.collect()
}

/// Returns the reason if the request is refused.
async fn send(ctx: &Context, call: SendCall) -> Result<Option<String>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer {
        rejected_recipients: Vec<Rejected>,
    }
    #[derive(Deserialize)]
    struct Rejected {
        reason: String,
    }
    match accept::accept_alone(ctx, call).await {
        Ok(response) => {
            let answer: Option<Answer> = serde_json::from_slice(&response).ok();
            Ok(answer.and_then(|answer| answer.rejected_recipients.into_iter().next()).map(|rejected| rejected.reason))
        }
        Err(AcceptError::Faults(faults)) => Ok(Some(words(&faults))),
        Err(AcceptError::Failed(cause)) => Err(not_stored(&cause)),
    }
}

fn words(faults: &Faults) -> String {
    faults.iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect::<Vec<_>>().join("; ")
}

/// The lane is worked on again.
fn not_stored(cause: &Arc<Error>) -> Error {
    if cause.is_outage() { Error::Stopped } else { HostFailed(cause.to_string()).into() }
}
