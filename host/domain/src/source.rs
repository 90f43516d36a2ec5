//! The source of a request: the unit of limits per address.

use std::net::{IpAddr, Ipv6Addr};

/// The unit under which an address is counted: an IPv4 address, also on an IPv6 socket, or a /64 network of IPv6.
pub fn source_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from(u128::from(address) & (u128::MAX << 64))),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> String {
        source_of(text.parse().unwrap()).to_string()
    }

    #[test]
    fn addresses_of_one_subscriber_are_one_source() {
        assert_eq!(source("192.0.2.1"), "192.0.2.1");
        assert_eq!(source("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(source("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_ne!(source("2001:db8:1:3::1"), source("2001:db8:1:2::1"));
    }
}
