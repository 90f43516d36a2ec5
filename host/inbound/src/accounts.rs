//! Updates of accounts at providers, such as bots: callbacks with a secret, and updates that one process polls. That
//! process holds the lane of the account, so that no two processes ask at the same time.

use std::sync::Arc;

use base::{
    Context, Error, Result,
    heavy_work::{self, BodyOwner},
    lanes::Lease,
    secrets::SecretPurpose,
};
use bytes::Bytes;
use channels::account::{AccountLogin, AccountProvider, OpenedCallback, is_same_secret};
use chrono::TimeDelta;
use domain::{
    carriage::SendFailure,
    ids::{ClientId, InboxId},
    inbound::CallbackItem,
};
use serde_json::Value;
use storage::inboxes::{self, Account, accounts};

use crate::callbacks::take_of_inbox;

/// Pause after the provider could not be asked.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);
/// Pause after the provider refused the token. An operator must give a valid one.
const REFUSED_RESTS: TimeDelta = TimeDelta::seconds(60);
/// Longest secret that is compared, in bytes.
const SECRET_MAX: usize = 512;

#[derive(Debug, thiserror::Error)]
pub enum AccountCallbackRefused {
    #[error("there is no such provider")]
    UnknownProvider,
    #[error("the secret is missing or wrong")]
    BadSecret,
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(AccountCallbackRefused: storage::Error);

/// The name of the header with the secret; `None` if no provider has this name in URLs.
pub fn secret_header(ctx: &Context, provider: &str) -> Option<&'static str> {
    ctx.carriers.account_provider_named(provider).map(|provider| provider.secret_header())
}

/// Takes a callback about an account and returns the body of the answer, if the provider takes one. When this returns,
/// its items are on disk once.
pub async fn take_callback(
    ctx: &Context,
    provider: &str,
    inbox: InboxId,
    raw: &Bytes,
    secret: &str,
) -> std::result::Result<Option<Value>, AccountCallbackRefused> {
    let provider = ctx.carriers.account_provider_named(provider).ok_or(AccountCallbackRefused::UnknownProvider)?;
    let (client, account) =
        find_account(ctx, provider.as_ref(), inbox).await?.ok_or(AccountCallbackRefused::BadSecret)?;
    let own = ctx.sealer.open_text(client, SecretPurpose::AppSecret, &account.app_secret_sealed);
    let own = own.map_err(Error::from)?;
    if secret.len() > SECRET_MAX || !is_same_secret(&own, secret) {
        return Err(AccountCallbackRefused::BadSecret);
    }
    let (reader, body, id) = (Arc::clone(provider), raw.clone(), account.account_id);
    let opened = heavy_work::work(raw.len(), BodyOwner::Client(client), move || reader.open(&id, inbox, &body)).await?;
    let OpenedCallback { items, answer } =
        opened.map_err(|error| AccountCallbackRefused::Unreadable(error.to_string()))?;
    let mut tx = ctx.db.begin().await.map_err(Error::from)?;
    let wakes = take_of_inbox(ctx, &mut tx, client, inbox, items).await?;
    tx.commit().await.map_err(Error::from)?;
    ctx.wake.wake_all(client, wakes);
    Ok(answer)
}

async fn find_account(
    ctx: &Context,
    provider: &dyn AccountProvider,
    inbox: InboxId,
) -> Result<Option<(ClientId, Account)>> {
    let mut db = ctx.db.acquire().await?;
    let Some(client) = accounts::client_of(&mut db, provider.kind(), inbox).await? else { return Ok(None) };
    let found = inboxes::by_id(&mut db, client, inbox).await?;
    Ok(found.as_ref().and_then(inboxes::Inbox::account).map(|account| (client, account.clone())))
}

/// Polls an account while it is configured for polling and this process holds its lane.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let (client, inbox) = (lease.client, InboxId(lease.lane));
    while !lease.is_over() {
        let (account, next) = {
            let mut db = ctx.db.acquire().await?;
            let found = inboxes::by_id(&mut db, client, inbox).await?;
            (
                found.as_ref().and_then(inboxes::Inbox::account).cloned(),
                accounts::next_news(&mut db, client, inbox).await?,
            )
        };
        let (Some(account), Some(next)) = (account, next) else { return Ok(()) };
        let Some(provider) = ctx.carriers.account_provider(account.kind) else {
            tracing::warn!(client.id = %client, inbox.id = %inbox, kind = account.kind.as_str(),
                "an account waits: this program has no provider for this kind of inbox");
            return rest(ctx, lease, REFUSED_RESTS).await;
        };
        let login = login(ctx, client, &account)?;
        let asked = lease.stop.run_until_cancelled(provider.news(&login, inbox, next)).await;
        let news = match asked {
            None => return Ok(()),
            Some(Ok(news)) => news,
            Some(Err(failure)) => {
                tracing::warn!(client.id = %client, inbox.id = %inbox, reason = %failure,
                    "an account could not be polled; it is polled again");
                return rest(ctx, lease, pause_after(&failure)).await;
            }
        };
        if news.next != next {
            store(ctx, lease, news.items, news.next).await?;
        }
        provider.answer_taps(&login, &news.taps).await;
    }
    Ok(())
}

fn pause_after(failure: &SendFailure) -> TimeDelta {
    match failure {
        SendFailure::AccountStopped(_) => REFUSED_RESTS,
        SendFailure::SlowDown { after: Some(after), .. } => TimeDelta::from_std(*after).unwrap_or(REFUSED_RESTS),
        _ => RETRY_DELAY,
    }
}

pub(crate) fn login(ctx: &Context, client: ClientId, account: &Account) -> Result<AccountLogin> {
    let access_token = ctx.sealer.open_text(client, SecretPurpose::AccessToken, &account.access_token_sealed)?;
    Ok(AccountLogin { account_id: account.account_id.clone(), access_token })
}

/// Stores updates and the number of the next one in one transaction, so that each is taken once.
async fn store(ctx: &Context, lease: &Lease, items: Vec<CallbackItem>, next: i64) -> Result<()> {
    let (client, inbox) = (lease.client, InboxId(lease.lane));
    let mut tx = begin(ctx, lease).await?;
    let wakes = take_of_inbox(ctx, &mut tx, client, inbox, items).await?;
    accounts::set_next_news(&mut tx, client, inbox, next).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

async fn rest(ctx: &Context, lease: &Lease, pause: TimeDelta) -> Result<()> {
    let mut tx = begin(ctx, lease).await?;
    accounts::rest(&mut tx, lease.client, InboxId(lease.lane), ctx.now() + pause).await?;
    tx.commit().await?;
    Ok(())
}

async fn begin(ctx: &Context, lease: &Lease) -> Result<storage::Transaction<'static>> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    Ok(tx)
}
