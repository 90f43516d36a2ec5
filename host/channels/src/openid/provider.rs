//! The provider as its discovery document and its keys describe it.

use std::{sync::Arc, time::Duration};

use openidconnect::{
    AuthType, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, IssuerUrl, Nonce,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope,
    core::{CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreProviderMetadata},
};
use tokio::{sync::Mutex, time::Instant};

use super::{OpenidFault, OpenidSecret, calls::OpenidCalls, places::ProviderPlaces};
use crate::http::{ClientBuildError, operator_client};

/// Age of the discovery document and the keys after which they are fetched again.
const FRESH_FOR: Duration = Duration::from_secs(3600);
/// Time after a failed fetch in which the next one is not tried.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct OpenidSettings {
    pub issuer: String,
    pub client_id: String,
    /// Empty: none, for a provider that accepts public clients.
    pub client_secret: String,
    /// In addition to `openid`.
    pub scopes: Vec<String>,
    /// Time for a whole call.
    pub timeout: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenidSetupError {
    #[error("`openid.issuer` is not a URL")]
    NotAUrl,
    #[error(transparent)]
    Client(#[from] ClientBuildError),
}

/// A login provider. A clone shares everything.
#[derive(Clone)]
pub struct OpenidProvider(Arc<Inner>);

struct Inner {
    settings: OpenidSettings,
    issuer: IssuerUrl,
    calls: OpenidCalls,
    places: ProviderPlaces,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    metadata: Option<(Instant, Arc<CoreProviderMetadata>)>,
    failure: Option<(Instant, OpenidFault)>,
}

pub(super) type ProviderClient =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

impl OpenidProvider {
    pub fn new(settings: OpenidSettings) -> Result<Self, OpenidSetupError> {
        let issuer = IssuerUrl::new(settings.issuer.clone()).map_err(|_| OpenidSetupError::NotAUrl)?;
        let calls = OpenidCalls::new(operator_client(settings.timeout)?);
        let (places, known) = (ProviderPlaces::new(), Mutex::default());
        Ok(Self(Arc::new(Inner { settings, issuer, calls, places, known })))
    }

    pub fn issuer(&self) -> &str {
        self.0.issuer.as_str()
    }

    /// Returns the address at the provider where the login of a person begins.
    pub async fn login_url(&self, secret: &OpenidSecret, state: String, redirect: &str) -> Result<String, OpenidFault> {
        let metadata = self.metadata().await?;
        let client = self.client(&metadata, redirect)?;
        let (nonce, pkce) = (secret.nonce(), PkceCodeVerifier::new(secret.pkce()));
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let scopes = self.0.settings.scopes.iter().cloned().map(Scope::new);
        let (url, _, _) = client
            .authorize_url(flow, move || CsrfToken::new(state), move || Nonce::new(nonce))
            .add_scopes(scopes)
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&pkce))
            .url();
        Ok(url.into())
    }

    pub(super) fn calls(&self) -> &OpenidCalls {
        &self.0.calls
    }

    pub(super) fn places(&self) -> &ProviderPlaces {
        &self.0.places
    }

    pub(super) fn client(
        &self,
        metadata: &CoreProviderMetadata,
        redirect: &str,
    ) -> Result<ProviderClient, OpenidFault> {
        let settings = &self.0.settings;
        let redirect = RedirectUrl::new(redirect.to_owned());
        let redirect = redirect.map_err(|_| OpenidFault::Misconfigured.log("`server.public_url` is not a URL"))?;
        let secret = (!settings.client_secret.is_empty()).then(|| ClientSecret::new(settings.client_secret.clone()));
        let client =
            CoreClient::from_provider_metadata(metadata.clone(), ClientId::new(settings.client_id.clone()), secret);
        let basic = metadata
            .token_endpoint_auth_methods_supported()
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let auth = if basic { AuthType::BasicAuth } else { AuthType::RequestBody };
        Ok(client.set_redirect_uri(redirect).set_auth_type(auth))
    }

    /// The document and keys. If they cannot be renewed, the old ones stay in use.
    pub(super) async fn metadata(&self) -> Result<Arc<CoreProviderMetadata>, OpenidFault> {
        let mut known = self.0.known.lock().await;
        let present = known.metadata.as_ref();
        if let Some((_, metadata)) = present.filter(|(fetched, _)| fetched.elapsed() < FRESH_FOR) {
            return Ok(Arc::clone(metadata));
        }
        let old = present.map(|(_, metadata)| Arc::clone(metadata));
        match self.renew(&mut known).await {
            Ok(metadata) => Ok(metadata),
            Err(fault) => old.ok_or(fault),
        }
    }

    /// Newer ones than `seen`, whose keys did not suffice. Logins that wait for them share one fetch.
    pub(super) async fn newer_than(
        &self,
        seen: &Arc<CoreProviderMetadata>,
    ) -> Result<Arc<CoreProviderMetadata>, OpenidFault> {
        let mut known = self.0.known.lock().await;
        match &known.metadata {
            Some((_, metadata)) if !Arc::ptr_eq(metadata, seen) => Ok(Arc::clone(metadata)),
            _ => self.renew(&mut known).await,
        }
    }

    async fn renew(&self, known: &mut Known) -> Result<Arc<CoreProviderMetadata>, OpenidFault> {
        if let Some((_, fault)) = known.failure.filter(|(failed, _)| failed.elapsed() < REST_AFTER_FAILURE) {
            return Err(fault);
        }
        let found = CoreProviderMetadata::discover_async(self.0.issuer.clone(), &self.0.calls).await;
        let found = found.map_err(|error| OpenidFault::of_discovery(&error)).and_then(|found| self.judge(found));
        match found {
            Ok(found) => {
                let found = Arc::new(found);
                *known = Known { metadata: Some((Instant::now(), Arc::clone(&found))), failure: None };
                Ok(found)
            }
            Err(fault) => {
                known.failure = Some((Instant::now(), fault));
                Err(fault)
            }
        }
    }

    /// The browser of a person, our secret and access tokens go to these addresses, and keys come from them. So all are
    /// https if the issuer is.
    fn judge(&self, found: CoreProviderMetadata) -> Result<CoreProviderMetadata, OpenidFault> {
        let Some(token) = found.token_endpoint() else {
            return Err(OpenidFault::Misconfigured.log("discovery: no token endpoint"));
        };
        let addresses = [
            ("authorization_endpoint", Some(found.authorization_endpoint().url())),
            ("token_endpoint", Some(token.url())),
            ("userinfo_endpoint", found.userinfo_endpoint().map(|address| address.url())),
            ("jwks_uri", Some(found.jwks_uri().url())),
        ];
        let allowed = |scheme: &str| scheme == "https" || scheme == self.0.issuer.url().scheme();
        let plain = addresses.iter().find(|(_, url)| url.is_some_and(|url| !allowed(url.scheme())));
        match plain {
            Some((name, _)) => Err(OpenidFault::Misconfigured.log(&format!("discovery: `{name}` is not https"))),
            None => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn provider(issuer: &str) -> OpenidProvider {
        let settings = OpenidSettings {
            issuer: issuer.to_owned(),
            client_id: "patchbay".to_owned(),
            client_secret: String::new(),
            scopes: Vec::new(),
            timeout: Duration::from_secs(1),
        };
        OpenidProvider::new(settings).unwrap()
    }

    fn document(issuer: &str) -> Value {
        json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/auth"),
            "token_endpoint": format!("{issuer}/token"),
            "userinfo_endpoint": format!("{issuer}/me"),
            "jwks_uri": format!("{issuer}/jwks"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        })
    }

    fn judged(provider: &OpenidProvider, document: Value) -> bool {
        provider.judge(serde_json::from_value(document).unwrap()).is_ok()
    }

    #[test]
    fn every_address_of_a_provider_with_https_is_https() {
        let secure = provider("https://login.example.com");
        let fine = document("https://login.example.com");
        assert!(judged(&secure, fine.clone()));
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            let mut plain = fine.clone();
            plain[name] = json!("http://login.example.com/plain");
            assert!(!judged(&secure, plain), "{name}");
        }
        let local = "http://127.0.0.1:9";
        assert!(judged(&provider(local), document(local)));
    }

    #[test]
    fn a_provider_needs_a_token_endpoint_and_no_userinfo_endpoint() {
        let provider = provider("https://login.example.com");
        let without = |name: &str| {
            let mut document = document("https://login.example.com");
            document.as_object_mut().unwrap().remove(name);
            document
        };
        assert!(!judged(&provider, without("token_endpoint")));
        assert!(judged(&provider, without("userinfo_endpoint")));
    }
}
