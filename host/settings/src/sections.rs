//! The settings of `CONTRACT` section 2. Limits are in [`super::limits`].

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
    /// Settings without a section.
    Base {
        /// Embedded database, files of customers, generated keys and the cache of compiled plugins.
        data_dir: PathBuf = PathBuf::from(".patchbay"),
    }
}

section! {
    /// The place of the data.
    DatabaseSettings {
        /// A `postgres://` URL. Empty: embedded PostgreSQL in `data_dir`.
        url: Option<SecretUrl> = None,
    }
}

section! {
    /// The HTTP listeners.
    Server {
        /// All HTTP products and provider callbacks. Port 0 picks a free one, which the log names.
        listen: SocketAddr = loopback(8080),
        /// PEM file with the certificate chain. With `server.tls_key` it makes `server.listen` HTTPS.
        tls_cert: Option<PathBuf> = None,
        /// PEM file with the private key of `server.tls_cert`.
        tls_key: Option<PathBuf> = None,
        /// Second HTTPS listener, for the batch SMS gateway (port 8443 in production). Empty: none.
        batch_tls_listen: Option<SocketAddr> = None,
        /// Separate address for `GET /metrics`, without TLS. Empty: `server.listen` answers it, only to callers on this
        /// machine.
        metrics_listen: Option<SocketAddr> = None,
        /// Address of `/metrics`, `/healthz` and `/readyz` of `patchbay work`, without TLS. Port 0 picks a free one,
        /// which the log names. Empty: none.
        work_listen: Option<SocketAddr> = Some(loopback(8081)),
        /// Refuse requests that did not arrive over TLS, directly or by `X-Forwarded-Proto` of a trusted proxy.
        require_https: bool = false,
        /// Addresses or networks whose `X-Forwarded-*` headers are trusted.
        trusted_proxies: Vec<IpNet> = Vec::new(),
        /// Base of media and callback URLs. Empty: made from `server.listen`. If it is not https on the public
        /// internet, files are uploaded to Meta.
        public_url: Option<BaseUrl> = None,
        /// Run background work in this process. `false`: API only, together with `patchbay work`.
        workers: bool = true,
        /// Host name of WhatsApp Lite: the same API, but all senders are Lite numbers. Empty: all paths on all hosts.
        lite_host: String = String::new(),
        /// Host name of the SMS API. Empty: all paths on all hosts.
        sms_host: String = String::new(),
        /// Host name of the batch SMS gateway. Empty: all paths on all hosts.
        batch_host: String = String::new(),
    }
}

section! {
    /// WhatsApp through Meta's Cloud API.
    WhatsappCloud {
        /// Base URL without version. Empty: Meta's Graph API, or the simulator if it is on.
        graph_url: Option<BaseUrl> = None,
        /// Version part of Graph API paths.
        api_version: String = "v25.0".to_owned(),
        /// App secret that signs callbacks. Empty: callbacks are refused, except those of the simulator.
        app_secret: Secret = Secret::default(),
        /// Token of the callback handshake.
        verify_token: Secret = Secret::default(),
    }
}

section! {
    /// WhatsApp Lite: numbers that are paired like a phone.
    WhatsappLite {
        /// Base URL of simulated devices, for tests and trials. Empty: the simulator if it is on.
        simulator_url: Option<BaseUrl> = None,
        /// Base URL of a bridge to real devices with the API of WAHA. Empty: none. Using one may breach WhatsApp's
        /// terms.
        bridge_url: Option<BaseUrl> = None,
        /// `X-Api-Key` of the bridge.
        bridge_api_key: Secret = Secret::default(),
        /// Signs the bridge's webhooks. Required with `whatsapp_lite.bridge_url`.
        webhook_secret: Secret = Secret::default(),
        /// Run the linked devices of Lite numbers in Patchbay itself. Needs a build with the feature `lite-native`, and
        /// may breach WhatsApp's terms.
        native: bool = false,
    }
}

section! {
    /// Facebook Messenger.
    Messenger {
        /// Base URL without version. Empty: Meta's Graph API, or the simulator if it is on.
        graph_url: Option<BaseUrl> = None,
        /// App secret that signs callbacks. Empty: callbacks are refused, except those of the simulator.
        app_secret: Secret = Secret::default(),
        /// Token of the callback handshake.
        verify_token: Secret = Secret::default(),
    }
}

