//! Media of the Cloud API (PROVIDERS A.6): resolve, download, delete; `files` uploads.

use std::{
    io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::{Method, RequestBuilder, Response, header::CONTENT_TYPE};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use url::Url;

use super::{
    CloudApi, CloudNumber, GraphError,
    graph::{NoAnswer, answer, integer, status_failure},
};
use crate::{
    http::{OperatorClient, describe},
    media_store::create_private,
};

/// Hosts of Meta that serve media and may get the token; with sub-domains, https only.
const MEDIA_HOSTS: &[&str] = &["fbsbx.com", "fbcdn.net", "whatsapp.net", "facebook.com"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaNode {
    pub id: String,
    pub url: String,
    pub mime_type: String,
    /// Digest, hexadecimal in practice.
    pub sha256: Option<String>,
    pub file_size: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct MediaExpectation {
    pub max_bytes: u64,
    /// Digest as base64 or hexadecimal; not checked if absent.
    pub sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadedMedia {
    pub path: PathBuf,
    pub bytes: u64,
    /// Lower-case hexadecimal.
    pub sha256: String,
    /// `Content-Type` of the answer, `application/octet-stream` if it has none.
    pub mime: String,
}

#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The URL is on a host that must not get the access token.
    #[error("media host `{0}` is neither Meta's nor the configured Graph host; the access token is not sent there")]
    HostNotAllowed(String),
    #[error("the media file is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the digest of the media file is not the announced one; fetch it again")]
    DigestMismatch,
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("the media file cannot be written: {0}")]
    File(#[from] io::Error),
}

impl CloudApi {
    pub async fn resolve_media(&self, number: &CloudNumber, media_id: &str) -> Result<MediaNode, GraphError> {
        let call = self
            .call(Method::GET, &[media_id], &number.access_token)
            .query(&[("phone_number_id", number.phone_number_id.as_str())]);
        let node: Value = self.read(call).await?;
        let text = |name: &str| node.get(name).and_then(Value::as_str).map(str::to_owned);
        let url = text("url").ok_or_else(|| GraphError::Unreadable("the media object has no url".to_owned()))?;
        Ok(MediaNode {
            id: text("id").unwrap_or_else(|| media_id.to_owned()),
            url,
            mime_type: text("mime_type").unwrap_or_else(|| "application/octet-stream".to_owned()),
            sha256: text("sha256").filter(|digest| !digest.is_empty()),
            file_size: node.get("file_size").and_then(integer).and_then(|size| u64::try_from(size).ok()),
        })
    }

    /// The token goes only to Meta's hosts and the configured Graph host. After a failure the file is removed.
    pub async fn download_media(
        &self,
        number: &CloudNumber,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        let url = self.token_host(url)?;
        let call = self.client.get(url).bearer_auth(&number.access_token).timeout(self.timeout * 4);
        fetch_file(&self.client, call, expectation, to).await
    }

    pub async fn delete_media(&self, number: &CloudNumber, media_id: &str) -> Result<(), GraphError> {
        let call = self
            .call(Method::DELETE, &[media_id], &number.access_token)
            .query(&[("phone_number_id", number.phone_number_id.as_str())]);
        self.read::<Value>(call).await.map(|_| ())
    }

    /// The URL, if its host may get the token: the configured Graph host as it is, Meta's media hosts over https.
    fn token_host(&self, url: &str) -> Result<Url, MediaError> {
        let refused = |host: &str| MediaError::HostNotAllowed(host.to_owned());
        let parsed = Url::parse(url).map_err(|_| refused("not a URL"))?;
        if parsed.origin() == self.base.origin() {
            return Ok(parsed);
        }
        if is_of_meta(&parsed) {
            return Ok(parsed);
        }
        Err(refused(parsed.host_str().unwrap_or("no host")))
    }
}

pub(crate) fn is_of_meta(url: &Url) -> bool {
    let host = url.domain().unwrap_or_default().to_ascii_lowercase();
    let of_meta = MEDIA_HOSTS
        .iter()
        .any(|name| host.strip_suffix(name).is_some_and(|front| front.is_empty() || front.ends_with('.')));
    of_meta && url.scheme() == "https" && url.port().is_none()
}

/// Makes a call whose answer is a file, and writes it to `to`. After a failure the file is removed.
pub(crate) async fn fetch_file(
    client: &OperatorClient,
    call: RequestBuilder,
    expectation: &MediaExpectation,
    to: &Path,
) -> Result<DownloadedMedia, MediaError> {
    let response = client.send(call).await.map_err(|error| GraphError::Unreachable(error.to_string()))?;
    if !response.status().is_success() {
        return Err(MediaError::Graph(answer_error(response).await));
    }
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

async fn answer_error(response: Response) -> GraphError {
    let status = response.status().as_u16();
    match answer(response).await {
        Err(NoAnswer::Error(error)) => {
            GraphError::Answer { status, failure: error.failure.unwrap_or_else(|| status_failure(status)) }
        }
        Err(NoAnswer::Lost(reason)) => GraphError::Unreadable(reason),
        Ok(_) => GraphError::Answer { status, failure: status_failure(status) },
    }
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
    while let Some(chunk) = response.chunk().await.map_err(|error| GraphError::Unreachable(describe(error)))? {
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
