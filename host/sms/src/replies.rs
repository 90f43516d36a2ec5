//! SMS of subscribers. Each is stored before the SMSC gets its answer, and goes to the product of the last message to
//! that subscriber from that address. A reply to a fallback, or to a message of the send endpoints, goes to the chat of
//! the SMS inbox. STOP and START go to every client that wrote from the address (ADR 0080).

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use base::{
    Context, Result,
    lanes::{silent, within},
};
use channels::{
    sandbox,
    smpp::{MobileOriginated, SmppEvents, SmscReceipt, StoreFailed},
};
use chat::receive::receive;
use domain::{
    channel::Channel,
    ids::{ClientId, MessageId, SmsRequestId},
    inbound::{InboundContent, InboundMessage},
    sms_products::{OptOutWord, SmsProduct, callback, subscriber},
};
use storage::{
    PgConnection, Queue,
    inboxes::{self, sms_sources},
    sms::{
        inbound::{self, InboundSms},
        products::{
            callbacks::{self, SmsCallback},
            replies::{self, RepliedMessage, SmsProductReply},
            requests,
        },
    },
};
use uuid::Uuid;

use crate::{email, incoming_sms, receipts::ReceiptStore, stops};

/// Bound on handling one SMS. After it the SMSC must deliver it again, since the database does not answer.
const LONGEST: Duration = Duration::from_secs(25);

/// Stores deliveries of the SMSC before they are acknowledged: receipts for the legs, replies for the products.
pub struct SmscEvents {
    ctx: Arc<Context>,
    receipts: ReceiptStore,
}

impl SmscEvents {
    /// For `SmppGateway::connect`.
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { receipts: ReceiptStore::new(Arc::clone(&ctx)), ctx })
    }
}

#[async_trait]
impl SmppEvents for SmscEvents {
    async fn receipt(&self, receipt: SmscReceipt) -> std::result::Result<(), StoreFailed> {
        self.receipts.store(receipt).await
    }

    async fn mobile_originated(&self, message: MobileOriginated) -> std::result::Result<(), StoreFailed> {
        let taken = async {
            let message = normalise_addresses(&self.ctx, message).await?;
            take(&self.ctx, &message).await
        };
        within(LONGEST, taken).await.unwrap_or_else(|| Err(silent())).map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a subscriber's SMS could not be stored");
            StoreFailed
        })
    }
}

/// Normalises the addresses: the subscriber to international format, and our number to the form that was used for
/// sending.
async fn normalise_addresses(ctx: &Context, message: MobileOriginated) -> Result<MobileOriginated> {
    let whole = subscriber::international(&message.to, "");
    let from = subscriber::international(&message.from, &whole);
    if whole == message.to || is_ours(ctx, &message.to, &from).await? || !is_ours(ctx, &whole, &from).await? {
        return Ok(MobileOriginated { from, ..message });
    }
    Ok(MobileOriginated { from, to: whole, ..message })
}

/// True if a message was sent from the number to the subscriber, or if a client owns the number.
async fn is_ours(ctx: &Context, number: &str, subscriber: &str) -> Result<bool> {
    let mut db = ctx.db.acquire().await?;
    Ok(replies::find_answered(&mut db, number, subscriber).await?.is_some()
        || sms_sources::sole_owner(&mut db, number).await?.is_some())
}

/// An SMS of a subscriber.
#[derive(Clone, Copy)]
struct SubscriberSms<'a> {
    id: Uuid,
    message: &'a MobileOriginated,
    /// The text after the routers.
    text: &'a str,
}

async fn take(ctx: &Context, message: &MobileOriginated) -> Result<()> {
    // PostgreSQL texts have no NUL characters, but a phone may send them.
    let text = message.text.replace('\0', "\u{fffd}");
    let id: Uuid = ctx.mint();
    let mut incoming = incoming_sms::ask(ctx, id, message, &text).await?;
    let mut tx = ctx.db.begin().await?;
    let sms = InboundSms { id, bind: &message.bind, sender: &message.from, receiver: &message.to, body: &text };
    inbound::insert(&mut tx, &sms, ctx.now()).await?;
    let last = find_receiver(&mut tx, message).await?;
    let kept = match last {
        Some((client, _)) => Some((client, incoming.keep(ctx, &mut tx, client, id).await?)),
        None => None,
    };
    // Uses the original text, so that no router can suppress an opt-out.
    let word = ctx.settings.sms.stop_words().effect_of(&text);
    let mut wakes = Vec::new();
    let receivers = find_receivers(&mut tx, message, last, word.as_ref()).await?;
    for (client, answered) in receivers {
        let mut woken = match &word {
            Some(word) => stops::apply_stop_word(ctx, &mut tx, client, message, word).await?,
            None => Vec::new(),
        };
        let said = if last.is_some_and(|(last, _)| last == client) {
            (!incoming.is_refused()).then(|| incoming.text(&text))
        } else {
            // The decision of the routers is that of the last sender, and its text, too.
            Some(text.as_str())
        };
        if let Some(text) = said {
            woken.extend(hand_over(ctx, &mut tx, client, answered, SubscriberSms { id, message, text }).await?);
        }
        wakes.push((client, woken));
    }
    tx.commit().await?;
    if let Some((client, kept)) = kept {
        kept.compare(ctx, client);
    }
    for (client, woken) in wakes {
        ctx.wake.wake_all(client, woken);
    }
    Ok(())
}

/// The answer of a test number to a message of a sandbox.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SandboxAnswer<'a> {
    pub(crate) answered: MessageId,
    pub(crate) subscriber: &'a str,
    pub(crate) text: &'a str,
}

