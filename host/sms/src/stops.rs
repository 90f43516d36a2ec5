//! Subscribers that opted out of messages of a client (SPEC 4.8).

use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use channels::smpp::MobileOriginated;
use domain::{
    delivery::DeliveryState,
    failure_code::OwnCode,
    ids::{ClientId, MessageId},
    inbound::ProviderFailure,
    sms_products::OptOutWord,
};
use outbound::delivery::{self, DeliveryStep};
use storage::{
    Db, PgConnection, Queue, inboxes,
    sms::products::{
        messages,
        opt_outs::{self, StopRequest},
    },
    work::lanes::{self, LaneKey},
};
use uuid::Uuid;

/// Bound on waiting messages that one reply stops.
const STOPPED_AT_ONCE: i64 = 1000;
const PAGE: i64 = 5000;

pub async fn list(db: &Db, client: ClientId) -> Result<Vec<String>> {
    let mut db = db.acquire().await?;
    let mut all: Vec<String> = Vec::new();
    loop {
        let after = all.last().cloned().unwrap_or_default();
        let page = opt_outs::list(&mut db, client, &after, PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// Removes the opt-out of a subscriber. `false` if there is none.
pub async fn take_back(admin: &Administration<'_>, client: ClientId, subscriber: &str, actor: Actor) -> Result<bool> {
    let mut tx = admin.db.begin().await?;
    let gone = opt_outs::resume(&mut tx, client, None, subscriber).await?;
    if gone > 0 {
        audit(admin, &mut tx, client, actor, "remove", AuditObject::new("sms-opt-out", &gone)).await?;
    }
    tx.commit().await?;
    Ok(gone > 0)
}

/// Applies the opt-out or opt-in word of a message inside the caller's transaction. Waiting messages are cancelled and
/// their credits refunded. Returns the lanes to wake.
pub(crate) async fn apply_stop_word(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: &MobileOriginated,
    word: &OptOutWord,
) -> Result<Vec<(Queue, Uuid)>> {
    let (source, subscriber) = (message.to.as_str(), message.from.as_str());
    let word = match word {
        OptOutWord::Start => {
            opt_outs::resume(db, client, Some(source), subscriber).await?;
            return Ok(Vec::new());
        }
        OptOutWord::Stop(word) => word,
    };
    opt_outs::stop(db, client, StopRequest { source, subscriber, keyword: word }, ctx.now()).await?;
    if let Some(inbox) = inboxes::default_sms(db, client).await? {
        // Sending needs the lane, which we hold now. So messages that wait now are not sent.
        lanes::block_lane(db, LaneKey { client, queue: Queue::Outbound, lane: inbox.id.0 }).await?;
    }
    let waiting = messages::waiting(db, client, source, subscriber, STOPPED_AT_ONCE).await?;
    let steps = waiting.into_iter().map(|message| stop_step(ctx, message)).collect();
    delivery::advance(ctx, db, client, steps).await
}

fn stop_step(ctx: &Context, message: MessageId) -> DeliveryStep {
    DeliveryStep {
        message,
        ordinal: 0,
        reached: DeliveryState::Failed,
        at: ctx.now(),
        provider_id: None,
        failure: Some(stopped_failure()),
        named: Vec::new(),
    }
}

/// The failure of an SMS to a recipient that stopped SMS from its source.
pub(crate) fn stopped_failure() -> ProviderFailure {
    let text = "the recipient has stopped messages from this source".to_owned();
    ProviderFailure { code: OwnCode::StoppedSms.code(), text }
}
