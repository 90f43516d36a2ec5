//! Addresses of files in a request: what they must look like before anybody opens them.

use url::Url;

/// Longest address of a file, in characters.
const LINK_MAX: usize = 2_048;
/// Longest name of a file, in characters.
const NAME_MAX: usize = 240;

/// A file's address must be absolute, `http` or `https`, with a host and without a password. Whether the address may be
/// reached is judged where it is opened.
pub fn check(link: &str) -> Result<(), &'static str> {
    if link.chars().count() > LINK_MAX {
        return Err("has more than 2048 characters, which the provider does not take");
    }
    let url = Url::parse(link).map_err(|_| "is not an address; give an absolute http or https URL")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must be an http or https URL");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or password");
    }
    Ok(())
}

/// The name of the file that a link ends in, when it looks like one.
pub(super) fn file_name(link: &str) -> Option<String> {
    let path = link.split(['?', '#']).next()?;
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let short = name.chars().count() <= NAME_MAX;
    (short && !stem.is_empty() && !extension.is_empty() && path.matches('/').count() > 2).then(|| name.to_owned())
}
