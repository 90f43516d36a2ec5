//! The settings of `CONTRACT` section 2, one section after the other. Limits are in [`super::limits`].

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use channels::smpp::SmppSettings;
use domain::sms_products::StopWords;
use ipnet::IpNet;

use super::{
    media_place::MediaPlace,
    secret::{BaseUrl, Secret, SecretUrl},
    section::section,
    value::{LogFormat, Switch},
};

/// An address on this machine only.
fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// Delays of `webhooks.retry_schedule`: the schedule of Standard Webhooks (CONTRACT 2).
fn retry_schedule() -> Vec<Duration> {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
        .map(Duration::from_secs)
        .to_vec()
}

section! {
    /// What has no section.
    Base {
        /// Embedded database, files of customers, generated keys and the cache of compiled plugins.
        data_dir: PathBuf = PathBuf::from(".patchbay"),
    }
}

section! {
    /// Where the data is.
    DatabaseSettings {
        /// A `postgres://` URL; empty = embedded PostgreSQL in `data_dir`.
        url: Option<SecretUrl> = None,
    }
}

section! {
    /// The HTTP listeners.
    Server {
        /// All HTTP products and provider callbacks; port 0 picks a free one, which the log names.
        listen: SocketAddr = loopback(8080),
        /// PEM file with the certificate chain; with `server.tls_key` it makes `server.listen` HTTPS.
        tls_cert: Option<PathBuf> = None,
        /// PEM file with the private key of `server.tls_cert`.
        tls_key: Option<PathBuf> = None,
        /// Second HTTPS listener, for the batch SMS gateway (port 8443 in production); empty = none.
        batch_tls_listen: Option<SocketAddr> = None,
        /// Address of `GET /metrics` alone, without TLS; empty = `server.listen` answers it, to callers on this machine only.
        metrics_listen: Option<SocketAddr> = None,
        /// Refuse requests that did not arrive over TLS, directly or by `X-Forwarded-Proto` of a trusted proxy.
        require_https: bool = false,
        /// Addresses or networks whose `X-Forwarded-*` headers are believed.
        trusted_proxies: Vec<IpNet> = Vec::new(),
        /// Base of media and callback URLs; empty = made from `server.listen`. Where it is no https of the public internet, our
        /// files are uploaded to Meta instead of fetched by it.
        public_url: Option<BaseUrl> = None,
        /// Run background work in this process; `false` = API only, beside `patchbay work`.
        workers: bool = true,
        /// Host name of WhatsApp Lite: the same API, and senders are Lite numbers only; empty = every path on every host.
        lite_host: String = String::new(),
        /// Host name of the SMS API; empty = every path on every host.
        sms_host: String = String::new(),
        /// Host name of the batch SMS gateway; empty = every path on every host.
        batch_host: String = String::new(),
    }
}

section! {
    /// WhatsApp through Meta's Cloud API.
    WhatsappCloud {
        /// Base URL without version; empty = Meta's Graph API, or the simulator when that is on.
        graph_url: Option<BaseUrl> = None,
        /// Version part of Graph API paths.
        api_version: String = "v25.0".to_owned(),
        /// App secret that signs callbacks; empty = callbacks are refused, the simulator's excepted.
        app_secret: Secret = Secret::default(),
        /// Token of the callback handshake.
        verify_token: Secret = Secret::default(),
    }
}

section! {
    /// WhatsApp Lite: numbers that are paired like a phone.
    WhatsappLite {
        /// Base URL of simulated devices, for tests and trials; empty = the simulator when that is on.
        simulator_url: Option<BaseUrl> = None,
        /// Base URL of a bridge with the API of WAHA, behind which real devices are; empty = none. Using one may breach WhatsApp's terms.
        bridge_url: Option<BaseUrl> = None,
        /// `X-Api-Key` of the bridge.
        bridge_api_key: Secret = Secret::default(),
        /// Signs the bridge's webhooks; required with `whatsapp_lite.bridge_url`.
        webhook_secret: Secret = Secret::default(),
        /// Be the linked device of Lite numbers ourselves: each in the process that holds its session. Needs a program that was built with the feature `lite-native`, and may breach WhatsApp's terms.
        native: bool = false,
    }
}

section! {
    /// Facebook Messenger.
    Messenger {
        /// Base URL without version; empty = Meta's Graph API, or the simulator when that is on.
        graph_url: Option<BaseUrl> = None,
        /// App secret that signs callbacks; empty = callbacks are refused, the simulator's excepted.
        app_secret: Secret = Secret::default(),
        /// Token of the callback handshake.
        verify_token: Secret = Secret::default(),
    }
}

