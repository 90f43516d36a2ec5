//! Downloads of customers' files from their provider.

use std::{
    io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::inbound::ProviderFailure;
use reqwest::{RequestBuilder, Response, header::CONTENT_TYPE};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use crate::{
    http::{OperatorClient, describe},
    media_store::create_private,
};

#[derive(Debug, Clone)]
pub struct MediaExpectation {
    pub max_bytes: u64,
    /// Digest as base64 or hexadecimal; not checked if absent.
    pub sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadedMedia {
    /// The file, mode 0600.
    pub path: PathBuf,
    pub bytes: u64,
    /// Lower-case hexadecimal.
    pub sha256: String,
    /// `Content-Type` of the answer, `application/octet-stream` if it has none.
    pub mime: String,
}

/// A failed download. No file is left.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The URL is on a host that must not get the credentials.
    #[error("media host `{0}` is not one of the provider; nothing is fetched from it")]
    HostNotAllowed(String),
    #[error("the media file is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the digest of the media file is not the announced one; fetch it again")]
    DigestMismatch,
    #[error("the provider answered {status}: ({}) {}", failure.code, failure.text)]
    Refused { status: u16, failure: ProviderFailure },
    /// No answer: no connection, a broken one, or a time-out.
    #[error("the provider is unreachable: {0}")]
    Unreachable(String),
    #[error("the provider gave an answer that cannot be read: {0}")]
    Unreadable(String),
    #[error("the media file cannot be written: {0}")]
    File(#[from] io::Error),
}

/// Makes a call whose answer is a file, and writes it to `to`. After a failure the file is removed.
pub(crate) async fn fetch_file(
    client: &OperatorClient,
    call: RequestBuilder,
    expectation: &MediaExpectation,
    to: &Path,
) -> Result<DownloadedMedia, MediaError> {
    let response = client.send(call).await.map_err(|error| MediaError::Unreachable(error.to_string()))?;
    let status = response.status().as_u16();
    if !response.status().is_success() {
        let failure = ProviderFailure { code: i64::from(status), text: format!("HTTP status {status}") };
        return Err(MediaError::Refused { status, failure });
    }
    save(response, expectation, to).await
}

/// Writes the body of an answer to `to`. After a failure the file is removed.
pub(crate) async fn save(
    response: Response,
    expectation: &MediaExpectation,
    to: &Path,
) -> Result<DownloadedMedia, MediaError> {
    let mime = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("application/octet-stream")
        .to_owned();
    let written = write_checked(response, expectation, to).await;
    if written.is_err() {
        // The error above counts. The file may not exist.
        let _ = tokio::fs::remove_file(to).await;
    }
    let (bytes, sha256) = written?;
    Ok(DownloadedMedia { path: to.to_owned(), bytes, sha256, mime })
}

async fn write_checked(
    mut response: Response,
    expectation: &MediaExpectation,
    to: &Path,
) -> Result<(u64, String), MediaError> {
    let limit = expectation.max_bytes;
    if response.content_length().is_some_and(|announced| announced > limit) {
        return Err(MediaError::TooLarge { limit });
    }
    let mut file = create_private(to).await?;
    let mut digest = Sha256::new();
    let mut total = 0u64;
    while let Some(chunk) = response.chunk().await.map_err(|error| MediaError::Unreachable(describe(error)))? {
        total += chunk.len() as u64;
        if total > limit {
            return Err(MediaError::TooLarge { limit });
        }
        digest.update(&chunk);
        file.write_all(&chunk).await?;
    }
    file.sync_all().await?;
    let digest: [u8; 32] = digest.finalize().into();
    match &expectation.sha256 {
        Some(announced) if !same_digest(announced, &digest) => Err(MediaError::DigestMismatch),
        _ => Ok((total, hex::encode(digest))),
    }
}

/// Webhooks announce base64, the media node hexadecimal; 64 characters can only be the latter.
fn same_digest(announced: &str, digest: &[u8; 32]) -> bool {
    let announced = announced.trim();
    let decoded = if announced.len() == 64 { hex::decode(announced).ok() } else { STANDARD.decode(announced).ok() };
    decoded.as_deref() == Some(digest.as_slice())
}
