//! Verifies callbacks about pages: the handshake, and the signature over the raw bytes (PROVIDERS B). Before a body is
//! verified, the work for it is at most linear in its length.

use std::collections::HashSet;

use bytes::Bytes;
use channels::{
    messenger::callback::{self, first_page},
    whatsapp_cloud::callback::{self as cloud, CallbackError},
};
use domain::inbound::{CallbackItem, CallbackTarget};
use storage::inboxes::directories;

use super::authenticity::{CallbackRefused, Handshake, HandshakeAnswer, SECRETS_TRIED, signed_with};
use base::{
    Context, Error,
    heavy_work::{self, BodyOwner},
    secrets::SecretPurpose,
};

pub fn handshake(ctx: &Context, query: &Handshake) -> Option<HandshakeAnswer> {
    cloud::handshake(query, ctx.settings.messenger.verify_token.expose()).map(HandshakeAnswer)
}

/// Verifies a callback over its raw bytes and parses it. The signature must be made with the operator's app secret, or
/// with the secret of all pages in the body.
pub async fn open_callback(ctx: &Context, raw: &Bytes, signature: &str) -> Result<Vec<CallbackItem>, CallbackRefused> {
    let operators = vec![ctx.settings.messenger.app_secret.expose().to_owned()];
    if signed_with(raw, operators, signature).await?.is_some() {
        return parse(raw).await;
    }
    let body = raw.clone();
    let Some(page) = heavy_work::work(raw.len(), BodyOwner::Unknown, move || first_page(&body)).await? else {
        return Err(CallbackRefused::BadSignature);
    };
    let mut secrets: Vec<String> = own_secrets(ctx, vec![page]).await?.into_iter().map(|(_, secret)| secret).collect();
    secrets.truncate(SECRETS_TRIED);
    let Some(secret) = signed_with(raw, secrets, signature).await? else { return Err(CallbackRefused::BadSignature) };
    let items = parse(raw).await?;
    if all_have(ctx, &items, &secret).await? { Ok(items) } else { Err(CallbackRefused::BadSignature) }
}

async fn parse(raw: &Bytes) -> Result<Vec<CallbackItem>, CallbackRefused> {
    let body = raw.clone();
    heavy_work::work(raw.len(), BodyOwner::Provider, move || callback::parse(&body)).await?.map_err(|error| match error
    {
        CallbackError::TooMany => CallbackRefused::TooMany,
        CallbackError::NotJson(_) | CallbackError::OtherObject(_) | CallbackError::NoPage(_) => {
            CallbackRefused::Unreadable(error.to_string())
        }
    })
}

async fn all_have(ctx: &Context, items: &[CallbackItem], secret: &str) -> Result<bool, Error> {
    let mut pages = HashSet::new();
    for item in items {
        match &item.target {
            CallbackTarget::Page(id) => pages.insert(id.clone()),
            // The item is counted and not stored.
            CallbackTarget::Unknown => false,
            CallbackTarget::PhoneNumberId(_) | CallbackTarget::Waba(_) | CallbackTarget::Inbox(_) => return Ok(false),
        };
    }
    for (page, own) in own_secrets(ctx, pages.iter().cloned().collect()).await? {
        if own == secret {
            pages.remove(&page);
        }
    }
    Ok(!items.is_empty() && pages.is_empty())
}

async fn own_secrets(ctx: &Context, pages: Vec<String>) -> Result<Vec<(String, String)>, Error> {
    let mut db = ctx.db.acquire().await?;
    let sealed = directories::own_app_secrets_of_pages(&mut db, &pages).await?;
    drop(db);
    let open = |(page, client, sealed): (String, _, Vec<u8>)| {
        Ok((page, ctx.sealer.open_text(client, SecretPurpose::AppSecret, &sealed)?))
    };
    sealed.into_iter().map(open).collect()
}
