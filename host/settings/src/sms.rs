//! SMS: the SMS centres, and the rules of text messages.

use std::time::Duration;

use channels::smpp::{SmppSettings, SmppUrl};
use domain::sms_products::{StopWords, source};

use super::{ConfigError, Settings, secret::SecretUrl, section::section};

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
        /// Silence after which an `enquire_link` is sent.
        enquire_link: Duration = SmppSettings::default().enquire_link,
        /// Time for its answer, and for the SMS centre to read. After it, the connection is closed.
        link_timeout: Duration = SmppSettings::default().link_timeout,
        /// Time to wait for open answers before an `unbind`.
        unbind_wait: Duration = SmppSettings::default().unbind_wait,
        /// Time for an `unbind` and its answer, and for the last bytes.
        unbind_timeout: Duration = SmppSettings::default().unbind_timeout,
        /// First pause after a lost connection or a refused bind. It doubles each time.
        reconnect_first: Duration = SmppSettings::default().reconnect_first,
        /// Longest such pause.
        reconnect_longest: Duration = SmppSettings::default().reconnect_longest,
        /// The same after a wrong system id or password.
        refused_first: Duration = SmppSettings::default().refused_first,
        /// Longest such pause.
        refused_longest: Duration = SmppSettings::default().refused_longest,
        /// Lifetime of a session after which the pauses begin again.
        session_proven: Duration = SmppSettings::default().session_proven,
        /// First pause after throttled submits. It doubles each time, and then one submit tests the SMS centre.
        throttle_first: Duration = SmppSettings::default().throttle_first,
        /// Longest such pause.
        throttle_longest: Duration = SmppSettings::default().throttle_longest,
        /// Time for which the acknowledgement of a part of a long SMS waits for other parts.
        part_hold: Duration = SmppSettings::default().part_hold,
        /// Time for which the parts are kept before an incomplete SMS is accepted.
        part_expiry: Duration = SmppSettings::default().part_expiry,
        /// Pause before an SMS with acknowledged parts is stored again after a failure.
        part_retry: Duration = SmppSettings::default().part_retry,
        /// Deliveries of one connection that wait. Then nothing more is read from it.
        deliveries_waiting: usize = SmppSettings::default().deliveries_waiting,
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

impl Smpp {
    pub(super) fn is_configured(&self) -> bool {
        !self.url.is_empty()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for url in &self.url {
            url.check_scheme("smpp.url", &["smpp", "smpps"])?;
            if url.url().host().is_none() || url.url().username().is_empty() {
                return ConfigError::unusable("smpp.url", "expected smpp://system_id:password@host:port");
            }
            if let Err(error) = SmppUrl::parse(url.expose()) {
                return ConfigError::unusable("smpp.url", &error.to_string());
            }
        }
        Ok(())
    }
}

impl Sms {
    pub fn stop_words(&self) -> StopWords {
        // Invalid words were refused with the configuration.
        StopWords::with(&self.stop_words).unwrap_or_default()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if source::source(&self.default_source).is_none() {
            return ConfigError::unusable("sms.default_source", &format!("expected {}", source::WHAT_IT_IS));
        }
        if let Err(word) = StopWords::with(&self.stop_words) {
            let reason = format!("`{word}` is no word that a reply could stop messages with");
            return ConfigError::unusable("sms.stop_words", &reason);
        }
        Ok(())
    }
}

impl Settings {
    pub fn smpp_settings(&self) -> SmppSettings {
        let smpp = &self.smpp;
        SmppSettings {
            connect_timeout: smpp.connect_timeout,
            bind_timeout: smpp.bind_timeout,
            response_timeout: smpp.response_timeout,
            enquire_link: smpp.enquire_link,
            link_timeout: smpp.link_timeout,
            unbind_wait: smpp.unbind_wait,
            unbind_timeout: smpp.unbind_timeout,
            reconnect_first: smpp.reconnect_first,
            reconnect_longest: smpp.reconnect_longest,
            refused_first: smpp.refused_first,
            refused_longest: smpp.refused_longest,
            session_proven: smpp.session_proven,
            throttle_first: smpp.throttle_first,
            throttle_longest: smpp.throttle_longest,
            part_hold: smpp.part_hold,
            part_expiry: smpp.part_expiry,
            part_retry: smpp.part_retry,
            deliveries_waiting: smpp.deliveries_waiting,
        }
    }
}
