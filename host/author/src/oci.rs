//! Fetches components from OCI registries, on the author's machine (ADR 0070).

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use oci_client::{
    Client, Reference,
    client::{ClientConfig, ClientProtocol},
    errors::OciDistributionError,
    manifest::{OCI_IMAGE_MEDIA_TYPE, OciDescriptor, OciImageManifest},
    secrets::RegistryAuth,
};
use plugin_host::sha256;

pub const SCHEME: &str = "oci://";
/// The types of a layer that is a component: that of the CNCF guidance, and an earlier one.
const COMPONENT_TYPES: [&str; 2] = ["application/wasm", "application/vnd.wasm.content.layer.v1+wasm"];
/// Most bytes of a component. The limit of the server is usually smaller.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// Registries on this machine are called without TLS.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A manifest with its reference, as the server checks it.
#[derive(Debug, Clone)]
pub struct OciManifest {
    pub reference: String,
    pub manifest: Bytes,
}

#[derive(Debug, Clone)]
pub struct OciComponent {
    /// The last part of the repository.
    pub name: String,
    pub component: Bytes,
    pub manifest: OciManifest,
}

#[derive(Debug, thiserror::Error)]
pub enum OciError {
    #[error(
        "`{0}` does not name a component by its digest; write it like oci://registry.example/team/hello@sha256:DIGEST"
    )]
    Reference(String),
    #[error(
        "{reference} cannot be fetched: {source}. If the registry needs a login, set PATCHBAY_REGISTRY_USER and \
         PATCHBAY_REGISTRY_PASSWORD"
    )]
    Registry {
        reference: String,
        #[source]
        source: Box<OciDistributionError>,
    },
    #[error("the component of {reference} could not be read to its end: {source}")]
    Broken {
        reference: String,
        #[source]
        source: std::io::Error,
    },
    #[error("{0} is not the manifest of an image, but perhaps an index of several; name the digest of one image")]
    Manifest(String),
    #[error("{reference} has {count} layers of type application/wasm; it must have one")]
    Layers { reference: String, count: usize },
    #[error("the registry sent another {part} of {reference} than its digest names")]
    Digest { part: &'static str, reference: String },
    #[error("the component of {0} has more than {MOST_BYTES} bytes")]
    TooLarge(String),
}

/// The login at a registry.
pub struct RegistryLogin(RegistryAuth);

impl RegistryLogin {
    /// From `PATCHBAY_REGISTRY_USER` and `PATCHBAY_REGISTRY_PASSWORD`. Without them, anonymous.
    pub fn from_environment() -> Self {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        match (given("PATCHBAY_REGISTRY_USER"), given("PATCHBAY_REGISTRY_PASSWORD")) {
            (Some(user), Some(password)) => Self(RegistryAuth::Basic(user, password)),
            _ => Self(RegistryAuth::Anonymous),
        }
    }
}

/// Fetches the component of `oci://REGISTRY/REPOSITORY@sha256:DIGEST`.
pub async fn fetch(reference: &str, login: &RegistryLogin) -> Result<OciComponent, OciError> {
    let wrong = || OciError::Reference(reference.to_owned());
    let image: Reference = reference.strip_prefix(SCHEME).ok_or_else(wrong)?.parse().map_err(|_| wrong())?;
    let digest = image.digest().and_then(|digest| digest.strip_prefix("sha256:")).ok_or_else(wrong)?;
    let client = client(&image);
    let failed = |source| OciError::Registry { reference: reference.to_owned(), source: Box::new(source) };
    let pulled = client.pull_manifest_raw(&image, &login.0, &[OCI_IMAGE_MEDIA_TYPE]).await;
    let manifest = Bytes::from(pulled.map_err(failed)?.0);
    if sha256(&manifest) != digest {
        return Err(OciError::Digest { part: "manifest", reference: reference.to_owned() });
    }
    let layer = component_layer(reference, &manifest)?;
    let component = layer_bytes(&client, &image, reference, &layer).await?;
    let name = image.repository().rsplit('/').next().unwrap_or_default().to_owned();
    Ok(OciComponent { name, component, manifest: OciManifest { reference: reference.to_owned(), manifest } })
}

fn client(image: &Reference) -> Client {
    let registry = image.resolve_registry();
    let host = registry.rsplit_once(':').map_or(registry, |(host, _)| host);
    let protocol = match LOCAL.contains(&host) {
        true => ClientProtocol::Http,
        false => ClientProtocol::Https,
    };
    Client::new(ClientConfig { protocol, ..ClientConfig::default() })
}

fn component_layer(reference: &str, manifest: &[u8]) -> Result<OciDescriptor, OciError> {
    let wrong = |_| OciError::Manifest(reference.to_owned());
    let manifest: OciImageManifest = serde_json::from_slice(manifest).map_err(wrong)?;
    let is_component = |layer: &OciDescriptor| COMPONENT_TYPES.contains(&layer.media_type.as_str());
    let mut layers: Vec<OciDescriptor> = manifest.layers.into_iter().filter(is_component).collect();
    match (layers.pop(), layers.len()) {
        // A manifest may name other places for a layer. Only the registry is asked.
        (Some(layer), 0) => Ok(OciDescriptor { urls: None, ..layer }),
        (found, others) => {
            Err(OciError::Layers { reference: reference.to_owned(), count: others + usize::from(found.is_some()) })
        }
    }
}

async fn layer_bytes(
    client: &Client,
    image: &Reference,
    reference: &str,
    layer: &OciDescriptor,
) -> Result<Bytes, OciError> {
    let failed = |source| OciError::Registry { reference: reference.to_owned(), source: Box::new(source) };
    let mut parts = client.pull_blob_stream(image, layer).await.map_err(failed)?.stream;
    let mut bytes = BytesMut::new();
    while let Some(part) = parts.next().await {
        let part = part.map_err(|source| OciError::Broken { reference: reference.to_owned(), source })?;
        if bytes.len() + part.len() > MOST_BYTES {
            return Err(OciError::TooLarge(reference.to_owned()));
        }
        bytes.extend_from_slice(&part);
    }
    if layer.digest != format!("sha256:{}", sha256(&bytes)) {
        return Err(OciError::Digest { part: "component", reference: reference.to_owned() });
    }
    Ok(bytes.freeze())
}
