//! Masks the secrets in URLs for errors and `patchbay config`.

use url::Url;

pub(super) const MASK: &str = "********";

/// Options of `database.url` that are not secret, of libpq and of our client. Not `options`, which sets any parameter
/// of a session.
pub(super) const DATABASE_OPTIONS: [&str; 14] = [
    "application_name",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "port",
    "ssl-mode",
    "sslmode",
    "sslrootcert",
    "ssl-root-cert",
    "statement-cache-capacity",
    "target_session_attrs",
    "user",
];
const RELAY_OPTIONS: [&str; 2] = ["ca", "tls"];

/// The options of a URL whose values may be shown. A misspelt or unknown option may be a password.
fn open_options(scheme: &str) -> &'static [&'static str] {
    match scheme {
        "postgres" | "postgresql" => &DATABASE_OPTIONS,
        "smpp" | "smpps" => &channels::smpp::URL_OPTIONS,
        "smtp" | "smtps" => &RELAY_OPTIONS,
        _ => &[],
    }
}

/// Masks the password and the values of unknown options: `postgres://app:********@db/patchbay`. `text` is the URL as written.
pub(super) fn masked_url(url: &Url, text: &str) -> String {
    let has_secret_option = url.query_pairs().any(|(name, _)| is_secret(url, &name));
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
            query.append_pair(&name, if is_secret(url, &name) { MASK } else { &value });
        }
    }
    shown.to_string()
}

/// A refused value may not be a URL. So the text before its last `@` and after its first `?` or `#` is masked, which
/// also hides a password with a slash or a blank.
pub(super) fn masked_text(text: &str) -> String {
    let (start, rest) = text.find("://").map_or(("", text), |at| text.split_at(at + 3));
    let (hidden, rest) = rest.rsplit_once('@').map_or((false, rest), |(_, after)| (true, after));
    let credentials = if hidden { format!("{MASK}@") } else { String::new() };
    let options = rest.find(['?', '#']);
    let (place, options) = options.map_or((rest, ""), |at| rest.split_at(at));
    let options = options.chars().next().map_or_else(String::new, |mark| format!("{mark}{MASK}"));
    format!("{start}{credentials}{place}{options}")
}

fn is_secret(url: &Url, option: &str) -> bool {
    !open_options(url.scheme()).contains(&option.to_ascii_lowercase().as_str())
}
