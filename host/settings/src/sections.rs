//! The settings of `CONTRACT` section 2 that are about no channel. Limits are in [`super::limits`].

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

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
        /// PEM file with its private key.
        tls_key: Option<PathBuf> = None,
        /// Second HTTPS listener, for the batch SMS gateway (port 8443 in production).
        batch_tls_listen: Option<SocketAddr> = None,
        /// Separate address for `GET /metrics`, without TLS. Empty: `server.listen`, for callers on this machine only.
        metrics_listen: Option<SocketAddr> = None,
        /// Address of `/metrics`, `/healthz` and `/readyz` of `patchbay work`, without TLS.
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
        /// Host name of WhatsApp Lite: the same API, but all senders are Lite numbers.
        lite_host: String = String::new(),
        /// The only host name of the SMS API. Empty: any host.
        sms_host: String = String::new(),
        /// The only host name of the batch SMS gateway. Empty: any host.
        batch_host: String = String::new(),
    }
}

section! {
    /// Calls to clients' webhooks.
    Webhooks {
        /// Allow loopback and private addresses as targets of webhooks, callbacks, media and requests of plugins.
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
        /// The key before, during `patchbay master-key rotate`. Empty: the file `master.key.previous` in `data_dir`, if
        /// it exists.
        previous_master_key: Secret = Secret::default(),
    }
}

section! {
    /// Files of customers.
    Media {
        /// Place of customers' files: `database`, the path of a folder that all nodes share, or `s3://bucket/prefix`.
        /// Empty: a folder of `data_dir` with the embedded database, `database` with any other.
        store: MediaPlace = MediaPlace::Auto,
        /// Base URL of the object store. Empty: Amazon S3.
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
        /// Directory of `*.wasm` files, watched for changes. The file name is the plugin name.
        dir: Option<PathBuf> = None,
    }
}

section! {
    /// The simulated providers.
    Simulator {
        /// Run the simulator. `auto`: if no provider is configured.
        enabled: Switch = Switch::Auto,
        /// Address of the simulated providers and phones.
        listen: SocketAddr = loopback(8090),
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
