//! Stored secrets. They are sealed with an AEAD under the operator's master key and bound to the client and the
//! purpose, so that a sealed value in another row cannot be opened (DESIGN 3.9).

use std::{collections::BTreeSet, fmt, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use domain::ids::ClientId;
use hmac::{Hmac, Mac};
use parking_lot::RwLock;
use rand::{TryRngCore, rngs::OsRng};
use sha2::Sha256;
use storage::{PgConnection, tenancy::settings};
use uuid::Uuid;

/// First byte of each sealed value: XChaCha20-Poly1305, layout `version | key id | nonce | ciphertext`.
const VERSION: u8 = 1;
const KEY_ID_BYTES: usize = 4;
const NONCE_BYTES: usize = 24;
const FINGERPRINT_DIGITS: usize = 32;
/// The text that marks a database with its key. After a change of the key, the first key follows it.
const MARK: &[u8] = b"patchbay master key";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretPurpose {
    ApiKey,
    AccessToken,
    AppSecret,
    WebhookSecret,
    PluginSecret,
    SiteIdentity,
    SmsPassword,
    LiteDevice,
    PluginRequest,
    OpenidState,
}

impl SecretPurpose {
    fn label(self) -> &'static str {
        match self {
            Self::ApiKey => "api-key",
            Self::AccessToken => "access-token",
            Self::AppSecret => "app-secret",
            Self::WebhookSecret => "webhook-secret",
            Self::PluginSecret => "plugin-secret",
            Self::SiteIdentity => "site-identity",
            Self::SmsPassword => "sms-password",
            Self::LiteDevice => "lite-device",
            Self::PluginRequest => "plugin-request",
            Self::OpenidState => "openid-state",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("a sealed value is damaged or was written by a newer version of Patchbay")]
    Unreadable,
    #[error("a secret was sealed with another master key: start with the key that the data was sealed with")]
    OtherKey,
    #[error("a sealed value was found in a wrong place, or was changed")]
    NotAuthentic,
    #[error("the operating system returned no random bytes")]
    NoRandomness,
    #[error("a sealed value must be text and is not")]
    NotText,
}

#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    #[error(
        "this database was sealed with another master key. Start with the key it was sealed with: restore the file \
         `master.key` in `data_dir`, or set `security.master_key`. After a change of the key, \
         `security.previous_master_key` names the old one. Without that key its API keys, provider tokens and \
         webhook secrets cannot be read"
    )]
    OtherKey,
    #[error("`security.master_key` is not 32 bytes in base64: make one with `openssl rand -base64 32`")]
    NotAKey,
    #[error(transparent)]
    Seal(SealError),
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// Parses `security.master_key` or the content of a key file: 32 bytes in base64. White space around them is ignored.
pub fn parse_master_key(text: &str) -> Result<[u8; 32], MasterKeyError> {
    let bytes = STANDARD.decode(text.trim()).map_err(|_| MasterKeyError::NotAKey)?;
    bytes.try_into().map_err(|_| MasterKeyError::NotAKey)
}

pub fn generate_master_key() -> Result<String, SealError> {
    Ok(STANDARD.encode(random::<32>()?))
}

/// `N` bytes from the generator of the operating system, the only source of keys and secrets (DESIGN 3.7).
pub fn random<const N: usize>() -> Result<[u8; N], SealError> {
    let mut bytes = [0; N];
    OsRng.try_fill_bytes(&mut bytes).map_err(|_| SealError::NoRandomness)?;
    Ok(bytes)
}

/// Seals and opens secrets. `Debug` hides the keys. Clones share the decision which key seals.
///
/// While the master key is changed there are two keys. Both open. The mark of the database decides which one seals, so that a
/// process which does not have the new key yet can read all values until the operator runs `patchbay master-key rotate`.
#[derive(Clone)]
pub struct Sealer(Arc<Keyring>);

struct Keyring {
    current: MasterKey,
    previous: Option<MasterKey>,
    adopted: RwLock<Adopted>,
}

struct MasterKey {
    bytes: [u8; 32],
    cipher: XChaCha20Poly1305,
    id: [u8; KEY_ID_BYTES],
}