section! {
    /// The SMS centres.
    Smpp {
        /// `smpp://system_id:password@host:port`, one or several. Empty: the simulator if it is on.
        url: Vec<SecretUrl> = Vec::new(),
        /// Time to connect to an SMS centre, including name resolution and TLS.
        connect_timeout: Duration = SmppSettings::default().connect_timeout,
        /// Time for the answer to a bind.
        bind_timeout: Duration = SmppSettings::default().bind_timeout,
        /// Time for the answer to a submit. After it, the SMS is in doubt, and is submitted again a minute later.
        response_timeout: Duration = SmppSettings::default().response_timeout,
        /// Silence after which an `enquire_link` is sent to the SMS centre.
        enquire_link: Duration = SmppSettings::default().enquire_link,
        /// Time for which the SMS centre may leave it unanswered, or read nothing, before the connection is closed.
        link_timeout: Duration = SmppSettings::default().link_timeout,
        /// Time to wait for open answers before an `unbind` is answered or sent.
        unbind_wait: Duration = SmppSettings::default().unbind_wait,
        /// Time for an `unbind` and its answer, and for the last bytes of a connection.
        unbind_timeout: Duration = SmppSettings::default().unbind_timeout,
        /// First pause after a lost connection or a refused bind, except for `smpp.refused_first`. It doubles each
        /// time.
        reconnect_first: Duration = SmppSettings::default().reconnect_first,
        /// Longest such pause.
        reconnect_longest: Duration = SmppSettings::default().reconnect_longest,
        /// First pause after a wrong system id or password. It doubles each time.
        refused_first: Duration = SmppSettings::default().refused_first,
        /// Longest such pause.
        refused_longest: Duration = SmppSettings::default().refused_longest,
        /// Lifetime of a session after which the pauses start again from the first.
        session_proven: Duration = SmppSettings::default().session_proven,
        /// First pause after the SMS centre has throttled submits. It doubles each time, and then one submit tests it.
        throttle_first: Duration = SmppSettings::default().throttle_first,
        /// Longest such pause.
        throttle_longest: Duration = SmppSettings::default().throttle_longest,
        /// Time for which the acknowledgement of a part of a long SMS waits for the other parts.
        part_hold: Duration = SmppSettings::default().part_hold,
        /// Time for which the parts are kept before an incomplete SMS is accepted.
        part_expiry: Duration = SmppSettings::default().part_expiry,
        /// Pause before an SMS with acknowledged parts is stored again, if that has failed.
        part_retry: Duration = SmppSettings::default().part_retry,
        /// Deliveries of one connection that wait to be handled. Then nothing more is read from it.
        deliveries_waiting: usize = SmppSettings::default().deliveries_waiting,
    }
}

section! {
    /// Email-to-SMS.
    Email {
        /// Address of the SMTP listener. Empty: off.
        listen: Option<SocketAddr> = None,
        /// Domain of the addresses that become text messages.
        domain: String = String::new(),
        /// Addresses or networks that may deliver mails, such as a mail server that checks SPF and DKIM. Empty: any.
        allowed: Vec<IpNet> = Vec::new(),
        /// Accept mails over TLS only, because their subjects are passwords. STARTTLS uses the certificate of
        /// `server.tls_cert`.
        require_tls: bool = false,
        /// `smtp://` or `smtps://` URL for result mails, such as `smtp://user:password@host:587`. Empty: none are sent.
        /// `?tls=none`, `opportunistic` (default) or `required` (default with a password to another machine). `ca=`
        /// names a file of trusted certificates.
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
        /// 32 bytes in base64 that encrypt secrets at rest. Empty: a generated file `master.key` in `data_dir`.
        master_key: Secret = Secret::default(),
        /// The master key before, while `patchbay master-key rotate` replaces it. Empty: none, or the file
        /// `master.key.previous` in `data_dir`.
        previous_master_key: Secret = Secret::default(),
    }
}

section! {
    /// Files of customers.
    Media {
        /// Place of customers' files: `database`, the path of a folder that all nodes share, or `s3://bucket/prefix`.
        /// Empty: a folder of `data_dir` with the embedded database, `database` with any other.
        store: MediaPlace = MediaPlace::Auto,
        /// Base URL of the object store for `s3://`. Empty: Amazon S3.
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
        /// Directory of `*.wasm` files, watched for changes. The file name is the plugin name. Empty: none.
        dir: Option<PathBuf> = None,
    }
}

section! {
    /// The simulated providers.
    Simulator {
        /// Run the simulator. `auto`: if neither WhatsApp, Messenger nor an SMS centre is configured.
        enabled: Switch = Switch::Auto,
        /// Simulated Graph API, Messenger and phones.
        listen: SocketAddr = loopback(8090),
    }
}

section! {
    /// Text messages.
    Sms {
        /// Source address if a request names none.
        default_source: String = "PATCHBAY".to_owned(),
        /// Words that stop SMS if a reply consists of one, in addition to STOP, END, CANCEL, QUIT and UNSUBSCRIBE.
        /// Case, invisible characters and punctuation are ignored.
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
        /// Level, or levels per module such as `info,api=debug`. Empty: `info` for servers, `warn` for commands.
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
