//! Media of businesses and phones, in memory. The newest 256 MB are kept.

use std::collections::{HashMap, VecDeque};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::{clock, identity};

const KEPT_BYTES: usize = 256 * 1024 * 1024;
/// Media ids have 17 digits and this prefix, which distinguishes them from number and template ids.
pub(crate) const ID_PREFIX: &str = "8800";
const URL_LIFETIME: i64 = 300;

#[derive(Debug, Clone)]
pub(crate) struct Medium {
    pub(crate) id: String,
    pub(crate) mime_type: String,
    pub(crate) bytes: Bytes,
    digest: [u8; 32],
}

impl Medium {
    pub(crate) fn sha256_base64(&self) -> String {
        STANDARD.encode(self.digest)
    }

    pub(crate) fn sha256_hex(&self) -> String {
        hex::encode(self.digest)
    }
}

#[derive(Debug)]
pub(crate) struct MediaLibrary {
    by_id: HashMap<String, Medium>,
    order: VecDeque<String>,
    stored_bytes: usize,
    signing_key: [u8; 16],
}

impl Default for MediaLibrary {
    fn default() -> Self {
        Self { by_id: HashMap::new(), order: VecDeque::new(), stored_bytes: 0, signing_key: clock::random_bytes() }
    }
}

impl MediaLibrary {
    pub(crate) fn store(&mut self, mime_type: &str, bytes: Bytes) -> Medium {
        let seed = hex::encode(clock::random_bytes::<16>());
        let medium = Medium {
            id: format!("{ID_PREFIX}{}", identity::stable_digits(&seed, 13)),
            mime_type: mime_type.to_owned(),
            digest: Sha256::digest(&bytes).into(),
            bytes,
        };
        self.stored_bytes += medium.bytes.len();
        self.order.push_back(medium.id.clone());
        self.by_id.insert(medium.id.clone(), medium.clone());
        while self.stored_bytes > KEPT_BYTES {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.forget(&oldest);
        }
        medium
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Medium> {
        self.by_id.get(id)
    }

    pub(crate) fn delete(&mut self, id: &str) -> bool {
        self.order.retain(|known| known != id);
        self.forget(id)
    }

    fn forget(&mut self, id: &str) -> bool {
        let gone = self.by_id.remove(id);
        self.stored_bytes -= gone.as_ref().map_or(0, |medium| medium.bytes.len());
        gone.is_some()
    }

    pub(crate) fn download_path(&self, id: &str) -> String {
        let expires = clock::now().timestamp() + URL_LIFETIME;
        format!("/media/{id}?ext={expires}&hash={}", self.seal(id, expires))
    }

    pub(crate) fn download_allowed(&self, id: &str, expires: i64, hash: &str) -> bool {
        expires >= clock::now().timestamp() && hash == self.seal(id, expires)
    }

    fn seal(&self, id: &str, expires: i64) -> String {
        let sealed = Sha256::new().chain_update(self.signing_key).chain_update(format!("{id}:{expires}")).finalize();
        hex::encode(sealed)
    }
}
