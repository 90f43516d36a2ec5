//! E-mail to SMS: the SMTP listener, and the relay that answers go to.

use std::sync::Arc;

use anyhow::Context as _;
use base::Context;
use channels::email::{self, ListenerSettings, SmtpRelay};
use domain::sms_products::email::EmailDomain;
use rustls::ServerConfig;
use sms_products::email::Mails;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::{config::Config, tls};

/// The domain of the addresses that become SMS, where it is set.
pub fn domain(config: &Config) -> Option<EmailDomain> {
    EmailDomain::parse(&config.email.domain)
}

/// The relay, where it is set. Mails come from addresses of the domain: without one there are none.
pub fn relay(config: &Config) -> anyhow::Result<Option<SmtpRelay>> {
    let (Some(url), Some(domain)) = (&config.email.relay, domain(config)) else { return Ok(None) };
    Ok(Some(SmtpRelay::new(url.url(), domain).context("email.relay")?))
}

/// Listens for mails until `stop`, where that is set.
pub async fn listen(
    config: &Config,
    ctx: &Arc<Context>,
    stop: CancellationToken,
) -> anyhow::Result<Option<JoinHandle<anyhow::Result<()>>>> {
    let Some(address) = config.email.listen else { return Ok(None) };
    let domain = domain(config).context("email.domain: email.listen takes mails to its addresses")?;
    let settings = ListenerSettings {
        tls: starttls(config)?,
        require_tls: config.email.require_tls,
        allowed: config.email.allowed.clone(),
        connections: config.limits.email_connections,
        connections_per_source: config.limits.email_connections_per_source,
        ..ListenerSettings::new(domain)
    };
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address} (email.listen)"))?;
    tracing::info!("listening on smtp://{} (e-mail to SMS)", listener.local_addr()?);
    if config.email.relay.is_none() {
        tracing::warn!("email.relay is empty: who sends mails is not told what became of them");
    }
    let mails = Mails::new(Arc::clone(ctx));
    Ok(Some(tokio::spawn(async move {
        email::listen(listener, settings, mails, stop).await;
        Ok(())
    })))
}

/// The certificate of the HTTPS listeners serves here, too.
fn starttls(config: &Config) -> anyhow::Result<Option<TlsAcceptor>> {
    let (Some(cert), Some(key)) = (&config.server.tls_cert, &config.server.tls_key) else { return Ok(None) };
    // No protocol of HTTP is spoken here: whoever was led here under another name is to find that out.
    let mut tls: ServerConfig = (*tls::load(cert, key)?).clone();
    tls.alpn_protocols = vec![b"smtp".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(tls))))
}
