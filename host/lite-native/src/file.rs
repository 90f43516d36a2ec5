//! Files of customers. The key of a file is part of its address, so that any process can download it.

use std::{path::Path, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use channels::{
    media_download::{DownloadedMedia, MediaError, MediaExpectation},
    media_store::create_private,
};
use domain::content::MediaKind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::{fs, io::AsyncWriteExt};
use whatsapp_rust::{
    TokioRuntime,
    download::{DownloadParams, MediaDownloadError, MediaDownloader},
    wacore::download::MediaType,
};

use super::web::WhatsappWeb;

/// Prefix of such an address.
const SCHEME: &str = "whatsapp-file:";
/// Most bytes by which an encrypted file is longer.
const ENCRYPTION_OVERHEAD: u64 = 64;

/// The address of a file, and its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RemoteFile {
    pub(super) kind: MediaKind,
    pub(super) path: String,
    pub(super) key: Vec<u8>,
    pub(super) sha256: Vec<u8>,
    pub(super) encrypted_sha256: Vec<u8>,
    pub(super) bytes: u64,
}

impl RemoteFile {
    /// As an address; a file without a key has none.
    pub(super) fn address(&self) -> Option<String> {
        let known = !self.path.is_empty() && !self.key.is_empty();
        known.then(|| Some(format!("{SCHEME}{}", URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).ok()?))))?
    }

    fn from_address(address: &str) -> Option<Self> {
        let file = URL_SAFE_NO_PAD.decode(address.strip_prefix(SCHEME)?).ok()?;
        serde_json::from_slice(&file).ok()
    }
}

/// The library's name of a kind of file, which determines the key.
pub(super) fn media_type(kind: MediaKind) -> MediaType {
    match kind {
        MediaKind::Image => MediaType::Image,
        MediaKind::Video => MediaType::Video,
        MediaKind::Audio | MediaKind::Voice => MediaType::Audio,
        MediaKind::Document => MediaType::Document,
        MediaKind::Sticker => MediaType::Sticker,
    }
}

/// Downloads and decrypts a file. After a failure no file is left.
pub(super) async fn download(
    web: &WhatsappWeb,
    address: &str,
    expectation: &MediaExpectation,
    to: &Path,
) -> Result<DownloadedMedia, MediaError> {
    let refused = || MediaError::HostNotAllowed(address.chars().take(20).collect());
    let file = RemoteFile::from_address(address).ok_or_else(refused)?;
    let limit = expectation.max_bytes;
    if file.bytes > limit {
        return Err(MediaError::TooLarge { limit });
    }
    let params = DownloadParams::encrypted(
        file.path,
        &file.key,
        &file.sha256,
        &file.encrypted_sha256,
        file.bytes,
        media_type(file.kind),
    );
    let web = Arc::new(web.up_to(limit.saturating_add(ENCRYPTION_OVERHEAD)));
    let content = MediaDownloader::with_default_hosts(web, Arc::new(TokioRuntime)).download(&params).await;
    let content = content.map_err(|error| match error {
        MediaDownloadError::HostsUnreachable(_) | MediaDownloadError::NoHosts => {
            MediaError::Unreachable(error.to_string())
        }
        _ => MediaError::Unreadable(error.to_string()),
    })?;
    let digest: [u8; 32] = Sha256::digest(&content).into();
    if !file.sha256.is_empty() && file.sha256 != digest {
        return Err(MediaError::DigestMismatch);
    }
    if let Err(error) = write(to, &content).await {
        // This error counts. The file may not exist.
        let _ = fs::remove_file(to).await;
        return Err(error.into());
    }
    let mime = "application/octet-stream".to_owned();
    Ok(DownloadedMedia { path: to.to_owned(), bytes: content.len() as u64, sha256: hex::encode(digest), mime })
}

async fn write(to: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut file = create_private(to).await?;
    file.write_all(content).await?;
    file.sync_all().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> RemoteFile {
        RemoteFile {
            kind: MediaKind::Voice,
            path: "/v/t62.7117-24/1_n.enc?ccb=11&oh=01".to_owned(),
            key: vec![7; 32],
            sha256: vec![8; 32],
            encrypted_sha256: vec![9; 32],
            bytes: 4096,
        }
    }

    #[test]
    fn the_keys_of_a_file_are_read_back_from_its_address() {
        let address = file().address().unwrap();
        assert!(address.starts_with("whatsapp-file:") && address.is_ascii(), "{address}");
        assert_eq!(RemoteFile::from_address(&address), Some(file()));
    }

    #[test]
    fn a_file_without_a_key_has_no_address() {
        assert_eq!(RemoteFile { key: Vec::new(), ..file() }.address(), None);
        assert_eq!(RemoteFile { path: String::new(), ..file() }.address(), None);
    }

    #[tokio::test]
    async fn no_other_address_is_fetched() {
        let expectation = MediaExpectation { max_bytes: 10, sha256: None };
        for address in ["https://mmg.whatsapp.net/v/1", "whatsapp-file:", "whatsapp-file:e30", "file:///etc/hosts"] {
            let refused = download(&WhatsappWeb::new().unwrap(), address, &expectation, Path::new("/nowhere")).await;
            assert!(matches!(refused, Err(MediaError::HostNotAllowed(_))), "{address}");
        }
    }

    #[tokio::test]
    async fn a_file_that_is_announced_as_too_large_is_not_fetched() {
        let expectation = MediaExpectation { max_bytes: 4095, sha256: None };
        let address = file().address().unwrap();
        let refused = download(&WhatsappWeb::new().unwrap(), &address, &expectation, Path::new("/nowhere")).await;
        assert!(matches!(refused, Err(MediaError::TooLarge { limit: 4095 })));
    }
}
