//! Verifies callbacks of WhatsApp Cloud: the handshake, and the signature over the raw bytes (PROVIDERS A.7). Before a
//! body is verified, the work for it is at most linear in its length and runs outside the threads that serve requests.

use std::collections::HashSet;

use bytes::Bytes;
pub use channels::whatsapp_cloud::callback::HandshakeQuery as Handshake;
pub use channels::whatsapp_cloud::callback::is_signature;
use channels::whatsapp_cloud::callback::{self, CallbackError, FirstNames};
use domain::inbound::{CallbackItem, CallbackTarget};
use storage::inboxes::directories::{self, OwnAppSecret};

use base::{
    Context, Error,
    heavy_work::{self, BodyOwner},
    secrets::SecretPurpose,
};

/// Bound on the app secrets that are tried on one callback. Few business accounts are shared by so many apps.
pub(super) const SECRETS_TRIED: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandshakeAnswer(pub String);

pub fn handshake(ctx: &Context, query: &Handshake) -> Option<HandshakeAnswer> {
    callback::handshake(query, ctx.settings.whatsapp_cloud.verify_token.expose()).map(HandshakeAnswer)
}

#[derive(Debug, thiserror::Error)]
pub enum CallbackRefused {
    #[error("the signature is missing or wrong")]
    BadSignature,
    #[error("the body is not a callback of this provider: {0}")]
    Unreadable(String),
    #[error("the body has more than {} items", callback::ITEMS_MAX)]
    TooMany,
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Verifies a callback over its raw bytes and parses it. `signature` is the header `X-Hub-Signature-256`.
/// `unsigned_is_fine` accepts callbacks of the simulator without a signature while no app secret is set. It never
/// accepts a wrong signature.
pub async fn open_callback(
    ctx: &Context,
    raw: &Bytes,
    signature: Option<&str>,
    unsigned_is_fine: bool,
) -> Result<Vec<CallbackItem>, CallbackRefused> {
    let app_secret = ctx.settings.whatsapp_cloud.app_secret.expose();
    let Some(signature) = signature else {
        let fine = unsigned_is_fine && app_secret.is_empty();
        return if fine { parse(raw).await } else { Err(CallbackRefused::BadSignature) };
    };
    if signed_with(raw, vec![app_secret.to_owned()], signature).await?.is_some() {
        return parse(raw).await;
    }
    signed_for_its_numbers(ctx, raw, signature).await
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

pub(super) async fn signed_with(
    raw: &Bytes,
    secrets: Vec<String>,
    signature: &str,
) -> Result<Option<String>, CallbackRefused> {
    let (body, signature) = (raw.clone(), signature.to_owned());
    let find = move || secrets.into_iter().find(|secret| callback::verify_signature(secret, &body, Some(&signature)));
    Ok(heavy_work::work(raw.len(), BodyOwner::Unknown, find).await?)
}

/// Opens a callback for numbers with their own app secret. One app signs a callback, so the first number and account in
/// the body select the secrets to try. The callback is refused unless all its numbers and accounts have the secret that
/// signed it.
async fn signed_for_its_numbers(
    ctx: &Context,
    raw: &Bytes,
    signature: &str,
) -> Result<Vec<CallbackItem>, CallbackRefused> {
    let body = raw.clone();
    let FirstNames { phone_number_id, waba_id } =
        heavy_work::work(raw.len(), BodyOwner::Unknown, move || callback::first_names(&body)).await?;
    let number = phone_number_id.clone();
    let mut candidates = own_secrets(ctx, Vec::from_iter(phone_number_id), Vec::from_iter(waba_id)).await?;
    candidates.sort_by_key(|own| Some(&own.phone_number_id) != number.as_ref());
    let mut seen = HashSet::new();
    let each = candidates.iter().map(|own| own.secret.clone()).filter(|secret| seen.insert(secret.clone()));
    let secrets = each.take(SECRETS_TRIED).collect();
    let Some(secret) = signed_with(raw, secrets, signature).await? else { return Err(CallbackRefused::BadSignature) };
    let items = parse(raw).await?;
    if all_have(ctx, &items, &secret, &candidates).await? { Ok(items) } else { Err(CallbackRefused::BadSignature) }
}

/// True if all numbers and business accounts of the items have this app secret. `known`: secrets that were just read,
/// enough for most callbacks.
async fn all_have(ctx: &Context, items: &[CallbackItem], secret: &str, known: &[Opened]) -> Result<bool, Error> {
    let (mut numbers, mut wabas) = (HashSet::new(), HashSet::new());
    for item in items {
        match &item.target {
            CallbackTarget::PhoneNumberId(id) => numbers.insert(id.clone()),
            CallbackTarget::Waba(id) => wabas.insert(id.clone()),
            // The item is counted and not stored.
            CallbackTarget::Unknown => false,
            // Callbacks of the Cloud API never name one.
            CallbackTarget::Page(_) | CallbackTarget::Inbox(_) => return Ok(false),
        };
    }
    drop_those_with(secret, known, &mut numbers, &mut wabas);
    let rest = own_secrets(ctx, numbers.iter().cloned().collect(), wabas.iter().cloned().collect()).await?;
    drop_those_with(secret, &rest, &mut numbers, &mut wabas);
    Ok(!items.is_empty() && numbers.is_empty() && wabas.is_empty())
}

fn drop_those_with(secret: &str, known: &[Opened], numbers: &mut HashSet<String>, wabas: &mut HashSet<String>) {
    for own in known.iter().filter(|own| own.secret == secret) {
        numbers.remove(&own.phone_number_id);
        wabas.remove(&own.waba_id);
    }
}

struct Opened {
    phone_number_id: String,
    waba_id: String,
    secret: String,
}

async fn own_secrets(ctx: &Context, numbers: Vec<String>, wabas: Vec<String>) -> Result<Vec<Opened>, Error> {
    if numbers.is_empty() && wabas.is_empty() {
        return Ok(Vec::new());
    }
    let mut db = ctx.db.acquire().await?;
    let sealed = directories::own_app_secrets(&mut db, &numbers, &wabas).await?;
    drop(db);
    let open = |own: OwnAppSecret| -> Result<Opened, Error> {
        let secret = ctx.sealer.open_text(own.client, SecretPurpose::AppSecret, &own.sealed)?;
        Ok(Opened { phone_number_id: own.phone_number_id, waba_id: own.waba_id, secret })
    };
    sealed.into_iter().map(open).collect()
}
