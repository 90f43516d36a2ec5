//! The source of a request: the unit of limits per address.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// The unit under which callers are counted: an IPv4 address, also on an IPv6 socket, or a /64 network of IPv6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountedSource(IpAddr);

/// A /48 network of IPv6. An internet provider gives one to a subscriber, who then has 65,536 sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceNetwork(Ipv6Addr);

impl CountedSource {
    /// All callers without an address, such as those of tests, are one source.
    pub const UNKNOWN: Self = Self(IpAddr::V4(Ipv4Addr::UNSPECIFIED));

    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(prefix(address, 64)),
            v4 => v4,
        })
    }

    pub fn of_caller(address: Option<IpAddr>) -> Self {
        address.map_or(Self::UNKNOWN, Self::of)
    }

    /// `None` for IPv4: a subscriber has few addresses there.
    pub fn network(self) -> Option<SourceNetwork> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(SourceNetwork(prefix(address, 48))),
        }
    }
}

impl fmt::Display for CountedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

fn prefix(address: Ipv6Addr, bits: u32) -> Ipv6Addr {
    Ipv6Addr::from(u128::from(address) & (u128::MAX << (128 - bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> CountedSource {
        CountedSource::of(text.parse().unwrap())
    }

    #[test]
    fn addresses_of_one_subscriber_are_one_source() {
        assert_eq!(source("192.0.2.1").to_string(), "192.0.2.1");
        assert_eq!(source("::ffff:192.0.2.1").to_string(), "192.0.2.1");
        assert_eq!(source("2001:db8:1:2:3:4:5:6").to_string(), "2001:db8:1:2::");
        assert_ne!(source("2001:db8:1:3::1"), source("2001:db8:1:2::1"));
    }

    #[test]
    fn sources_of_one_48_bit_network_are_one_network() {
        assert_eq!(source("2001:db8:1:0::1").network(), source("2001:db8:1:ffff::1").network());
        assert_ne!(source("2001:db8:1:0::1").network(), source("2001:db8:2:0::1").network());
        assert_eq!(source("192.0.2.1").network(), None);
        assert_eq!(source("::ffff:192.0.2.1").network(), None);
    }

    #[test]
    fn callers_without_an_address_are_one_source() {
        assert_eq!(CountedSource::of_caller(None), CountedSource::UNKNOWN);
        assert_eq!(CountedSource::of_caller("2001:db8::1".parse().ok()), source("2001:db8::2"));
    }
}
