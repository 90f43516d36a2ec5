//! Masks the secrets in URLs for errors and `patchbay config`.

use url::Url;

/// Shown in place of a secret.
pub(super) const MASK: &str = "********";

/// Options of URLs that are not secret: of `database.url`, `smpp.url` and `email.relay`. All other values are masked,
/// because a misspelt or unknown option may be a password.
const OPEN_OPTIONS: [&str; 22] = [
    "application_name",
    "ca",
    "connect_timeout",
    "dbname",
    "default_alphabet",
    "host",
    "hostaddr",
    "ids",
    "mode",
    "name",
    "options",
    "port",
    "prefixes",
    "rate",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "system_type",
    "target_session_attrs",
    "tls",
    "user",
    "window",
];

/// Masks the password of a URL and the values of unknown options: `postgres://app:********@db/patchbay`.
///
/// `text` is the URL as written. It is returned unchanged if nothing in it is secret.
pub(super) fn masked_url(url: &Url, text: &str) -> String {
    let has_secret_option = url.query_pairs().any(|(name, _)| is_secret(&name));
    if url.password().is_none() && !has_secret_option && url.fragment().is_none() {
        return text.to_owned();
    }
    let mut shown = url.clone();
    if shown.password().is_some() && shown.set_password(Some(MASK)).is_err() {
        return MASK.to_owned();
    }
    shown.set_fragment(None);
    if has_secret_option {
        let mut query = shown.query_pairs_mut();
        query.clear();
        for (name, value) in url.query_pairs() {
            query.append_pair(&name, if is_secret(&name) { MASK } else { &value });
        }
    }
    shown.to_string()
}

/// A refused value for an error message. It may not be a URL, so the text before its last `@` and after its first `?`
/// or `#` is masked. This also hides a password with a slash or a blank.
pub(super) fn masked_text(text: &str) -> String {
    let (start, rest) = text.find("://").map_or(("", text), |at| text.split_at(at + 3));
    let (hidden, rest) = rest.rsplit_once('@').map_or((false, rest), |(_, after)| (true, after));
    let credentials = if hidden { format!("{MASK}@") } else { String::new() };
    let options = rest.find(['?', '#']);
    let (place, options) = options.map_or((rest, ""), |at| rest.split_at(at));
    let options = options.chars().next().map_or_else(String::new, |mark| format!("{mark}{MASK}"));
    format!("{start}{credentials}{place}{options}")
}

fn is_secret(option: &str) -> bool {
    !OPEN_OPTIONS.contains(&option.to_ascii_lowercase().as_str())
}
