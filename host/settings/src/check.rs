//! Checks of values that are valid alone but cannot work, alone or together.

use std::net::IpAddr;

use base64::{Engine, engine::general_purpose::STANDARD};
use url::Host;

use super::{ConfigError, MediaPlace, SecretUrl, Settings, join, masking::DATABASE_OPTIONS};

const MASTER_KEY_BYTES: usize = 32;
const SSL_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/// Options of `database.url` whose values are never shown.
const SECRET_DATABASE_OPTIONS: [&str; 7] =
    ["options", "password", "ssl-ca", "ssl-cert", "ssl-key", "sslcert", "sslkey"];
/// Bytes of an upload form in addition to its file.
const FORM_BYTES: u64 = 64 * 1024;

impl Settings {
    /// Refuses settings that would fail later, and names the one to change.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        self.check_tls()?;
        self.check_master_key()?;
        self.check_urls()?;
        self.check_hosts()?;
        self.check_limits()?;
        self.check_bucket()?;
        self.email.check(&self.server)?;
        self.openid.check()?;
        self.whatsapp_cloud.check()?;
        self.sms.check()?;
        if let Err(expected) = self.trace_headers() {
            return ConfigError::unusable("traces.headers", expected);
        }
        if self.traces.sample_percent > 100 {
            return ConfigError::unusable("traces.sample_percent", "expected 0 to 100");
        }
        if self.webhooks.retry_schedule.len() > 100 {
            return ConfigError::unusable("webhooks.retry_schedule", "at most 100 delays");
        }
        Ok(())
    }

    fn check_tls(&self) -> Result<(), ConfigError> {
        match (&self.server.tls_cert, &self.server.tls_key) {
            (Some(_), None) => {
                ConfigError::unusable("server.tls_key", "server.tls_cert is set, so this must name its private key")
            }
            (None, Some(_)) => {
                ConfigError::unusable("server.tls_cert", "server.tls_key is set, so this must name its certificate")
            }
            (None, None) if self.server.batch_tls_listen.is_some() => ConfigError::unusable(
                "server.batch_tls_listen",
                "an HTTPS listener needs server.tls_cert and server.tls_key",
            ),
            _ => Ok(()),
        }
    }

    fn check_master_key(&self) -> Result<(), ConfigError> {
        let (key, previous) = (&self.security.master_key, &self.security.previous_master_key);
        for (name, key) in [("security.master_key", key), ("security.previous_master_key", previous)] {
            let fits = STANDARD.decode(key.expose()).is_ok_and(|bytes| bytes.len() == MASTER_KEY_BYTES);
            if !key.is_empty() && !fits {
                return ConfigError::unusable(
                    name,
                    "expected 32 bytes in base64; make one with `openssl rand -base64 32`",
                );
            }
        }
        if !previous.is_empty() && key.is_empty() {
            return ConfigError::unusable("security.previous_master_key", "security.master_key must hold the new key");
        }
        if !previous.is_empty() && previous.expose() == key.expose() {
            return ConfigError::unusable(
                "security.previous_master_key",
                "it is the same as security.master_key; remove it",
            );
        }
        Ok(())
    }

    fn check_urls(&self) -> Result<(), ConfigError> {
        if let Some(url) = &self.database.url {
            url.check_scheme("database.url", &["postgres", "postgresql"])?;
            check_database_options(url)?;
        }
        self.email.check_relay()?;
        self.smpp.check()?;
        Ok(())
    }

    fn check_hosts(&self) -> Result<(), ConfigError> {
        let server = &self.server;
        for (key, host) in [
            ("server.lite_host", &server.lite_host),
            ("server.sms_host", &server.sms_host),
            ("server.batch_host", &server.batch_host),
        ] {
            if !host.is_empty() && Host::parse(host).is_err() {
                return ConfigError::unusable(
                    key,
                    "expected a host name without scheme, port and path, such as \"sms.example.com\"",
                );
            }
        }
        Ok(())
    }

    fn check_bucket(&self) -> Result<(), ConfigError> {
        let MediaPlace::Bucket(url) = &self.media.store else { return Ok(()) };
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if has_credentials || url.port().is_some() || url.query().is_some() || url.fragment().is_some() {
            return ConfigError::unusable(
                "media.store",
                "a bucket is written s3://bucket/prefix; its key goes into media.s3_access_key and media.s3_secret_key, the \
                 address of its store into media.s3_endpoint",
            );
        }
        if self.media.s3_access_key.is_empty() {
            return ConfigError::unusable("media.s3_access_key", "media.store is a bucket, so this must name its key");
        }
        if self.media.s3_secret_key.is_empty() {
            return ConfigError::unusable("media.s3_secret_key", "media.store is a bucket, so this must hold its key");
        }
        Ok(())
    }

    fn check_bytes_in_flight(&self) -> Result<(), ConfigError> {
        let limits = &self.limits;
        for (name, largest) in [("max_body_bytes", limits.max_body_bytes), ("plugin_bytes", limits.plugin_bytes)] {
            for (key, room) in [
                ("limits.bytes_in_flight", limits.bytes_in_flight),
                ("limits.bytes_in_flight_per_client", limits.bytes_in_flight_per_client),
            ] {
                if room < largest.saturating_add(FORM_BYTES) {
                    let reason =
                        format!("must be {FORM_BYTES} more than limits.{name} at least, or no such body is taken");
                    return ConfigError::unusable(key, &reason);
                }
            }
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), ConfigError> {
        for (section, settings) in self.sections() {
            if section != "limits" && section != "retention" {
                continue;
            }
            for setting in settings.settings() {
                let zero = setting.value.as_integer() == Some(0) || setting.value.as_str() == Some("0s");
                if zero {
                    return ConfigError::unusable(&join(section, setting.name), "must not be 0");
                }
            }
        }
        self.check_bytes_in_flight()?;
        let (all, one) = (self.limits.plugin_memory_bytes_of_all, self.limits.plugin_memory_bytes);
        if all < one.saturating_mul(8) {
            let reason =
                "must be eight times limits.plugin_memory_bytes at least: webhook shapers have an eighth of it";
            return ConfigError::unusable("limits.plugin_memory_bytes_of_all", reason);
        }
        if self.limits.plugin_http_timeout >= self.limits.plugin_chatbot_timeout {
            return ConfigError::unusable(
                "limits.plugin_http_timeout",
                "must be shorter than limits.plugin_chatbot_timeout, which includes it; slow requests are started with \
                 `http.start`",
            );
        }
        self.check_plugin_bytes()?;
        if self.limits.webhook_connect_timeout > self.limits.webhook_timeout {
            return ConfigError::unusable(
                "limits.webhook_connect_timeout",
                "must not be longer than limits.webhook_timeout",
            );
        }
        Ok(())
    }
}

