//! The hosts that an activation allows a plugin to reach: `api.example.org`, `*.example.org`, `localhost:8080`.

use std::fmt;

use serde_json::Value;
use url::Url;

/// Every host, for tools of an author. An activation cannot contain it ([`AllowedHost::parse`] refuses it).
pub const EVERY_HOST: &str = "*";
const LONGEST: usize = 260;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    /// In lower case. An IPv6 address is in brackets.
    host: String,
    /// Matches every name below `host`, but not `host` itself.
    below: bool,
    /// Matches only this port. If `None`: 443 for `https`, 80 for `http`.
    port: Option<u16>,
}

impl AllowedHost {
    /// Parses an entry of an activation. The error is one sentence with the fault and the correct form.
    pub fn parse(entry: &str) -> Result<Self, String> {
        let wrong =
            |what: &str| Err(format!("`{entry}` {what}; write `api.example.org`, `*.example.org` or `host:port`"));
        if entry.is_empty() || entry.len() > LONGEST {
            return wrong("is empty or too long");
        }
        if entry.contains("://") || entry.contains(['/', '@', '?', '#']) || entry.contains(char::is_whitespace) {
            return wrong("is not a host name alone");
        }
        let (below, named) = match entry.strip_prefix("*.") {
            Some(named) => (true, named),
            None => (false, entry),
        };
        if named.contains('*') {
            return wrong("has a `*` elsewhere than in front");
        }
        // Parsed as a URL, so that it is normalised like the addresses that it is compared with.
        let Ok(url) = Url::parse(&format!("https://{named}")) else { return wrong("is not a host name") };
        let Some(host) = url.host_str() else { return wrong("is not a host name") };
        if below && !matches!(url.host(), Some(url::Host::Domain(_))) {
            return wrong("has a `*` in front of a numeric address");
        }
        let port = match port_of(named) {
            Some(text) => match text.parse() {
                Ok(port) if port > 0 => Some(port),
                _ => return wrong("has a port that is not a number from 1 to 65535"),
            },
            None => None,
        };
        Ok(Self { host: host.to_owned(), below, port })
    }

    fn gives(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let named = match self.below {
            true => host.strip_suffix(self.host.as_str()).is_some_and(|front| front.len() > 1 && front.ends_with('.')),
            false => host == self.host,
        };
        let port = url.port_or_known_default();
        let usual = if url.scheme() == "https" { 443 } else { 80 };
        named && port == Some(self.port.unwrap_or(usual))
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.below { "*." } else { "" })?;
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The text after the colon of `host:port`, if any. The colons of an IPv6 address are within its brackets.
fn port_of(host: &str) -> Option<&str> {
    let behind = host.rsplit_once(']').map_or(host, |(_, behind)| behind);
    behind.rsplit_once(':').map(|(_, port)| port)
}

pub(crate) fn judge(url: &Url, allowed: &[String]) -> Result<(), String> {
    let everywhere = allowed.iter().any(|entry| entry == EVERY_HOST);
    if everywhere || allowed.iter().filter_map(|entry| AllowedHost::parse(entry).ok()).any(|entry| entry.gives(url)) {
        return Ok(());
    }
    let wanted = entry_for(url);
    let given = match allowed {
        [] => "it was not given any host".to_owned(),
        some => format!("it was given {}", some.join(", ")),
    };
    Err(format!(
        "this plugin may not reach `{wanted}`: {given}; name `{wanted}` in `allowedHosts` (`--allow-host`) of its activation"
    ))
}

/// The entry that allows the host of an address.
fn entry_for(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The hosts of addresses in a configuration that are not allowed, as entries that would allow them. A plugin may need
/// an address for another purpose than a request.
pub fn hosts_not_allowed(config: &Value, allowed: &[String]) -> Vec<String> {
    let mut hosts = Vec::new();
    let mut open = vec![config];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            Value::String(text) if text.starts_with("http://") || text.starts_with("https://") => {
                let url = Url::parse(text).ok().filter(|url| judge(url, allowed).is_err());
                hosts.extend(url.as_ref().map(entry_for));
            }
            _ => {}
        }
    }
    hosts.sort();
    hosts.dedup();
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_a_configuration_are_compared_with_the_allowed_hosts() {
        let config = serde_json::json!({
            "orders": "http://127.0.0.1:18310/v1", "tools": [{"url": "https://api.example.org/a"}], "text": "see https://x.example",
            "again": "http://127.0.0.1:18310", "count": 7,
        });
        let allowed = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        assert_eq!(hosts_not_allowed(&config, &[]), ["127.0.0.1:18310", "api.example.org"]);
        assert_eq!(hosts_not_allowed(&config, &allowed(&["api.example.org"])), ["127.0.0.1:18310"]);
        assert!(hosts_not_allowed(&config, &allowed(&["*.example.org", "127.0.0.1:18310"])).is_empty());
    }