#[derive(Clone, Copy)]
struct Adopted {
    previous_seals: bool,
    /// The first master key of the database. Keys of other uses are derived from it: addresses of files and ids of visitors outlive a
    /// change of the master key.
    root: [u8; 32],
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer")
    }
}

impl MasterKey {
    fn new(bytes: [u8; 32]) -> Self {
        let cipher = XChaCha20Poly1305::new(&derive(&bytes, "seal").into());
        let [a, b, c, d, ..] = derive(&bytes, "key-id");
        Self { bytes, cipher, id: [a, b, c, d] }
    }

    fn fingerprint(&self) -> String {
        let mut digits = hex::encode(derive(&self.bytes, "fingerprint"));
        digits.truncate(FINGERPRINT_DIGITS);
        digits
    }

    fn seal(&self, bound: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let nonce = random::<NONCE_BYTES>()?;
        let ciphertext = self
            .cipher
            .encrypt(XNonce::from_slice(&nonce), Payload { msg: plain, aad: bound })
            .map_err(|_| SealError::NotAuthentic)?;
        let mut sealed = self.prefix();
        sealed.reserve(NONCE_BYTES + ciphertext.len());
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&ciphertext);
        Ok(sealed)
    }

    fn prefix(&self) -> Vec<u8> {
        let mut prefix = vec![VERSION];
        prefix.extend_from_slice(&self.id);
        prefix
    }
}

impl Sealer {
    /// `master_key` is the operator's. All keys in use are derived from it.
    pub fn new(master_key: [u8; 32]) -> Self {
        Self::with_previous(master_key, None)
    }

    /// The same with the master key before, which still opens values.
    pub fn with_previous(master_key: [u8; 32], previous: Option<[u8; 32]>) -> Self {
        Self(Arc::new(Keyring {
            current: MasterKey::new(master_key),
            previous: previous.map(MasterKey::new),
            adopted: RwLock::new(Adopted { previous_seals: false, root: master_key }),
        }))
    }

    pub fn seal(&self, client: ClientId, purpose: SecretPurpose, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        self.sealing().seal(&binding(client, purpose.label()), plain)
    }

    pub fn open(&self, client: ClientId, purpose: SecretPurpose, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        self.open_bound(&binding(client, purpose.label()), sealed).map(|(plain, _)| plain)
    }

    pub fn open_text(&self, client: ClientId, purpose: SecretPurpose, sealed: &[u8]) -> Result<String, SealError> {
        String::from_utf8(self.open(client, purpose, sealed)?).map_err(|_| SealError::NotText)
    }