impl Settings {
    /// Bytes of HTTP pass through the memory of a plugin and through one host call.
    fn check_plugin_bytes(&self) -> Result<(), ConfigError> {
        let limits = &self.limits;
        if limits.plugin_http_response_bytes >= limits.plugin_memory_bytes {
            return ConfigError::unusable(
                "limits.plugin_http_response_bytes",
                "must be smaller than limits.plugin_memory_bytes, which holds the response",
            );
        }
        if limits.plugin_http_request_bytes > limits.plugin_hostcall_fuel {
            return ConfigError::unusable(
                "limits.plugin_http_request_bytes",
                "must not be larger than limits.plugin_hostcall_fuel, which bounds a host call with its request",
            );
        }
        Ok(())
    }
}

/// Refuses what the client library would log with its value: unknown options, and values that it cannot read.
fn check_database_options(url: &SecretUrl) -> Result<(), ConfigError> {
    for (name, value) in url.url().query_pairs() {
        let is_known = DATABASE_OPTIONS.contains(&&*name)
            || SECRET_DATABASE_OPTIONS.contains(&&*name)
            || (name.starts_with("options[") && name.ends_with(']'));
        let expected = match &*name {
            _ if !is_known => "an option is unknown; see \"Parameter Key Words\" in the manual of PostgreSQL",
            "sslmode" | "ssl-mode" if !SSL_MODES.contains(&&*value) => {
                "sslmode is disable, allow, prefer, require, verify-ca or verify-full"
            }
            "port" if value.parse::<u16>().is_err() => "the option port is a number from 0 to 65535",
            "hostaddr" if value.parse::<IpAddr>().is_err() => "the option hostaddr is an IP address",
            "statement-cache-capacity" if value.parse::<usize>().is_err() => {
                "the option statement-cache-capacity is a whole number"
            }
            _ => continue,
        };
        return ConfigError::unusable("database.url", expected);
    }
    Ok(())
}
