//! Names as the operating system's configuration says, looked up without blocking a thread: the library of the system needs
//! one for each look-up, and those are shared with what hashes passwords.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use hickory_resolver::{
    ResolveError, TokioResolver,
    config::{LookupIpStrategy, NameServerConfigGroup, ResolverConfig, ResolverOpts},
    name_server::TokioConnectionProvider,
};

use super::resolver::{NameResolver, Resolving};

/// Where the name servers are named, and names of this machine: both are read again when they change.
const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
/// Longest time that a name server has for an answer before the question is asked once more.
const PATIENCE: Duration = Duration::from_secs(2);

/// The name servers of `/etc/resolv.conf`, and `/etc/hosts`.
#[derive(Default)]
pub struct SystemResolver {
    current: Mutex<Option<Configured>>,
}

/// A resolver, and when the files that it was made from were changed; those of a test have none.
struct Configured {
    resolver: TokioResolver,
    read: Option<[Option<SystemTime>; 2]>,
}

impl SystemResolver {
    /// Asks this name server and looks at no file. For tests.
    pub fn of_server(server: SocketAddr) -> Self {
        let servers = NameServerConfigGroup::from_ips_clear(&[server.ip()], server.port(), true);
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        let resolver = build(config, ResolverOpts::default());
        Self { current: Mutex::new(Some(Configured { resolver, read: None })) }
    }

    /// The resolver for what the files say now.
    fn resolver(&self) -> TokioResolver {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = FILES.map(|file| fs::metadata(Path::new(file)).and_then(|file| file.modified()).ok());
        let fresh = |known: &&Configured| known.read.is_none_or(|read| read == changed);
        if let Some(known) = current.as_ref().filter(fresh) {
            return known.resolver.clone();
        }
        let resolver = from_system();
        *current = Some(Configured { resolver: resolver.clone(), read: Some(changed) });
        resolver
    }
}

/// As the C library does it: without a usable file, the name server of this machine is asked.
fn from_system() -> TokioResolver {
    let (config, options) = hickory_resolver::system_conf::read_system_conf().unwrap_or_else(|error| {
        tracing::warn!(error = &error as &dyn std::error::Error, "/etc/resolv.conf cannot be used");
        (ResolverConfig::new(), ResolverOpts::default())
    });
    if config.name_servers().is_empty() {
        let here = NameServerConfigGroup::from_ips_clear(&[IpAddr::V4(Ipv4Addr::LOCALHOST)], 53, true);
        return build(ResolverConfig::from_parts(None, config.search().to_vec(), here), options);
    }
    build(config, options)
}

fn build(config: ResolverConfig, options: ResolverOpts) -> TokioResolver {
    let mut builder = TokioResolver::builder_with_config(config, TokioConnectionProvider::default());
    *builder.options_mut() = options;
    let options = builder.options_mut();
    options.timeout = options.timeout.min(PATIENCE);
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build()
}

impl NameResolver for SystemResolver {
    fn resolve(&self, host: &str) -> Resolving {
        let (host, resolver) = (host.to_owned(), self.resolver());
        Box::pin(async move {
            let found = resolver.lookup_ip(host).await.map_err(|error| failure(&error))?;
            let mut addresses: Vec<IpAddr> = found.iter().collect();
            // Which of the two works from here is not known; the older one mostly does.
            addresses.sort_by_key(IpAddr::is_ipv6);
            Ok(addresses)
        })
    }
}

/// In words that do not name our name servers: clients read them.
fn failure(error: &ResolveError) -> io::Error {
    if error.is_nx_domain() || error.is_no_records_found() {
        io::Error::new(io::ErrorKind::NotFound, "the name has no address")
    } else {
        io::Error::other("the name could not be looked up: no name server gave an answer in time")
    }
}
