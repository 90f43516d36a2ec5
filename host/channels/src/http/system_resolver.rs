//! Name look-ups without blocking a thread. The library of the system needs a thread for each, of those for password hashing.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    time::{Duration, SystemTime},
};

use hickory_resolver::{
    TokioResolver,
    config::{LookupIpStrategy, NameServerConfig, ResolverConfig, ResolverOpts},
    net::{NetError, runtime::TokioRuntimeProvider},
};
use parking_lot::Mutex;

use super::resolver::{NameResolver, ResolveFuture};

/// The files with the name servers and the names of this machine. Both are read again if they change.
const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
/// Longest time for the answer of a name server, before the question is repeated.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The name servers of `/etc/resolv.conf`, and `/etc/hosts`.
#[derive(Default)]
pub struct SystemResolver {
    current: Mutex<Option<Configured>>,
}

/// A resolver, and when its files were changed. A resolver of a test has no files.
struct Configured {
    resolver: TokioResolver,
    read: Option<[Option<SystemTime>; 2]>,
}

impl SystemResolver {
    /// Asks this name server and reads no file. For tests.
    pub fn of_server(server: SocketAddr) -> io::Result<Self> {
        let config = ResolverConfig::from_name_servers(vec![name_server(server)]);
        let resolver = build(config, ResolverOpts::default())?;
        Ok(Self { current: Mutex::new(Some(Configured { resolver, read: None })) })
    }

    fn resolver(&self) -> io::Result<TokioResolver> {
        let mut current = self.current.lock();
        let changed = FILES.map(|file| fs::metadata(Path::new(file)).and_then(|file| file.modified()).ok());
        let fresh = |known: &&Configured| known.read.is_none_or(|read| read == changed);
        if let Some(known) = current.as_ref().filter(fresh) {
            return Ok(known.resolver.clone());
        }
        let resolver = from_system()?;
        *current = Some(Configured { resolver: resolver.clone(), read: Some(changed) });
        Ok(resolver)
    }
}

/// As the C library: without a usable file, the name server of this machine is asked.
fn from_system() -> io::Result<TokioResolver> {
    let (config, options) = hickory_resolver::system_conf::read_system_conf().unwrap_or_else(|error| {
        tracing::warn!(error = &error as &dyn std::error::Error, "/etc/resolv.conf cannot be used");
        (ResolverConfig::from_name_servers(Vec::new()), ResolverOpts::default())
    });
    if config.name_servers().is_empty() {
        let here = name_server(SocketAddr::from((Ipv4Addr::LOCALHOST, 53)));
        return build(ResolverConfig::from_parts(None, config.search().to_vec(), vec![here]), options);
    }
    build(config, options)
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}

fn build(config: ResolverConfig, options: ResolverOpts) -> io::Result<TokioResolver> {
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    *builder.options_mut() = options;
    let options = builder.options_mut();
    options.timeout = options.timeout.min(ANSWER_TIMEOUT);
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build().map_err(io::Error::other)
}

impl NameResolver for SystemResolver {
    fn resolve(&self, host: &str) -> ResolveFuture {
        let (host, resolver) = (host.to_owned(), self.resolver());
        Box::pin(async move {
            let resolver = resolver.map_err(|error| {
                tracing::error!(error = &error as &dyn std::error::Error, "names cannot be looked up");
                io::Error::other("names cannot be looked up on this server")
            })?;
            let found = resolver.lookup_ip(host).await.map_err(|error| failure(&error))?;
            let mut addresses: Vec<IpAddr> = found.iter().collect();
            // It is not known which of the two works from here; the older one mostly does.
            addresses.sort_by_key(IpAddr::is_ipv6);
            Ok(addresses)
        })
    }
}

/// In words that do not name our name servers, because clients read them.
fn failure(error: &NetError) -> io::Error {
    if error.is_nx_domain() || error.is_no_records_found() {
        io::Error::new(io::ErrorKind::NotFound, "the name has no address")
    } else {
        io::Error::other("the name could not be looked up: no name server gave an answer in time")
    }
}
