//! Which callbacks are really the provider's: the handshake, and the signature over the raw bytes (PROVIDERS A.7).

use std::collections::HashSet;

use channels::whatsapp_cloud::callback;
pub use channels::whatsapp_cloud::callback::HandshakeQuery as Handshake;
use domain::inbound::{CallbackItem, CallbackTarget};
use storage::inboxes::directories::{self, OwnAppSecret};

use base::{Context, Error, secrets::Purpose};

/// What the provider wants to read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshaken(pub String);

/// Answers the provider's handshake; `None` when the token is not ours.
pub fn handshake(ctx: &Context, query: &Handshake) -> Option<Handshaken> {
    callback::handshake(query, &ctx.settings.verify_token).map(Handshaken)
}

/// Why nothing of a callback is taken.
#[derive(Debug, thiserror::Error)]
pub enum CallbackRefused {
    /// Missing, or not made with our app secret.
    #[error("the signature is missing or wrong")]
    BadSignature,
    /// Signed, and not a callback of WhatsApp.
    #[error("the body is no callback of a WhatsApp business account: {0}")]
    Unreadable(String),
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Verifies a callback over its raw bytes and parses it. `signature` is the header `X-Hub-Signature-256`; `unsigned_is_fine`
/// is for the simulator's callbacks while no app secret is set, and never makes a wrong signature right.
pub async fn open_callback(
    ctx: &Context,
    raw: &[u8],
    signature: Option<&str>,
    unsigned_is_fine: bool,
) -> Result<Vec<CallbackItem>, CallbackRefused> {
    let app_secret = &ctx.settings.app_secret;
    let unsigned = signature.is_none() && unsigned_is_fine && app_secret.is_empty();
    if unsigned || callback::verify_signature(app_secret, raw, signature) {
        return parse(raw);
    }
    if signature.is_none() {
        return Err(CallbackRefused::BadSignature);
    }
    signed_for_its_numbers(ctx, raw, signature).await
}

fn parse(raw: &[u8]) -> Result<Vec<CallbackItem>, CallbackRefused> {
    callback::parse(raw).map_err(|error| CallbackRefused::Unreadable(error.to_string()))
}

/// A callback of numbers that have an app secret of their own. Which ones can only be read in the body, so that is parsed
/// first; nothing of it counts unless every number and business account in it has a secret that signed it.
async fn signed_for_its_numbers(
    ctx: &Context,
    raw: &[u8],
    signature: Option<&str>,
) -> Result<Vec<CallbackItem>, CallbackRefused> {
    let Ok(items) = callback::parse(raw) else { return Err(CallbackRefused::BadSignature) };
    let (mut numbers, mut wabas) = (HashSet::new(), HashSet::new());
    for item in &items {
        match &item.target {
            CallbackTarget::PhoneNumberId(id) => numbers.insert(id.clone()),
            CallbackTarget::Waba(id) => wabas.insert(id.clone()),
        };
    }
    let secrets = own_secrets(ctx, &numbers, &wabas).await?;
    let mut signed = Vec::new();
    for own in &secrets {
        let secret = ctx.sealer.open_text(own.client, Purpose::AppSecret, &own.sealed).map_err(Error::from)?;
        if callback::verify_signature(&secret, raw, signature) {
            signed.push(own);
        }
    }
    let number_is_signed = |id: &String| signed.iter().any(|own| own.phone_number_id == *id);
    let waba_is_signed = |id: &String| signed.iter().any(|own| own.waba_id == *id);
    let all_signed = numbers.iter().all(number_is_signed) && wabas.iter().all(waba_is_signed);
    if all_signed && !signed.is_empty() { Ok(items) } else { Err(CallbackRefused::BadSignature) }
}

async fn own_secrets(
    ctx: &Context,
    numbers: &HashSet<String>,
    wabas: &HashSet<String>,
) -> Result<Vec<OwnAppSecret>, Error> {
    let numbers: Vec<String> = numbers.iter().cloned().collect();
    let wabas: Vec<String> = wabas.iter().cloned().collect();
    let mut db = ctx.db.acquire().await?;
    Ok(directories::own_app_secrets(&mut db, &numbers, &wabas).await?)
}
