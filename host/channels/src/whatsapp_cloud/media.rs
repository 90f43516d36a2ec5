//! Media of the Cloud API (PROVIDERS A.6): resolve, download, delete; `files` uploads.

use std::path::Path;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use url::Url;

use super::{
    CloudApi, CloudNumber, GraphError,
    graph::{NoAnswer, answer, integer, status_failure},
};
use crate::{
    http::OperatorClient,
    media_download::{self, DownloadedMedia, MediaError, MediaExpectation},
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

/// Makes a call whose answer is a file, or an error of the Graph API.
pub(crate) async fn fetch_file(
    client: &OperatorClient,
    call: RequestBuilder,
    expectation: &MediaExpectation,
    to: &Path,
) -> Result<DownloadedMedia, MediaError> {
    let response = client.send(call).await.map_err(|error| MediaError::Unreachable(error.to_string()))?;
    if !response.status().is_success() {
        return Err(answer_error(response).await);
    }
    media_download::save(response, expectation, to).await
}

async fn answer_error(response: Response) -> MediaError {
    let status = response.status().as_u16();
    match answer(response).await {
        Err(NoAnswer::Error(error)) => {
            MediaError::Refused { status, failure: error.failure.unwrap_or_else(|| status_failure(status)) }
        }
        Err(NoAnswer::Lost(reason)) => MediaError::Unreadable(reason),
        Ok(_) => MediaError::Refused { status, failure: status_failure(status) },
    }
}