    /// The same value under the current key; `None` if it is already.
    pub fn reseal(
        &self,
        client: ClientId,
        purpose: SecretPurpose,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, SealError> {
        if sealed.starts_with(&self.current_prefix()) {
            return Ok(None);
        }
        let plain = self.open(client, purpose, sealed)?;
        self.0.current.seal(&binding(client, purpose.label()), &plain).map(Some)
    }

    pub fn current_prefix(&self) -> Vec<u8> {
        self.0.current.prefix()
    }

    /// A key for another use than sealing, such as signing media addresses. The same label always gives the same key,
    /// also after a change of the master key.
    pub fn derive(&self, purpose_label: &str) -> [u8; 32] {
        derive(&self.adopted_keys().root, &format!("derive/{purpose_label}"))
    }

    pub fn has_previous(&self) -> bool {
        self.0.previous.is_some()
    }

    /// Names of the configured master keys, which do not reveal them: 32 hexadecimal digits each.
    pub fn fingerprints(&self) -> BTreeSet<String> {
        let keys = [Some(&self.0.current), self.0.previous.as_ref()];
        keys.into_iter().flatten().map(MasterKey::fingerprint).collect()
    }

    /// The same for the keys that the values of the checked database need.
    pub fn fingerprints_in_use(&self) -> BTreeSet<String> {
        match &self.0.previous {
            Some(previous) if self.adopted_keys().previous_seals => BTreeSet::from([previous.fingerprint()]),
            _ => self.fingerprints(),
        }
    }

    /// Checks that the data of this database was sealed with this key. On first use, it marks the database with the
    /// key.
    pub async fn check_or_init(&self, db: &mut PgConnection) -> Result<(), MasterKeyError> {
        if self.check(db).await? {
            return Ok(());
        }
        let sealed = self.0.current.seal(&mark_binding(), MARK).map_err(MasterKeyError::Seal)?;
        settings::init_master_key_check(db, &sealed).await?;
        // Another process may have been first, with another key.
        match self.check(db).await? {
            true => Ok(()),
            false => Err(MasterKeyError::Seal(SealError::Unreadable)),
        }
    }

    /// Checks that the data of this database was sealed with a key that we have, and seals with the key of its mark from now on;
    /// `false` if it has no mark.
    pub async fn check(&self, db: &mut PgConnection) -> Result<bool, MasterKeyError> {
        let Some(sealed) = settings::master_key_check(db).await? else { return Ok(false) };
        self.adopt(&sealed).map(|()| true)
    }

    /// Puts the mark of the database under the current key, so that all processes seal with it. `false` if it is already.
    pub async fn switch(&self, db: &mut PgConnection) -> Result<bool, MasterKeyError> {
        let Some(sealed) = settings::master_key_check(db).await? else {
            return Err(MasterKeyError::Seal(SealError::Unreadable));
        };
        self.adopt(&sealed)?;
        let Adopted { previous_seals, root } = self.adopted_keys();
        if !previous_seals {
            return Ok(false);
        }
        let mark = [MARK, root.as_slice()].concat();
        let new = self.0.current.seal(&mark_binding(), &mark).map_err(MasterKeyError::Seal)?;
        let switched = settings::replace_master_key_check(db, &sealed, &new).await?;
        self.check(db).await?;
        Ok(switched)
    }

    fn adopt(&self, mark: &[u8]) -> Result<(), MasterKeyError> {
        let (opened, key) = match self.open_bound(&mark_binding(), mark) {
            Ok(opened) => opened,
            Err(SealError::OtherKey | SealError::NotAuthentic) => return Err(MasterKeyError::OtherKey),
            Err(error) => return Err(MasterKeyError::Seal(error)),
        };
        let root = match opened.strip_prefix(MARK) {
            Some([]) => key.bytes,
            Some(root) => root.try_into().map_err(|_| MasterKeyError::Seal(SealError::Unreadable))?,
            None => return Err(MasterKeyError::OtherKey),
        };
        let adopted = Adopted { previous_seals: key.id != self.0.current.id, root };
        *self.0.adopted.write() = adopted;
        Ok(())
    }

    fn adopted_keys(&self) -> Adopted {
        *self.0.adopted.read()
    }

    fn sealing(&self) -> &MasterKey {
        match &self.0.previous {
            Some(previous) if self.adopted_keys().previous_seals => previous,
            _ => &self.0.current,
        }
    }

    fn open_bound(&self, bound: &[u8], sealed: &[u8]) -> Result<(Vec<u8>, &MasterKey), SealError> {
        let (&version, rest) = sealed.split_first().ok_or(SealError::Unreadable)?;
        let (key_id, rest) = rest.split_at_checked(KEY_ID_BYTES).ok_or(SealError::Unreadable)?;
        let (nonce, ciphertext) = rest.split_at_checked(NONCE_BYTES).ok_or(SealError::Unreadable)?;
        if version != VERSION {
            return Err(SealError::Unreadable);
        }
        let mut keys = [Some(&self.0.current), self.0.previous.as_ref()].into_iter().flatten();
        let key = keys.find(|key| key_id == key.id).ok_or(SealError::OtherKey)?;
        let opened = key.cipher.decrypt(XNonce::from_slice(nonce), Payload { msg: ciphertext, aad: bound });
        Ok((opened.map_err(|_| SealError::NotAuthentic)?, key))
    }
}

/// The data that a sealed value is bound to: 16 bytes of the client, then the label.
fn binding(client: ClientId, label: &str) -> Vec<u8> {
    [client.0.as_bytes().as_slice(), label.as_bytes()].concat()
}

fn mark_binding() -> Vec<u8> {
    binding(ClientId(Uuid::nil()), "master-key-check")
}

fn derive(key: &[u8; 32], label: &str) -> [u8; 32] {
    // An HMAC key can have any length, so this cannot fail.
    let Ok(mut mac) = <Hmac<Sha256> as Mac>::new_from_slice(key) else { return [0; 32] };
    mac.update(b"patchbay/");
    mac.update(label.as_bytes());
    mac.finalize().into_bytes().into()
}