/// Takes an answer inside the caller's transaction. Returns the lanes to wake.
pub(crate) async fn answer_for_subscriber(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    SandboxAnswer { answered, subscriber, text }: SandboxAnswer<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    let source = replies::message(db, client, answered).await?.map(|sent| sent.source);
    let message = MobileOriginated {
        bind: sandbox::PROVIDER.to_owned(),
        from: subscriber.to_owned(),
        to: source.unwrap_or_else(|| ctx.settings.sms.default_source.clone()),
        text: text.to_owned(),
        parts: 1,
        complete: true,
    };
    let reply = SubscriberSms { id: ctx.mint(), message: &message, text };
    hand_over(ctx, db, client, Some(answered), reply).await
}

/// The client that a subscriber writes to, and the answered message: the last sender to the subscriber, or else the
/// only owner of the number.
async fn find_receiver(
    db: &mut PgConnection,
    message: &MobileOriginated,
) -> Result<Option<(ClientId, Option<MessageId>)>> {
    if let Some((client, answered)) = replies::find_answered(db, &message.to, &message.from).await? {
        return Ok(Some((client, Some(answered))));
    }
    Ok(sms_sources::sole_owner(db, &message.to).await?.map(|owner| (owner, None)))
}

/// The clients that get an SMS, in one order for all transactions: the last sender, or, of a word such as STOP, every client
/// that wrote to the subscriber from this source (ADR 0080).
async fn find_receivers(
    db: &mut PgConnection,
    message: &MobileOriginated,
    last: Option<(ClientId, Option<MessageId>)>,
    word: Option<&OptOutWord>,
) -> Result<Vec<(ClientId, Option<MessageId>)>> {
    let mut receivers: Vec<(ClientId, Option<MessageId>)> = last.into_iter().collect();
    if word.is_some() {
        let others = replies::find_others(db, &message.to, &message.from, last.map(|(client, _)| client)).await?;
        receivers.extend(others.into_iter().map(|(client, answered)| (client, Some(answered))));
        receivers.sort_unstable();
    }
    Ok(receivers)
}

/// Gives a reply to the product of the answered message. An SMS that answers none goes to a chat.
async fn hand_over(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    answered: Option<MessageId>,
    sms: SubscriberSms<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    let SubscriberSms { id, message, text } = sms;
    let sent = match answered {
        Some(answered) => replies::message(db, client, answered).await?.map(|sent| (answered, sent)),
        None => None,
    };
    let Some((answered, sent)) = sent else {
        return write_in_chat(ctx, db, client, sms).await;
    };
    let request = SmsRequestId(sent.request_id);
    let Some(known) = requests::get(db, client, request).await?.filter(|known| known.wants_replies) else {
        return Ok(Vec::new());
    };
    let reply = SmsProductReply {
        id,
        request,
        message: answered,
        subscriber: message.from.clone(),
        source: message.to.clone(),
        body: text.to_owned(),
        received_at: ctx.now(),
    };
    replies::insert(db, client, &reply).await?;
    match known.product {
        SmsProduct::Json => {}
        SmsProduct::Batch => return Ok(Vec::new()),
        SmsProduct::Email => return Ok(email::mail_reply(ctx, db, client, &reply).await?.into_iter().collect()),
    }
    let Some(url) = known.reply_url else { return Ok(Vec::new()) };
    let callback = reply_callback(ctx, &reply, &sent, url, known.posts_replies);
    callbacks::insert(db, client, std::slice::from_ref(&callback)).await?;
    Ok(vec![(Queue::SmsCallback, callback.lane_id)])
}

/// Receives an SMS as a message in the chat of the client's SMS inbox. Opt-out and opt-in words are already handled and
/// need no answer.
async fn write_in_chat(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    sms: SubscriberSms<'_>,
) -> Result<Vec<(Queue, Uuid)>> {
    let SubscriberSms { id, message, text } = sms;
    if ctx.settings.sms.stop_words().effect_of(text).is_some() {
        return Ok(Vec::new());
    }
    let named = inboxes::by_addresses(db, client, Channel::Sms, std::slice::from_ref(&message.to)).await?.pop();
    let inbox = match named {
        Some(inbox) => Some(inbox),
        None => inboxes::default_sms(db, client).await?,
    };
    let Some(inbox) = inbox else { return Ok(Vec::new()) };
    let wrote = InboundMessage {
        provider_id: format!("sms:{id}"),
        from: Some(message.from.clone()),
        from_user_id: None,
        from_parent_user_id: None,
        from_address: None,
        profile_name: None,
        username: None,
        sent_at: ctx.now(),
        quoted_provider_id: None,
        content: InboundContent::Text { body: text.to_owned() },
        raw: serde_json::Value::Null,
        referral: None,
    };
    receive(ctx, db, client, inbox.id, &wrote).await
}

fn reply_callback(
    ctx: &Context,
    reply: &SmsProductReply,
    sent: &RepliedMessage,
    url: String,
    posts: bool,
) -> SmsCallback {
    let about = callback::MessageIds {
        ct_id: sent.ct_id.as_deref(),
        request: reply.request,
        message: reply.message,
        identifier: sent.identifier.as_deref(),
    };
    let form = callback::reply(about, &reply.subscriber, &reply.source, &reply.body, reply.received_at);
    SmsCallback {
        id: ctx.mint(),
        lane_id: callback::lane_of(&url),
        url,
        posts,
        form,
        attempts: 0,
        created_at: ctx.now(),
    }
}
