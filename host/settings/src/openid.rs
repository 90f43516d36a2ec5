use std::time::Duration;

use channels::openid::OpenidSettings;
use url::{Host, Url};

use super::{ConfigError, Settings, secret::Secret, section::section};

/// Time for one call of the provider, while a person waits.
const TIMEOUT: Duration = Duration::from_secs(10);

section! {
    /// Logins by OpenID Connect.
    Openid {
        /// Issuer of the login provider, https, such as `https://login.example.com/realms/staff`.
        issuer: String = String::new(),
        /// Id of this installation at the provider.
        client_id: String = String::new(),
        /// Its secret. Empty: for a provider that accepts public clients.
        client_secret: Secret = Secret::default(),
        /// Scopes that are requested in addition to `openid`.
        scopes: Vec<String> = vec!["email".to_owned(), "profile".to_owned()],
        /// Name of the provider on the button of the login page.
        name: String = "OpenID Connect".to_owned(),
    }
}

impl Openid {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.issuer.is_empty() {
            return Ok(());
        }
        if self.client_id.is_empty() {
            return ConfigError::unusable("openid.client_id", "openid.issuer is set, so this must be the id there");
        }
        if !is_issuer(&self.issuer) {
            let expected =
                "expected an https URL without user, password and query (for tests also http on this machine)";
            return ConfigError::unusable("openid.issuer", expected);
        }
        if self.name.trim().is_empty() || self.name.chars().count() > 60 {
            return ConfigError::unusable("openid.name", "expected 1 to 60 characters");
        }
        Ok(())
    }
}

impl Settings {
    /// `None`: no logins by OpenID Connect.
    pub fn openid_settings(&self) -> Option<OpenidSettings> {
        (!self.openid.issuer.is_empty()).then(|| OpenidSettings {
            issuer: self.openid.issuer.clone(),
            client_id: self.openid.client_id.clone(),
            client_secret: self.openid.client_secret.expose().to_owned(),
            scopes: self.openid.scopes.clone(),
            timeout: TIMEOUT,
        })
    }
}

/// Providers compare it byte by byte, so a slash at the end counts. Tokens and our secret travel there.
fn is_issuer(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let open = url.username().is_empty() && url.password().is_none();
    let plain = open && url.query().is_none() && url.fragment().is_none();
    plain && (url.scheme() == "https" || local && url.scheme() == "http")
}
