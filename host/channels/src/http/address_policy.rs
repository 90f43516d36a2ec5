//! The addresses that outgoing calls may reach (PROVIDERS H, FIELD 4): checked for a saved URL and for each resolved name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// The reason why an address may not be called. The text may be shown in an error response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefused {
    #[error("is not an absolute URL ({0}); give one like https://example.com/path")]
    NotAUrl(String),
    #[error("scheme `{0}` is not supported; use https or http")]
    Scheme(String),
    /// `user:password@` in front of the host.
    #[error("must not contain a user name or password")]
    UserInfo,
    #[error("names no host that can be called")]
    NoHost,
    /// A name that never leaves the machine or the private network.
    #[error("host `{0}` is a local name; use a public host name")]
    LocalName(String),
    #[error("address {address} is not public ({range}); use a public address")]
    Range { address: IpAddr, range: &'static str },
    /// The addresses are not named, because they would show the plan of a private network.
    #[error("host `{host}` resolves to no address that may be called; use a public host name")]
    Resolved {
        host: String,
        /// The range of the last of its addresses.
        range: &'static str,
    },
}

impl AddressRefused {
    /// The same verdict for a resolved name.
    pub(super) fn of_name(self, host: String) -> Self {
        match self {
            Self::Range { range, .. } | Self::Resolved { range, .. } => Self::Resolved { host, range },
            Self::NotAUrl(_) | Self::Scheme(_) | Self::UserInfo | Self::NoHost | Self::LocalName(_) => self,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Also allows loopback, private and shared (CGNAT) ranges and local names. Cloud metadata and non-unicast stay closed.
    pub allow_private: bool,
}

/// A range that is closed, and whether `allow_private` opens it.
struct ClosedV4 {
    network: Ipv4Addr,
    prefix: u32,
    name: &'static str,
    private: bool,
}

const fn closed_network(network: Ipv4Addr, prefix: u32, name: &'static str, private: bool) -> ClosedV4 {
    ClosedV4 { network, prefix, name, private }
}

/// Metadata services of clouds, which give out keys. Before the ranges that contain them.
const METADATA: &str = "cloud metadata";

/// The IANA special-purpose registry for IPv4, without globally reachable ranges.
const CLOSED_V4: &[ClosedV4] = &[
    closed_network(Ipv4Addr::new(100, 100, 100, 200), 32, METADATA, false),
    closed_network(Ipv4Addr::new(168, 63, 129, 16), 32, METADATA, false),
    closed_network(Ipv4Addr::new(0, 0, 0, 0), 8, "this network", false),
    closed_network(Ipv4Addr::new(10, 0, 0, 0), 8, "private", true),
    closed_network(Ipv4Addr::new(100, 64, 0, 0), 10, "shared carrier range", true),
    closed_network(Ipv4Addr::new(127, 0, 0, 0), 8, "loopback", true),
    closed_network(Ipv4Addr::new(169, 254, 0, 0), 16, "link-local", false),
    closed_network(Ipv4Addr::new(172, 16, 0, 0), 12, "private", true),
    closed_network(Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments", false),
    closed_network(Ipv4Addr::new(192, 0, 2, 0), 24, "documentation", false),
    closed_network(Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay", false),
    closed_network(Ipv4Addr::new(192, 168, 0, 0), 16, "private", true),
    closed_network(Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking", false),
    closed_network(Ipv4Addr::new(198, 51, 100, 0), 24, "documentation", false),
    closed_network(Ipv4Addr::new(203, 0, 113, 0), 24, "documentation", false),
    closed_network(Ipv4Addr::new(224, 0, 0, 0), 4, "multicast", false),
    closed_network(Ipv4Addr::new(240, 0, 0, 0), 4, "reserved", false),
];

/// Suffixes of names that are valid only on one machine or in one private network.
const LOCAL_SUFFIXES: &[&str] = &["localhost", "localdomain", "local", "internal", "home.arpa", "lan", "intranet"];

impl AddressPolicy {
    /// Checks a URL: scheme, user info, literal addresses in every spelling (decimal, hexadecimal, octal, mapped), and
    /// local names. A name that does not resolve yet is accepted, because its addresses are checked at each connection.
    pub fn judge_url(&self, text: &str) -> Result<Url, AddressRefused> {
        let url = Url::parse(text).map_err(|error| AddressRefused::NotAUrl(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressRefused::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressRefused::UserInfo);
        }
        if url.port() == Some(0) {
            return Err(AddressRefused::NoHost);
        }
        match url.host() {
            None => return Err(AddressRefused::NoHost),
            Some(Host::Ipv4(address)) => self.judge_v4(address, IpAddr::V4(address))?,
            Some(Host::Ipv6(address)) => self.judge_v6(address)?,
            Some(Host::Domain(name)) => self.judge_name(name)?,
        }
        Ok(url)
    }

    pub fn judge_address(&self, address: IpAddr) -> Result<(), AddressRefused> {
        match address {
            IpAddr::V4(v4) => self.judge_v4(v4, address),
            IpAddr::V6(v6) => self.judge_v6(v6),
        }
    }

    fn judge_name(&self, name: &str) -> Result<(), AddressRefused> {
        let bare = name.trim_end_matches('.').to_ascii_lowercase();
        if bare.is_empty() {
            return Err(AddressRefused::NoHost);
        }
        let local = LOCAL_SUFFIXES
            .iter()
            .any(|suffix| bare.strip_suffix(suffix).is_some_and(|front| front.is_empty() || front.ends_with('.')));
        if local && !self.allow_private {
            return Err(AddressRefused::LocalName(name.to_owned()));
        }
        Ok(())
    }

    /// `shown`: the address in the caller's spelling, which is the IPv6 form if `address` is embedded in one.
    fn judge_v4(&self, address: Ipv4Addr, shown: IpAddr) -> Result<(), AddressRefused> {
        let bits = address.to_bits();
        let hit = CLOSED_V4.iter().find(|range| {
            let mask = u32::MAX << (32 - range.prefix);
            bits & mask == range.network.to_bits()
        });
        match hit {
            Some(range) if !(range.private && self.allow_private) => {
                Err(AddressRefused::Range { address: shown, range: range.name })
            }
            _ => Ok(()),
        }
    }

    fn judge_v6(&self, address: Ipv6Addr) -> Result<(), AddressRefused> {
        let shown = IpAddr::V6(address);
        let refuse = |range| Err(AddressRefused::Range { address: shown, range });
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 0] => refuse("unspecified"),
            // Amazon, Google, Oracle, Scaleway and Akamai, each in a network that is otherwise private.
            [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..] | [0xfd00, 0xc1, ..] | [0xfd00, 0x42, ..] => refuse(METADATA),
            [0xfd00, 0xa9fe, 0xa9fe, ..] => refuse(METADATA),
            [0, 0, 0, 0, 0, 0, 0, 1] if self.allow_private => Ok(()),
            [0, 0, 0, 0, 0, 0, 0, 1] => refuse("loopback"),
            // An address with an embedded IPv4 address is judged as that.
            [0, 0, 0, 0, 0, 0xffff, high, low] => self.judge_v4(embedded_v4(high, low), shown),
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => self.judge_v4(embedded_v4(high, low), shown),
            [0x2002, high, low, ..] => self.judge_v4(embedded_v4(high, low), shown),
            [0x2001, 0, ..] => refuse("Teredo"),
            [0x2001, second, ..] if second < 0x200 => refuse("protocol assignments"),
            [0x2001, 0xdb8, ..] => refuse("documentation"),
            [0x3fff, second, ..] if second < 0x1000 => refuse("documentation"),
            [first, ..] if first & 0xe000 == 0x2000 => Ok(()),
            [first, ..] if first & 0xfe00 == 0xfc00 && self.allow_private => Ok(()),
            [first, ..] if first & 0xfe00 == 0xfc00 => refuse("unique local"),
            [first, ..] if first & 0xffc0 == 0xfe80 => refuse("link-local"),
            [first, ..] if first & 0xff00 == 0xff00 => refuse("multicast"),
            _ => refuse("not global unicast"),
        }
    }
}

fn embedded_v4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))
}
