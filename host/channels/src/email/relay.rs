use std::{fmt, time::Duration};

use chrono::{DateTime, Utc};
use domain::sms_products::email::EmailDomain;
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    address::Envelope,
    message::{
        Mailbox,
        header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0},
    },
    transport::smtp::{
        authentication::Credentials,
        client::{Certificate, CertificateStore, Tls, TlsParameters},
        extension::ClientId,
    },
};
use percent_encoding::percent_decode_str;
use tokio::time::timeout;
use url::{Host, Url};

const TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time for a mail: the library bounds the time to connect, but not the time of answers.
const WHOLE: Duration = Duration::from_secs(120);
/// Refusals of the relay that are about us, not about the mail. After a correction by the operator the mail is sent.
const CONFIGURATION_REFUSALS: [u16; 6] = [502, 503, 530, 534, 535, 538];
const PEM_CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----";

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RelayUrlError {
    /// It is not `smtp://` or `smtps://` with a host.
    #[error("not the URL of a relay; give smtp://user:password@host:port (smtps:// for TLS from the start)")]
    NotSmtp,
    #[error(
        "unknown option of the relay; known are `tls` (none, opportunistic or required) and `ca` (a file of certificates)"
    )]
    Option,
    #[error("the file that the option `ca` of the relay names cannot be read, or holds no certificates in PEM form")]
    Authority,
    #[error("the host of the relay cannot be used for TLS")]
    Host,
}

#[derive(Debug, Clone, Copy)]
pub struct RelayMail<'a> {
    /// The part before the @ of `Message-ID`: the same for each attempt, so that a repetition can be recognised.
    pub id: &'a str,
    /// The part before the @ of the sender's address.
    pub mailbox: &'a str,
    pub recipient: &'a str,
    pub subject: &'a str,
    pub body: &'a str,
    pub in_reply_to: Option<&'a str>,
    pub written_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelayError {
    #[error("the relay refused the mail for good")]
    Refused,
    #[error("the relay did not accept the mail now")]
    NotNow,
}

#[derive(Clone)]
pub struct SmtpRelay {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    domain: EmailDomain,
}

impl fmt::Debug for SmtpRelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpRelay")
    }
}

impl SmtpRelay {
    /// Reads `smtp://user:password@host:port?tls=...` or `smtps://...` (TLS from the beginning). With credentials and
    /// another machine, `smtp` requires TLS. `ca=` is a file of trusted certificates.
    pub fn new(url: &Url, domain: EmailDomain) -> Result<Self, RelayUrlError> {
        let host = url.host().filter(|host| !host.to_string().is_empty()).ok_or(RelayUrlError::NotSmtp)?;
        let is_near = match &host {
            Host::Domain(name) => *name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let name = host.to_string().trim_matches(['[', ']']).to_owned();
        let has_credentials = !url.username().is_empty();
        let options = Options::of(url)?;
        let parameters = || options.parameters(&name);
        let (port, tls) = match url.scheme() {
            "smtps" => (465, Tls::Wrapper(parameters()?)),
            "smtp" => {
                let otherwise = if has_credentials && !is_near { "required" } else { "opportunistic" };
                let tls = match options.tls.as_deref().unwrap_or(otherwise) {
                    "none" => Tls::None,
                    "opportunistic" => Tls::Opportunistic(parameters()?),
                    "required" => Tls::Required(parameters()?),
                    _ => return Err(RelayUrlError::Option),
                };
                (25, tls)
            }
            _ => return Err(RelayUrlError::NotSmtp),
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&name)
            .port(url.port().unwrap_or(port))
            .tls(tls)
            .timeout(Some(TIMEOUT))
            .hello_name(ClientId::Domain(domain.as_str().to_owned()));
        if has_credentials {
            let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
            let (user, password) = (decoded(url.username()), decoded(url.password().unwrap_or_default()));
            builder = builder.credentials(Credentials::new(user, password));
        }
        Ok(Self { transport: builder.build(), domain })
    }

    /// Sends a mail. It has no return path and says that a program wrote it, so that no program answers it.
    pub async fn send(&self, mail: RelayMail<'_>) -> Result<(), RelayError> {
        let recipient: Address = mail.recipient.parse().map_err(|_| RelayError::Refused)?;
        let message = self.compose(&mail, recipient.clone()).ok_or(RelayError::Refused)?;
        let envelope = Envelope::new(None, vec![recipient]).map_err(|_| RelayError::Refused)?;
        let text = message.formatted();
        let sent = timeout(WHOLE, self.transport.send_raw(&envelope, &text)).await.map_err(|_| RelayError::NotNow)?;
        sent.map(|_| ()).map_err(|error| {
            let code = error.status().map(u16::from);
            tracing::debug!(code, "the relay did not accept a mail");
            match code {
                Some(code) if error.is_permanent() && !CONFIGURATION_REFUSALS.contains(&code) => RelayError::Refused,
                _ => RelayError::NotNow,
            }
        })
    }

    fn compose(&self, mail: &RelayMail<'_>, recipient: Address) -> Option<Message> {
        let domain = self.domain.as_str();
        let from = Mailbox::new(None, format!("{}@{domain}", mail.mailbox).parse().ok()?);
        let header = |name: &'static str, value: &str| {
            let name = HeaderName::new_from_ascii_str(name);
            HeaderValue::new(name, value.to_owned())
        };
        let mut builder = Message::builder()
            .from(from)
            .to(Mailbox::new(None, recipient))
            .subject(mail.subject)
            .date(mail.written_at.into())
            .message_id(Some(format!("<{}@{domain}>", mail.id)))
            .raw_header(header("Auto-Submitted", "auto-replied"))
            .raw_header(header("X-Auto-Response-Suppress", "All"))
            .header(MIME_VERSION_1_0)
            .header(ContentType::TEXT_PLAIN);
        if let Some(answered) = mail.in_reply_to {
            builder = builder.in_reply_to(format!("<{answered}>")).references(format!("<{answered}>"));
        }
        builder.body(mail.body.to_owned()).ok()
    }
}

