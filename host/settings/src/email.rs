use std::{borrow::Cow, net::SocketAddr};

use domain::sms_products::email::EmailDomain;
use ipnet::IpNet;

use super::{ConfigError, Server, secret::SecretUrl, section::section};

section! {
    /// Email-to-SMS.
    Email {
        /// Address of the SMTP listener.
        listen: Option<SocketAddr> = None,
        /// Domain of the addresses that become text messages.
        domain: String = String::new(),
        /// Addresses or networks that may deliver mails, such as a mail server that checks SPF and DKIM. Empty: any.
        allowed: Vec<IpNet> = Vec::new(),
        /// Accept mails over TLS only, because their subjects are passwords.
        require_tls: bool = false,
        /// `smtp://` or `smtps://` URL for result mails, such as `smtp://user:password@host:587`, with `?tls=none`,
        /// `opportunistic` (default) or `required` (default with a password to another machine). `ca=` names a file of
        /// trusted certificates.
        relay: Option<SecretUrl> = None,
    }
}

impl Email {
    pub(super) fn check(&self, server: &Server) -> Result<(), ConfigError> {
        let has_domain = EmailDomain::parse(&self.domain).is_some();
        if !has_domain && (self.listen.is_some() || !self.domain.is_empty()) {
            return ConfigError::unusable(
                "email.domain",
                "email.listen needs a domain, for example \"sms.example.com\"",
            );
        }
        if self.require_tls && server.tls_cert.is_none() {
            return ConfigError::unusable("email.require_tls", "STARTTLS needs server.tls_cert and server.tls_key");
        }
        Ok(())
    }

    pub(super) fn check_relay(&self) -> Result<(), ConfigError> {
        let Some(url) = &self.relay else { return Ok(()) };
        url.check_scheme("email.relay", &["smtp", "smtps"])?;
        let is_usable = |(name, value): (Cow<'_, str>, Cow<'_, str>)| match &*name {
            "tls" => ["none", "opportunistic", "required"].contains(&&*value),
            "ca" => !value.is_empty(),
            _ => false,
        };
        if url.url().query_pairs().all(is_usable) {
            return Ok(());
        }
        ConfigError::unusable(
            "email.relay",
            "options are tls, which is none, opportunistic or required, and ca, a file of certificates",
        )
    }
}
