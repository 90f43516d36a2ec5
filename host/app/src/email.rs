//! E-mail to SMS: the SMTP listener, and the relay for answers.

use std::sync::Arc;

use anyhow::Context as _;
use base::Context;
use channels::email::{self, ListenerSettings, SmtpRelay};
use domain::sms_products::email::EmailDomain;
use rustls::ServerConfig;
use settings::Settings;
use sms::email::Mails;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

pub fn domain(config: &Settings) -> Option<EmailDomain> {
    EmailDomain::parse(&config.email.domain)
}

/// The relay, if configured. Mails come from addresses of the domain, so it needs one.
pub fn relay(config: &Settings) -> anyhow::Result<Option<SmtpRelay>> {
    let (Some(url), Some(domain)) = (&config.email.relay, domain(config)) else { return Ok(None) };
    Ok(Some(SmtpRelay::new(url.url(), domain).context("email.relay")?))
}

/// Accepts mails on `email.listen` until `stop`, with STARTTLS if there is a certificate.
pub fn listen(
    config: &Settings,
    ctx: &Arc<Context>,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    stop: CancellationToken,
) -> anyhow::Result<JoinHandle<anyhow::Result<()>>> {
    let domain = domain(config).context("email.domain: email.listen accepts mail to its addresses")?;
    let settings = ListenerSettings {
        tls: tls.as_deref().map(starttls),
        require_tls: config.email.require_tls,
        allowed: config.email.allowed.clone(),
        connections: config.limits.email_connections,
        connections_per_source: config.limits.email_connections_per_source,
        ..ListenerSettings::new(domain)
    };
    tracing::info!("listening on smtp://{} (e-mail to SMS)", listener.local_addr()?);
    if config.email.relay.is_none() {
        tracing::warn!("email.relay is empty: senders of mails get no results; set email.relay to send them");
    }
    let mails = Mails::new(Arc::clone(ctx));
    Ok(tokio::spawn(async move {
        email::listen(listener, settings, mails, stop).await;
        Ok(())
    }))
}

fn starttls(of_https: &ServerConfig) -> TlsAcceptor {
    // HTTP is not spoken here. With ALPN a misdirected HTTP client notices this.
    let mut tls = of_https.clone();
    tls.alpn_protocols = vec![b"smtp".to_vec()];
    TlsAcceptor::from(Arc::new(tls))
}