section! {
    /// The SMS centres.
    Smpp {
        /// `smpp://system_id:password@host:port`, one or several; empty = the simulator when that is on.
        url: Vec<SecretUrl> = Vec::new(),
        /// Time to connect to an SMS centre, name and TLS included.
        connect_timeout: Duration = SmppSettings::default().connect_timeout,
        /// Time for the answer to a bind.
        bind_timeout: Duration = SmppSettings::default().bind_timeout,
        /// Time for the answer to a submit. One that is given up may have been taken, and is submitted again a minute later.
        response_timeout: Duration = SmppSettings::default().response_timeout,
        /// Silence after which the SMS centre is asked whether it is there (`enquire_link`).
        enquire_link: Duration = SmppSettings::default().enquire_link,
        /// How long it may leave that unanswered, or read nothing, before the connection is closed.
        link_timeout: Duration = SmppSettings::default().link_timeout,
        /// How long open answers are waited for before an `unbind` is answered, or sent.
        unbind_wait: Duration = SmppSettings::default().unbind_wait,
        /// First pause after a lost connection, or a bind that was refused for another reason than `smpp.refused_first`; it doubles.
        reconnect_first: Duration = SmppSettings::default().reconnect_first,
        /// Longest such pause.
        reconnect_longest: Duration = SmppSettings::default().reconnect_longest,
        /// First pause after a wrong system id or password; it doubles.
        refused_first: Duration = SmppSettings::default().refused_first,
        /// Longest such pause.
        refused_longest: Duration = SmppSettings::default().refused_longest,
        /// How long a session has to live before the pauses begin anew.
        session_proven: Duration = SmppSettings::default().session_proven,
        /// First pause after the SMS centre said that submits come too fast; it doubles, and one submit finds out whether it is over.
        throttle_first: Duration = SmppSettings::default().throttle_first,
        /// Longest such pause.
        throttle_longest: Duration = SmppSettings::default().throttle_longest,
        /// How long the acknowledgement of a part of a subscriber's long SMS waits for the other parts.
        part_hold: Duration = SmppSettings::default().part_hold,
        /// How long the parts are kept before they are taken as they are.
        part_expiry: Duration = SmppSettings::default().part_expiry,
        /// Deliveries of one connection that wait to be taken; while there are as many, nothing more is read from it.
        deliveries_waiting: usize = SmppSettings::default().deliveries_waiting,
    }
}

section! {
    /// Email-to-SMS.
    Email {
        /// Address of the SMTP listener; empty = off.
        listen: Option<SocketAddr> = None,
        /// Domain of the addresses that become text messages.
        domain: String = String::new(),
        /// Addresses or networks that may hand mails over, such as a mail server that checks SPF and DKIM; empty = any.
        allowed: Vec<IpNet> = Vec::new(),
        /// Take mails over TLS only: their subjects are passwords. STARTTLS is offered with the certificate of `server.tls_cert`.
        require_tls: bool = false,
        /// `smtp://` or `smtps://` URL for result mails, such as `smtp://user:password@host:587`; empty = none are sent. `?tls=none`, `opportunistic` or `required`: default `opportunistic`, and `required` with a password to another machine. `ca=` names a file of certificates that are trusted instead of the public ones.
        relay: Option<SecretUrl> = None,
    }
}

section! {
    /// Calls to clients' webhooks.
    Webhooks {
        /// Allow loopback and private addresses as webhook, callback and media targets.
        allow_private_targets: bool = false,
        /// Delays between the attempts of one delivery.
        retry_schedule: Vec<Duration> = retry_schedule(),
    }
}

section! {
    /// Keys.
    Security {
        /// 32 bytes in base64 that seal secrets at rest; empty = a generated file `master.key` in `data_dir`.
        master_key: Secret = Secret::default(),
    }
}

section! {
    /// Files of customers.
    Media {
        /// Where files of customers are kept: `database`, the path of a folder, which all nodes must share, or `s3://bucket/prefix`; empty = a folder of `data_dir` with the embedded database, `database` with any other.
        store: MediaPlace = MediaPlace::Auto,
        /// Base URL of the object store behind `s3://`; empty = Amazon S3.
        s3_endpoint: Option<BaseUrl> = None,
        /// Region of the bucket.
        s3_region: String = "us-east-1".to_owned(),
        /// Id of the key of the bucket.
        s3_access_key: String = String::new(),
        /// Key of the bucket.
        s3_secret_key: Secret = Secret::default(),
    }
}

section! {
    /// Plugins from a directory, for development.
    Plugins {
        /// Directory of `*.wasm` files watched for changes, file name = plugin name; empty = none.
        dir: Option<PathBuf> = None,
    }
}

section! {
    /// The simulated outside world.
    Simulator {
        /// Run the simulator; `auto` = while neither WhatsApp, Messenger nor an SMS centre is configured.
        enabled: Switch = Switch::Auto,
        /// Simulated Graph API, Messenger and phones.
        listen: SocketAddr = loopback(8090),
    }
}

section! {
    /// Text messages.
    Sms {
        /// Source address when a request names none.
        default_source: String = "PATCHBAY".to_owned(),
        /// Words that stop SMS when a reply consists of one, beside STOP, END, CANCEL, QUIT and UNSUBSCRIBE. Case, invisible characters
        /// and punctuation around a word make no difference.
        stop_words: Vec<String> = StopWords::USUAL.map(str::to_owned).to_vec(),
        /// XML namespace of batch answers.
        batch_namespace: String = "urn:patchbay:batch-sms".to_owned(),
    }
}

section! {
    /// Log lines, written to standard error.
    Logging {
        /// `text` for people, `json` for collectors.
        format: LogFormat = LogFormat::Text,
        /// Level, or levels per module such as `info,api=debug`; empty = `info` for servers, `warn` for commands.
        filter: String = String::new(),
    }
}

section! {
    /// For test suites, never for production.
    Testing {
        /// Serve `POST /testing/clock/advance`, which moves the business clock.
        clock: bool = false,
    }
}
