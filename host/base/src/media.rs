//! Addresses and names of files of customers. An address is signed and valid for a limited time, because it is fetched
//! without an API key (DESIGN 7 "media").

use bytes::Bytes;
pub use channels::media_store::MediaStoreError;
use channels::{http::AddressPolicy, media_store::MediaContent};
use chrono::TimeDelta;
use domain::{
    file_name,
    ids::{ClientId, MediaId},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use storage::inbound::media::MediaRecord;

use crate::Context;

const ADDRESS_LIFETIME: TimeDelta = TimeDelta::days(7);

/// The address of a file. It is valid for [`ADDRESS_LIFETIME`], starting now.
pub fn url_for(ctx: &Context, client: ClientId, id: MediaId) -> String {
    let expires = (ctx.now() + ADDRESS_LIFETIME).timestamp();
    let signature = Signer::new(ctx).sign(client, id, expires);
    format!("{}/media/{client}/{id}?expires={expires}&signature={signature}", ctx.settings.server.public_base())
}

/// The client and the file that one of our addresses names, expired or not. `None` if the address is not ours,
/// `Some(None)` if it names no file.
pub fn own(ctx: &Context, url: &str) -> Option<Option<(ClientId, MediaId)>> {
    below(ctx.settings.server.public_base(), url)
}

pub fn below(public_url: &str, url: &str) -> Option<Option<(ClientId, MediaId)>> {
    let path = url.strip_prefix(public_url)?.strip_prefix("/media/")?;
    let (client, id) = path.split(['?', '#']).next()?.split_once('/')?;
    Some(client.parse().ok().zip(id.parse().ok()))
}

/// True if a provider can fetch addresses below this base: over TLS, from a public host.
pub fn can_be_fetched(public_url: &str) -> bool {
    let Ok(url) = (AddressPolicy { allow_private: false }).judge_url(public_url) else { return false };
    // A name without a dot belongs to a private network.
    url.scheme() == "https" && url.domain().is_none_or(|name| name.trim_end_matches('.').contains('.'))
}

/// True if the store itself fails or refuses. False if a database refuses a statement for a file.
pub fn is_outage(fault: &MediaStoreError) -> bool {
    match fault {
        MediaStoreError::File { .. } => true,
        MediaStoreError::Shared { source, .. } => {
            source.downcast_ref::<storage::Error>().is_none_or(storage::Error::is_outage)
        }
    }
}

/// Stores a file of the business. Returns its SHA-256 in hexadecimal.
pub async fn keep(ctx: &Context, client: ClientId, id: MediaId, bytes: Bytes) -> Result<String, MediaStoreError> {
    Ok(ctx.media.put(client, id, MediaContent::Bytes(bytes)).await?.sha256)
}

pub fn check(
    ctx: &Context,
    client: ClientId,
    id: MediaId,
    expires: i64,
    signature: &str,
) -> Result<(), MediaAddressRefused> {
    if !Signer::new(ctx).verify(client, id, expires, signature) {
        return Err(MediaAddressRefused::BadSignature);
    }
    if ctx.now().timestamp() > expires { Err(MediaAddressRefused::Expired) } else { Ok(()) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MediaAddressRefused {
    #[error("the signature of this address is wrong")]
    BadSignature,
    #[error("this address has expired; take a new one from the message")]
    Expired,
}

/// The signing key of addresses, derived from the master key.
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

    /// Takes constant time.
    fn verify(&self, client: ClientId, id: MediaId, expires: i64, signature: &str) -> bool {
        let given = hex::decode(signature).unwrap_or_default();
        self.mac(client, id, expires).is_some_and(|mac| mac.verify_slice(&given).is_ok())
    }
}

/// The name under which a file is shown and saved. `nameless` is the stem if the file has no name.
pub fn name_of(file: &MediaRecord, nameless: &str) -> String {
    match file_name::given(file.filename.as_deref(), &file.mime_type) {
        Some(name) => name,
        None => format!("{nameless}.{}", file.extension),
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

    #[test]
    fn a_database_that_refuses_a_statement_is_no_outage_of_the_store() {
        let failed =
            |source: Box<dyn std::error::Error + Send + Sync>| MediaStoreError::Shared { store: "database", source };
        assert!(!is_outage(&failed(Box::new(storage::Error::missing_row()))));
        assert!(is_outage(&failed("the bucket refuses".into())));
    }

    #[test]
    fn a_provider_fetches_over_tls_from_public_hosts_only() {
        for public in ["https://chat.example.com", "https://chat.example.com:8443/base", "https://8.8.8.8"] {
            assert!(can_be_fetched(public), "{public}");
        }
        for private in [
            "",
            "http://chat.example.com",
            "https://127.0.0.1:8080",
            "https://[::1]",
            "https://10.1.2.3",
            "https://192.168.0.10",
            "https://localhost",
            "https://patchbay",
            "https://patchbay.internal",
        ] {
            assert!(!can_be_fetched(private), "{private}");
        }
    }

    #[test]
    fn an_address_of_ours_names_a_client_and_a_file() {
        let (client, id) = (ClientId(Uuid::from_u128(1)), MediaId(Uuid::from_u128(2)));
        let base = "https://chat.example.com";
        assert_eq!(below(base, &format!("{base}/media/{client}/{id}?expires=1&signature=a")), Some(Some((client, id))));
        assert_eq!(below(base, &format!("{base}/media/nobody/nothing")), Some(None));
        assert_eq!(below(base, "https://elsewhere.example.com/media/x/y"), None);
    }
}