    fn allows(entry: &str, url: &str) -> bool {
        judge(&Url::parse(url).unwrap(), &[entry.to_owned()]).is_ok()
    }

    #[test]
    fn a_name_gives_that_host_at_the_usual_port_and_nothing_else() {
        for url in ["https://api.example.org/a?b=c", "http://api.example.org", "https://API.Example.ORG:443/"] {
            assert!(allows("api.example.org", url), "{url}");
            assert!(allows("API.example.org", url), "{url}");
        }
        for url in [
            "https://example.org/",
            "https://evil-api.example.org/",
            "https://x.api.example.org/",
            "https://api.example.org.evil.net/",
            "https://api.example.org:8443/",
            "http://api.example.org:443/",
        ] {
            assert!(!allows("api.example.org", url), "{url}");
        }
    }

    #[test]
    fn a_star_gives_every_name_below_and_not_the_name_itself() {
        for url in ["https://a.example.org/", "https://b.a.example.org/"] {
            assert!(allows("*.example.org", url), "{url}");
        }
        for url in
            ["https://example.org/", "https://notexample.org/", "https://.example.org/", "https://a.example.com/"]
        {
            let parsed = Url::parse(url);
            assert!(parsed.is_err() || !allows("*.example.org", url), "{url}");
        }
    }

    #[test]
    fn a_port_gives_that_port_only() {
        assert!(allows("localhost:8080", "http://localhost:8080/x"));
        assert!(!allows("localhost:8080", "http://localhost/x"));
        assert!(allows("example.org:443", "https://example.org/"));
        assert!(allows("[::1]:9000", "http://[::1]:9000/"));
        assert!(!allows("[::1]:9000", "http://[::1]/"));
        assert!(allows("*.example.org:8443", "https://a.example.org:8443/"));
    }

    #[test]
    fn entries_that_are_not_hosts_are_refused_and_say_how_to_write_them() {
        for entry in [
            "",
            "https://example.org",
            "example.org/path",
            "a b",
            "*",
            "*.",
            "a.*.org",
            "user@example.org",
            "host:0",
            "host:70000",
            "host:",
            "host:x",
            "*.127.0.0.1",
        ] {
            let fault = AllowedHost::parse(entry).unwrap_err();
            assert!(fault.contains("write `api.example.org`"), "{entry}: {fault}");
        }
        for entry in ["example.org", "*.example.org", "localhost:8080", "127.0.0.1:80", "[::1]:80", "bücher.example"] {
            assert!(AllowedHost::parse(entry).is_ok(), "{entry}");
        }
    }

    #[test]
    fn a_refusal_names_the_host_and_the_cure() {
        let url = Url::parse("https://api.example.org:8443/orders").unwrap();
        let none = judge(&url, &[]).unwrap_err();
        assert!(none.contains("`api.example.org:8443`") && none.contains("not given any host"), "{none}");
        assert!(none.contains("allowedHosts"), "{none}");
        let other = judge(&url, &["api.example.org".into(), "*.example.net".into()]).unwrap_err();
        assert!(other.contains("it was given api.example.org, *.example.net"), "{other}");
    }
}
