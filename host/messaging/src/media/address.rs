//! Addresses of files: signed, and valid for a while, because whoever fetches them has no API key (DESIGN 7 "media").

use domain::ids::{ClientId, MediaId};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::MediaRefused;
use crate::Context;

/// The address of a file, valid from now on for `media_url_lifetime`.
pub fn url_for(ctx: &Context, client: ClientId, id: MediaId) -> String {
    let lifetime = i64::try_from(ctx.settings.media_url_lifetime.as_secs()).unwrap_or(i64::MAX);
    let expires = ctx.now().timestamp().saturating_add(lifetime);
    let signature = Signer::new(ctx).sign(client, id, expires);
    format!("{}/media/{client}/{id}?expires={expires}&signature={signature}", ctx.settings.public_url)
}

/// Refuses an address that we did not make, or that is too old.
pub(super) fn check(
    ctx: &Context,
    client: ClientId,
    id: MediaId,
    expires: i64,
    signature: &str,
) -> Result<(), MediaRefused> {
    if !Signer::new(ctx).verify(client, id, expires, signature) {
        return Err(MediaRefused::BadSignature);
    }
    if ctx.now().timestamp() > expires { Err(MediaRefused::Expired) } else { Ok(()) }
}

/// The key of addresses, derived from the master key.
struct Signer([u8; 32]);

impl Signer {
    fn new(ctx: &Context) -> Self {
        Self(ctx.sealer.derive("media-address"))
    }

    fn mac(&self, client: ClientId, id: MediaId, expires: i64) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(client.0.as_bytes());
        mac.update(id.0.as_bytes());
        mac.update(&expires.to_be_bytes());
        Some(mac)
    }

    fn sign(&self, client: ClientId, id: MediaId, expires: i64) -> String {
        self.mac(client, id, expires).map(|mac| hex::encode(mac.finalize().into_bytes())).unwrap_or_default()
    }

    /// In constant time.
    fn verify(&self, client: ClientId, id: MediaId, expires: i64, signature: &str) -> bool {
        let given = hex::decode(signature).unwrap_or_default();
        self.mac(client, id, expires).is_some_and(|mac| mac.verify_slice(&given).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_signature_holds_for_one_file_of_one_client_until_one_moment() {
        let (client, id) = (ClientId(Uuid::from_u128(1)), MediaId(Uuid::from_u128(2)));
        let signer = Signer([7; 32]);
        let signature = signer.sign(client, id, 1_760_000_000);
        assert!(signer.verify(client, id, 1_760_000_000, &signature));
        assert!(!signer.verify(client, id, 1_760_000_001, &signature));
        assert!(!signer.verify(client, MediaId(Uuid::from_u128(3)), 1_760_000_000, &signature));
        assert!(!signer.verify(ClientId(Uuid::from_u128(3)), id, 1_760_000_000, &signature));
        assert!(!Signer([8; 32]).verify(client, id, 1_760_000_000, &signature));
        assert!(!signer.verify(client, id, 1_760_000_000, "not hexadecimal"));
    }
}