#[derive(Default)]
struct Options {
    tls: Option<String>,
    /// Certificate authority of the relay; `None`: the public ones.
    authority: Option<Certificate>,
}

impl Options {
    fn of(url: &Url) -> Result<Self, RelayUrlError> {
        let mut options = Self::default();
        for (name, value) in url.query_pairs() {
            match name.as_ref() {
                "tls" if options.tls.is_none() => options.tls = Some(value.into_owned()),
                "ca" if options.authority.is_none() => options.authority = Some(authority(&value)?),
                _ => return Err(RelayUrlError::Option),
            }
        }
        Ok(options)
    }

    fn parameters(&self, host: &str) -> Result<TlsParameters, RelayUrlError> {
        let builder = TlsParameters::builder(host.to_owned());
        let builder = match &self.authority {
            Some(authority) => {
                builder.certificate_store(CertificateStore::None).add_root_certificate(authority.clone())
            }
            None => builder,
        };
        builder.build().map_err(|_| RelayUrlError::Host)
    }
}

fn authority(file: &str) -> Result<Certificate, RelayUrlError> {
    let pem = std::fs::read(file).map_err(|_| RelayUrlError::Authority)?;
    if !pem.windows(PEM_CERTIFICATE.len()).any(|window| window == PEM_CERTIFICATE) {
        return Err(RelayUrlError::Authority);
    }
    Certificate::from_pem(&pem).map_err(|_| RelayUrlError::Authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relay(url: &str) -> Result<SmtpRelay, RelayUrlError> {
        SmtpRelay::new(&Url::parse(url).unwrap(), EmailDomain::parse("sms.example.com").unwrap())
    }

    #[tokio::test]
    async fn a_relay_is_named_by_its_url() {
        for url in [
            "smtp://127.0.0.1:2525",
            "smtps://user:pass@mail.example.com",
            "smtp://[::1]",
            "smtp://mail.example.com?tls=none",
        ] {
            assert!(relay(url).is_ok(), "{url}");
        }
        assert_eq!(relay("http://mail.example.com").err(), Some(RelayUrlError::NotSmtp));
        assert_eq!(relay("smtp://mail.example.com?tls=maybe").err(), Some(RelayUrlError::Option));
        assert_eq!(relay("smtp://mail.example.com?x=1").err(), Some(RelayUrlError::Option));
        assert_eq!(relay("smtps://mail.example.com?x=1").err(), Some(RelayUrlError::Option));
        assert_eq!(format!("{:?}", relay("smtp://user:secret@localhost").unwrap()), "SmtpRelay");
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_relay_times_out() {
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay = relay(&format!("smtp://{}?tls=none", silent.local_addr().unwrap())).unwrap();
        let mail = RelayMail {
            id: "7",
            mailbox: "27821234567",
            recipient: "thandi@example.com",
            subject: "SMS from 27821234567",
            body: "hi",
            in_reply_to: None,
            written_at: DateTime::UNIX_EPOCH,
        };
        let sent = tokio::time::timeout(WHOLE * 2, relay.send(mail)).await;
        assert!(matches!(sent, Ok(Err(RelayError::NotNow))), "{sent:?}");
    }

    #[tokio::test]
    async fn the_authority_of_a_relay_is_a_file_of_certificates() {
        let fixtures =
            std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../app/tests/fixtures");
        let with = |file: &str| relay(&format!("smtp://localhost?ca={}", fixtures.join(file).display())).map(|_| ());
        assert_eq!(with("localhost.pem"), Ok(()));
        assert_eq!(with("localhost.key"), Err(RelayUrlError::Authority));
        assert_eq!(with("nobody.pem"), Err(RelayUrlError::Authority));
    }

    #[tokio::test]
    async fn a_mail_is_marked_as_automatic_and_names_the_mail_it_answers() {
        let mail = RelayMail {
            id: "7",
            mailbox: "27821234567",
            recipient: "thandi@example.com",
            subject: "SMS from 27821234567",
            body: "Grüße\n",
            in_reply_to: Some("1@x"),
            written_at: DateTime::UNIX_EPOCH,
        };
        let message = relay("smtp://localhost").unwrap().compose(&mail, "thandi@example.com".parse().unwrap()).unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        for line in [
            "From: 27821234567@sms.example.com\r\n",
            "To: thandi@example.com\r\n",
            "Message-ID: <7@sms.example.com>\r\n",
            "In-Reply-To: <1@x>\r\n",
            "References: <1@x>\r\n",
            "Auto-Submitted: auto-replied\r\n",
            // Without it a reader may ignore the encoding of the text (RFC 2045).
            "MIME-Version: 1.0\r\n",
            "Content-Type: text/plain; charset=utf-8\r\n",
            "Date: Thu, 01 Jan 1970 00:00:00 +0000\r\n",
        ] {
            assert!(text.contains(line), "{line:?} in {text}");
        }
    }
}
