//! HTTP as the library needs it, over the one way out of this program: WhatsApp's own hosts, and no other.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use channels::http::{ClientBuildError, OperatorClient, operator_client};
use futures::StreamExt;
use http::Method;
use url::Url;
use whatsapp_rust::{
    anyhow::{Result, anyhow, bail},
    http::{HttpClient, HttpRequest, HttpResponse},
};

const TIMEOUT: Duration = Duration::from_secs(120);
const LARGEST_PAGE: u64 = 16 * 1024 * 1024;
const HOSTS: [&str; 2] = ["whatsapp.net", "whatsapp.com"];

#[derive(Clone)]
pub(super) struct WhatsappWeb {
    client: OperatorClient,
    most_bytes: u64,
}

impl WhatsappWeb {
    pub(super) fn new() -> Result<Self, ClientBuildError> {
        Ok(Self { client: operator_client(TIMEOUT)?, most_bytes: LARGEST_PAGE })
    }

    /// The same for answers of so many bytes.
    pub(super) fn up_to(&self, most_bytes: u64) -> Self {
        Self { client: self.client.clone(), most_bytes }
    }
}

fn of_whatsapp(address: &str) -> Result<Url> {
    let url = Url::parse(address).map_err(|_| anyhow!("not a URL"))?;
    let host = url.domain().unwrap_or_default().to_ascii_lowercase();
    let theirs = |name: &str| host.strip_suffix(name).is_some_and(|front| front.is_empty() || front.ends_with('.'));
    if url.scheme() != "https" || url.port().is_some() || !HOSTS.iter().any(|name| theirs(name)) {
        bail!("`{host}` is no host of WhatsApp");
    }
    Ok(url)
}

#[async_trait]
impl HttpClient for WhatsappWeb {
    async fn execute(&self, request: HttpRequest) -> Result<HttpResponse> {
        let url = of_whatsapp(&request.url)?;
        let method = Method::from_bytes(request.method.as_bytes())?;
        let mut call = self.client.request(method, url);
        for (name, value) in &request.headers {
            call = call.header(name, value);
        }
        if let Some(body) = request.body {
            call = call.body(body);
        }
        // The address may hold a token: no error names it.
        let answer = self.client.send(call).await?;
        let status_code = answer.status().as_u16();
        let mut body = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk: Bytes = chunk.map_err(|error| error.without_url())?;
            if (body.len() + chunk.len()) as u64 > self.most_bytes {
                bail!("the answer is larger than {} bytes", self.most_bytes);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(HttpResponse { status_code, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_whatsapp_are_called_and_no_other() {
        for theirs in
            ["https://mmg.whatsapp.net/v/t62?hash=1", "https://web.whatsapp.com/sw.js", "https://whatsapp.net/"]
        {
            assert!(of_whatsapp(theirs).is_ok(), "{theirs}");
        }
        let others = [
            "http://web.whatsapp.com/sw.js",
            "https://web.whatsapp.com:8443/",
            "https://whatsapp.net.example.org/",
            "https://notwhatsapp.net/",
            "https://10.0.0.1/",
            "file:///etc/hosts",
            "",
        ];
        for other in others {
            assert!(of_whatsapp(other).is_err(), "{other}");
        }
    }
}
