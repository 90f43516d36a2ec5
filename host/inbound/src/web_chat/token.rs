//! Tokens of visitors. The holder of a token is that visitor on one site until the token expires. Tokens are not
//! stored.

use base::Context;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ClientId, InboxId};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;

const VERSION: u8 = 1;
const MAC_BYTES: usize = 32;
/// Version, proven, site, visitor, end.
const CLAIM_BYTES: usize = 1 + 1 + 16 + 16 + 8;
/// Lifetime of an anonymous token. Each visit renews it.
const UNPROVEN_FOR: TimeDelta = TimeDelta::days(400);
/// Lifetime of a proven token. Pages send a new proof at each load.
const PROVEN_FOR: TimeDelta = TimeDelta::days(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitorToken {
    pub site: InboxId,
    pub visitor: Uuid,
    pub proven: bool,
    pub expires_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenRefused {
    #[error("this is not a token of a visitor: begin a session")]
    NotOurs,
    #[error("this token belongs to another site")]
    OtherSite,
    #[error("this token has expired: begin a session")]
    Expired,
}

impl VisitorToken {
    pub fn new(ctx: &Context, site: InboxId, visitor: Uuid, proven: bool) -> Self {
        let lasts = if proven { PROVEN_FOR } else { UNPROVEN_FOR };
        Self { site, visitor, proven, expires_at: ctx.now() + lasts }
    }

    pub fn seal(&self, ctx: &Context, client: ClientId) -> String {
        self.seal_under(&key(ctx), client)
    }

    pub fn open(ctx: &Context, client: ClientId, site: InboxId, text: &str) -> Result<Self, TokenRefused> {
        let token = Self::open_under(&key(ctx), client, site, text)?;
        if token.expires_at <= ctx.now() { Err(TokenRefused::Expired) } else { Ok(token) }
    }

    fn seal_under(&self, key: &[u8; 32], client: ClientId) -> String {
        let mut bytes = Vec::with_capacity(CLAIM_BYTES + MAC_BYTES);
        bytes.extend([VERSION, u8::from(self.proven)]);
        bytes.extend(self.site.0.as_bytes());
        bytes.extend(self.visitor.as_bytes());
        bytes.extend(self.expires_at.timestamp().to_be_bytes());
        if let Some(mac) = mac(key, client, &bytes) {
            bytes.extend(mac.finalize().into_bytes());
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn open_under(key: &[u8; 32], client: ClientId, site: InboxId, text: &str) -> Result<Self, TokenRefused> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| TokenRefused::NotOurs)?;
        if bytes.len() != CLAIM_BYTES + MAC_BYTES {
            return Err(TokenRefused::NotOurs);
        }
        let (claim, signature) = bytes.split_at(CLAIM_BYTES);
        let part = |from: usize, to: usize| claim.get(from..to).unwrap_or_default();
        let uuid = |from: usize| Uuid::from_slice(part(from, from + 16)).map_err(|_| TokenRefused::NotOurs);
        let named = InboxId(uuid(2)?);
        let genuine = mac(key, client, claim).is_some_and(|mac| mac.verify_slice(signature).is_ok());
        match (claim, named == site, genuine) {
            // The signature of another client's token cannot be checked, and it is not for this site in any case.
            (_, false, _) => Err(TokenRefused::OtherSite),
            ([VERSION, proven @ (0 | 1), ..], true, true) => {
                let end = part(34, 42).try_into().map(i64::from_be_bytes).map_err(|_| TokenRefused::NotOurs)?;
                let expires_at = DateTime::from_timestamp(end, 0).ok_or(TokenRefused::NotOurs)?;
                Ok(Self { site, visitor: uuid(18)?, proven: *proven == 1, expires_at })
            }
            _ => Err(TokenRefused::NotOurs),
        }
    }
}

fn key(ctx: &Context) -> [u8; 32] {
    ctx.sealer.derive("web-visitor-token")
}

fn mac(key: &[u8; 32], client: ClientId, claim: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(client.0.as_bytes());
    mac.update(claim);
    Some(mac)
}

/// The visitor id of a site's own user. It is the same on every device and does not reveal the user's id.
pub(super) fn visitor_of_user(ctx: &Context, client: ClientId, site: InboxId, user: &str) -> Uuid {
    let key = ctx.sealer.derive("web-visitor-of-user");
    let digest = mac(&key, client, site.0.as_bytes()).map(|mut mac| {
        mac.update(user.as_bytes());
        mac.finalize().into_bytes()
    });
    let bytes = digest.and_then(|digest| digest.get(..16).and_then(|half| <[u8; 16]>::try_from(half).ok()));
    uuid::Builder::from_custom_bytes(bytes.unwrap_or_default()).into_uuid()
}

/// Checks in constant time that `hash` is the HMAC-SHA256 of the user's id under the site's secret, in hexadecimal.
pub(super) fn proves(secret: &str, user: &str, hash: &str) -> bool {
    let given = hex::decode(hash).unwrap_or_default();
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok();
    mac.is_some_and(|mut mac| {
        mac.update(user.as_bytes());
        mac.verify_slice(&given).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn client(of: u128) -> ClientId {
        ClientId(Uuid::from_u128(of))
    }

    fn token(proven: bool) -> VisitorToken {
        let expires_at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        VisitorToken { site: InboxId(Uuid::from_u128(2)), visitor: Uuid::from_u128(3), proven, expires_at }
    }

    #[test]
    fn a_token_gives_back_its_sealed_content() {
        for proven in [true, false] {
            let sealed = token(proven).seal_under(&KEY, client(1));
            assert_eq!(VisitorToken::open_under(&KEY, client(1), token(proven).site, &sealed), Ok(token(proven)));
        }
    }

    #[test]
    fn a_token_of_another_site_is_refused_as_such() {
        let sealed = token(false).seal_under(&KEY, client(1));
        let open = |client, site| VisitorToken::open_under(&KEY, client, InboxId(Uuid::from_u128(site)), &sealed);
        assert_eq!(open(client(1), 9), Err(TokenRefused::OtherSite));
        assert_eq!(open(client(4), 9), Err(TokenRefused::OtherSite));
        assert_eq!(open(client(4), 2), Err(TokenRefused::NotOurs), "the same id with another client");
    }

    #[test]
    fn no_bit_of_a_token_can_be_changed() {
        let sealed = URL_SAFE_NO_PAD.decode(token(false).seal_under(&KEY, client(1))).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            let text = URL_SAFE_NO_PAD.encode(changed);
            assert!(VisitorToken::open_under(&KEY, client(1), token(false).site, &text).is_err(), "byte {at}");
        }
        for text in ["", "nonsense", "💬", &"A".repeat(2000)] {
            let opened = VisitorToken::open_under(&KEY, client(1), token(false).site, text);
            assert_eq!(opened, Err(TokenRefused::NotOurs));
        }
    }

    #[test]
    fn a_proof_is_the_hmac_of_the_users_id() {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"secret").unwrap();
        mac.update(b"user-17");
        let whole = hex::encode(mac.finalize().into_bytes());
        assert!(proves("secret", "user-17", &whole) && proves("secret", "user-17", &whole.to_uppercase()));
        assert!(!proves("secret", "user-18", &whole) && !proves("other", "user-17", &whole));
        assert!(!proves("secret", "user-17", "") && !proves("secret", "user-17", &whole[..32]), "half of one is none");
    }
}
