use base::{Context, media};
use domain::ids::{ClientId, MessageId, ParticipantId};
use storage::{
    PgConnection,
    chat::{
        history::{self, PastMessage},
        lists, participants,
        participants::Participant,
    },
    outbound::failures::{self, FailureReason},
};
use uuid::Uuid;

use super::{ActingUser, DeskError, view};

pub const MOST_AT_ONCE: u32 = 1_000;

#[derive(Debug, Clone)]
pub struct MessageView {
    pub message: PastMessage,
    /// Our address of its file, valid for a limited time.
    pub media_url: Option<String>,
    pub customer: Option<String>,
    pub business: Option<String>,
    pub failure: Option<FailureReason>,
}

/// The last `size` messages of a chat before the sequence number `before`, oldest first.
pub async fn past(
    ctx: &Context,
    acting: ActingUser,
    id: ParticipantId,
    before: Option<i64>,
    size: u32,
) -> Result<Vec<MessageView>, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let chat = participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
    let size = i64::from(size.clamp(1, MOST_AT_ONCE));
    let messages = history::before(&mut db, acting.client, chat.id, before, size).await?;
    views(ctx, &mut db, acting.client, &chat, messages).await
}

/// The messages of a tracking number: all of a chat (CTN), or one message (GSTN). [`DeskError::NotFound`] if unknown.
pub async fn find_tracked(ctx: &Context, acting: ActingUser, number: &str) -> Result<Vec<MessageView>, DeskError> {
    if let Some(chat) = view::of_ctn(number) {
        return past(ctx, acting, chat, None, MOST_AT_ONCE).await;
    }
    let id = Uuid::try_parse(number).map_err(|_| DeskError::NotFound)?;
    let mut db = ctx.db.acquire().await?;
    let found = history::by_tracking_id(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
    Ok(vec![view(ctx, &mut db, acting.client, found).await?])
}

/// The newest message with a client's tracking id. [`DeskError::NotFound`] if there is none.
pub async fn by_ct_id(ctx: &Context, acting: ActingUser, ct_id: &str) -> Result<MessageView, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let found = history::by_ct_id(&mut db, acting.client, ct_id).await?.ok_or(DeskError::NotFound)?;
    view(ctx, &mut db, acting.client, found).await
}

pub(super) async fn view(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: PastMessage,
) -> Result<MessageView, DeskError> {
    let chat = participants::find(db, client, message.participant).await?.ok_or(DeskError::NotFound)?;
    views(ctx, db, client, &chat, vec![message]).await?.pop().ok_or(DeskError::NotFound)
}

async fn views(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    messages: Vec<PastMessage>,
) -> Result<Vec<MessageView>, DeskError> {
    let customer = lists::customers(db, client, &[chat.customer]).await?.remove(&chat.customer);
    let customer = customer.and_then(|customer| customer.reached_at().map(str::to_owned));
    let business = lists::inbox_addresses(db, client, &[chat.inbox]).await?.remove(&chat.inbox);
    let failed: Vec<MessageId> = messages.iter().filter_map(PastMessage::failed).collect();
    let failures = failures::of_messages(db, client, &failed).await?;
    let view = |message: PastMessage| MessageView {
        failure: message.failed().and_then(|failed| failures.get(&failed)).cloned(),
        media_url: message.file.as_ref().map(|(id, _)| media::url_for(ctx, client, *id)),
        message,
        customer: customer.clone(),
        business: business.clone(),
    };
    Ok(messages.into_iter().map(view).collect())
}
