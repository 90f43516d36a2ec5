//! The address corpus (FIELD 4, PROVIDERS H): both sides of every range, every spelling.

use std::net::IpAddr;

use channels::http::{AddressPolicy, AddressRefused};

const STRICT: AddressPolicy = AddressPolicy { allow_private: false };
const RELAXED: AddressPolicy = AddressPolicy { allow_private: true };

/// Refused under either policy.
const NEVER: &[&str] = &[
    // Not callable at all.
    "",
    "example.com/hook",
    "//example.com/hook",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
    "http://",
    "https:///",
    "http://example.com:0/",
    "http://exa mple.com/",
    "http://[::1",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://[fe80::1%25eth0]/",
    "http://./",
    // User info, also where it hides the real host.
    "http://user@example.com/",
    "http://user:password@example.com/",
    "http://:password@example.com/",
    "http://example.com@10.0.0.1/",
    "http://example.com%40evil@example.org/",
    // Not unicast, or not anywhere.
    "http://0.0.0.0/",
    "http://0/",
    "http://0.1.2.3/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://[::]/",
    "http://[ff02::1]/",
    "http://[::ffff:0.0.0.0]/",
    // Link-local, where clouds keep their metadata.
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.0.1/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://100.100.100.200/",
    "http://[::ffff:100.100.100.200]/",
    "http://168.63.129.16/",
    "http://[64:ff9b::168.63.129.16]/",
    "http://[fd00:ec2::254]/",
    "http://[fd00:ec2::23]/",
    "http://[fd20:ce::254]/",
    "http://[fd00:c1::a9fe:a9fe]/",
    "http://[fd00:42::42]/",
    "http://[fe80::1]/",
    "http://[febf:ffff::1]/",
    // Set aside for other purposes.
    "http://192.0.0.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://198.51.100.7/",
    "http://203.0.113.7/",
    "http://[2001:db8::1]/",
    "http://[2001::1]/",
    "http://[2001:10::1]/",
    "http://[2001:1ff::1]/",
    "http://[3fff::1]/",
    "http://[3fff:fff::1]/",
    "http://[100::1]/",
    "http://[64:ff9b:1::1]/",
    "http://[5f00::1]/",
    "http://[::7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[4000::1]/",
];

/// Refused unless private targets are allowed.
const PRIVATE: &[&str] = &[
    "http://127.0.0.1/",
    "http://127.255.255.254/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://127\u{3002}0\u{3002}0\u{3002}1/",
    "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
    "http://%31%32%37.0.0.1/",
    "http://10.0.0.0/",
    "http://10.255.255.255/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://100.100.100.199/",
    "http://100.100.100.201/",
    "http://[fd00:ec1::254]/",
    "http://[fd00:43::42]/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://192.168.255.255/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:10.1.2.3]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:c0a8:101::1]/",
    "http://[fc00::1]/",
    "http://[fdff:ffff::1]/",
    "http://localhost/",
    "http://LOCALHOST:8080/",
    "http://localhost./",
    "http://api.localhost/",
    "http://\u{24db}ocalhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://localhost.localdomain/",
    "http://box.lan/",
];

/// Allowed under either policy.
const PUBLIC: &[&str] = &[
    "https://example.com/hook",
    "HTTPS://EXAMPLE.COM/hook",
    "http://example.com:8080/hook?a=b#c",
    "https://münchen.example/",
    "https://a-name-that-does-not-resolve-yet.example/",
    // Judged when connecting, not by the look of the name.
    "http://127.0.0.1.nip.io/",
    "http://localhost.example.com/",
    "http://mylocalhost/",
    "http://internal.example.com/",
    "http://example.com\\@10.0.0.1/",
    "http://example.com/@user:password",
    // The other side of every range.
    "http://1.1.1.1/",
    "http://9.255.255.255/",
    "http://11.0.0.0/",
    "http://100.63.255.255/",
    "http://100.128.0.0/",
    "http://168.63.129.15/",
    "http://168.63.129.17/",
    "http://126.255.255.255/",
    "http://128.0.0.1/",
    "http://169.253.255.255/",
    "http://169.255.0.0/",
    "http://172.15.255.255/",
    "http://172.32.0.0/",
    "http://192.0.1.0/",
    "http://192.167.255.255/",
    "http://192.169.0.0/",
    "http://198.17.255.255/",
    "http://198.20.0.0/",
    "http://223.255.255.255/",
    "http://16843009/",
    "http://[2606:4700:4700::1111]/",
    "http://[2001:200::1]/",
    "http://[2001:4860:4860::8888]/",
    "http://[3ffe::1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[64:ff9b::8.8.8.8]/",
    "http://[2002:808:808::1]/",
];

#[test]
fn the_corpus_has_the_size_that_was_asked_for() {
    assert!(NEVER.len() + PRIVATE.len() + PUBLIC.len() >= 130);
}

#[test]
fn forbidden_addresses_are_refused_under_either_policy() {
    for url in NEVER {
        assert!(STRICT.judge_url(url).is_err(), "{url:?} passed the strict policy");
        assert!(RELAXED.judge_url(url).is_err(), "{url:?} passed the relaxed policy");
    }
}

#[test]
fn private_targets_pass_only_where_they_are_allowed() {
    for url in PRIVATE {
        assert!(STRICT.judge_url(url).is_err(), "{url:?} passed the strict policy");
        assert!(RELAXED.judge_url(url).is_ok(), "{url:?} was refused: {:?}", RELAXED.judge_url(url));
    }
}

#[test]
fn public_targets_pass() {
    for url in PUBLIC {
        assert!(STRICT.judge_url(url).is_ok(), "{url:?} was refused: {:?}", STRICT.judge_url(url));
        assert!(RELAXED.judge_url(url).is_ok(), "{url:?} was refused: {:?}", RELAXED.judge_url(url));
    }
}

#[test]
fn a_refusal_names_its_cure() {
    let told = |url: &str| STRICT.judge_url(url).unwrap_err().to_string();
    assert_eq!(told("http://127.1/"), "address 127.0.0.1 is not public (loopback); use a public address");
    assert_eq!(told("ftp://example.com/"), "scheme `ftp` is not supported; use https or http");
    assert_eq!(told("http://a:b@example.com/"), "must not contain a user name or password");
    assert_eq!(told("http://localhost/"), "host `localhost` is a local name; use a public host name");
    assert!(told("hook").contains("https://example.com/path"));
}

#[test]
fn a_mapped_address_is_shown_as_it_was_written() {
    let refused = STRICT.judge_url("http://[::ffff:10.0.0.1]/").unwrap_err();
    let address: IpAddr = "::ffff:10.0.0.1".parse().unwrap();
    assert_eq!(refused, AddressRefused::Range { address, range: "private" });
}

#[test]
fn resolved_addresses_are_judged_by_the_same_rules() {
    for address in ["10.0.0.1", "::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::a00:1"] {
        assert!(STRICT.judge_address(address.parse().unwrap()).is_err(), "{address} passed");
        assert!(RELAXED.judge_address(address.parse().unwrap()).is_ok(), "{address} was refused");
    }
    for address in ["8.8.8.8", "2606:4700:4700::1111"] {
        assert!(STRICT.judge_address(address.parse().unwrap()).is_ok(), "{address} was refused");
    }
    assert!(RELAXED.judge_address("169.254.169.254".parse().unwrap()).is_err());
}
