use std::{fmt, path::PathBuf, str::FromStr};

use url::Url;

use super::{message_id::IdForm, text::DefaultAlphabet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BindMode {
    /// As a transceiver; as transmitter and receiver if that is refused.
    #[default]
    Auto,
    Transceiver,
    Pair,
}

#[derive(Clone, PartialEq, Eq)]
pub struct SmppUrl {
    pub(super) name: String,
    /// True if the URL gives the name.
    pub(super) is_named: bool,
    pub(super) tls: bool,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) system_id: String,
    pub(super) password: String,
    pub(super) system_type: String,
    pub(super) mode: BindMode,
    pub(super) ids: IdForm,
    pub(super) alphabet: DefaultAlphabet,
    pub(super) window: usize,
    pub(super) rate: Option<u32>,
    pub(super) prefixes: Vec<String>,
    /// The certificate authority of the SMSC, if it is not a public one.
    pub(super) ca: Option<PathBuf>,
}

/// The text repeats nothing of the URL except names of known options: a misspelt option may hold the password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SmppUrlError {
    /// Not `smpp://` or `smpps://` with a host.
    #[error("not an SMSC address; give smpp://system_id:password@host:port (smpps:// for TLS)")]
    NotSmpp,
    #[error("the system_id must have 1 to 15 ASCII characters")]
    SystemId,
    /// SMPP 3.4 has room for 8 characters.
    #[error("the password must have at most 8 ASCII characters, which is all that SMPP 3.4 can carry")]
    Password,
    #[error("an option is unknown; known options are {}", URL_OPTIONS.join(", "))]
    UnknownOption,
    /// A value that a known option does not take.
    #[error("option `{name}`: {expected}")]
    Option { name: &'static str, expected: &'static str },
}

pub const URL_OPTIONS: [&str; 9] =
    ["ids", "default_alphabet", "window", "rate", "mode", "system_type", "name", "prefixes", "ca"];

impl SmppUrl {
    /// Reads a URL. Options: `ids=raw|hexdec|dechex|hex|dec` (the relation of message ids in submits and receipts),
    /// `default_alphabet=gsm|gsm-packed|latin1|ascii` (the meaning of data coding 0), `window=1..1000` (unanswered
    /// submits, 32), `rate=` (submits per second, no limit), `mode=auto|trx|txrx`, `system_type=`, `name=` (name of the
    /// bind in stored data; default `system_id@host:port`), `prefixes=27,264` (prefixes of the numbers that it serves;
    /// default all), `ca=` (file of the certificates that `smpps://` trusts instead of the public ones). Binds with one
    /// name are one account, and binds without `name=` and with the same credentials: a submit over one may be reported
    /// over another.
    pub fn parse(text: &str) -> Result<Self, SmppUrlError> {
        let url = Url::parse(text).map_err(|_| SmppUrlError::NotSmpp)?;
        let tls = match url.scheme() {
            "smpp" => false,
            "smpps" | "ssmpp" => true,
            _ => return Err(SmppUrlError::NotSmpp),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(SmppUrlError::NotSmpp)?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = url.port().unwrap_or(if tls { 3550 } else { 2775 });
        let system_id = percent_decoded(url.username());
        if !fits(&system_id, 1, 15) {
            return Err(SmppUrlError::SystemId);
        }
        let password = percent_decoded(url.password().unwrap_or_default());
        if !fits(&password, 0, 8) {
            return Err(SmppUrlError::Password);
        }
        let mut parsed = Self {
            name: format!("{system_id}@{host}:{port}"),
            is_named: false,
            tls,
            host,
            port,
            system_id,
            password,
            system_type: String::new(),
            mode: BindMode::Auto,
            ids: IdForm::Raw,
            alphabet: DefaultAlphabet::Gsm,
            window: 32,
            rate: None,
            prefixes: Vec::new(),
            ca: None,
        };
        for (name, value) in url.query_pairs() {
            parsed.set(&name, &value)?;
        }
        Ok(parsed)
    }

    pub fn bind_name(&self) -> &str {
        &self.name
    }

    /// True if both are one account of an SMSC: the receipt of a submit over one of them may come over the other.
    pub(super) fn is_same_account(&self, other: &Self) -> bool {
        let credentials = |url: &Self| [&url.system_id, &url.password, &url.system_type].map(String::clone);
        self.name == other.name || (!self.is_named && !other.is_named && credentials(self) == credentials(other))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), SmppUrlError> {
        let Some(name) = URL_OPTIONS.into_iter().find(|option| *option == name) else {
            return Err(SmppUrlError::UnknownOption);
        };
        let wrong = |expected| Err(SmppUrlError::Option { name, expected });
        match name {
            "name" if fits(value, 1, 64) => {
                self.name = value.to_owned();
                self.is_named = true;
            }
            "name" => return wrong("give 1 to 64 ASCII characters"),
            "system_type" if fits(value, 0, 12) => self.system_type = value.to_owned(),
            "system_type" => return wrong("give at most 12 ASCII characters"),
            "mode" => match value {
                "auto" => self.mode = BindMode::Auto,
                "trx" => self.mode = BindMode::Transceiver,
                "txrx" => self.mode = BindMode::Pair,
                _ => return wrong("give auto, trx or txrx"),
            },
            "ids" => match IdForm::from_name(value) {
                Some(form) => self.ids = form,
                None => return wrong("give raw, hexdec, dechex, hex or dec"),
            },
            "default_alphabet" => match DefaultAlphabet::from_name(value) {
                Some(alphabet) => self.alphabet = alphabet,
                None => return wrong("give gsm, gsm-packed, latin1 or ascii"),
            },
            "window" => match value.parse() {
                Ok(window @ 1..=1000) => self.window = window,
                _ => return wrong("give a number from 1 to 1000"),
            },
            "rate" => match value.parse() {
                Ok(rate @ 1..=100_000) => self.rate = Some(rate),
                _ => return wrong("give submits per second, 1 to 100000"),
            },
            "prefixes" => {
                let prefixes: Vec<String> = value.split(',').map(str::to_owned).collect();
                let digits = |prefix: &String| fits(prefix, 1, 15) && prefix.bytes().all(|byte| byte.is_ascii_digit());
                if !prefixes.iter().all(digits) {
                    return wrong("give beginnings of numbers in digits, with commas between them: 27,264");
                }
                self.prefixes = prefixes;
            }
            "ca" if self.tls && !value.is_empty() => self.ca = Some(PathBuf::from(value)),
            "ca" => return wrong("give the file of a certificate, with smpps://"),
            _ => return Err(SmppUrlError::UnknownOption),
        }
        Ok(())
    }
}

impl FromStr for SmppUrl {
    type Err = SmppUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Debug for SmppUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmppUrl").field("name", &self.name).finish_non_exhaustive()
    }
}

fn fits(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii() && byte != 0)
}

/// User info is percent-encoded. Invalid sequences stay as they are.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped = if *first == b'%' { tail.get(..2).and_then(|digits| hex::decode(digits).ok()) } else { None };
        match escaped {
            Some(decoded) => {
                bytes.extend_from_slice(&decoded);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
