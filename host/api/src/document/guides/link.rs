use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A document, by its path below `docs/` without `.md`, and the place within it.
    Guide { path: String, place: Option<String> },
    /// Another address of this server, or a place within the same document.
    Here(String),
    /// An address of another server.
    Elsewhere(String),
    /// A file of the repository that is not served.
    Unserved,
}

/// Finds the target of a link. `folder` is the folder of the document with the link, `known` has the paths of all
/// documents without `.md`, and the names of the other files.
pub(super) fn target(folder: &str, link: &str, known: &BTreeSet<String>) -> LinkTarget {
    if link.starts_with('#') || link.starts_with('/') {
        return LinkTarget::Here(link.to_owned());
    }
    if link.contains("://") || link.starts_with("mailto:") {
        return LinkTarget::Elsewhere(link.to_owned());
    }
    let (file, place) = link.split_once('#').map_or((link, None), |(file, place)| (file, Some(place.to_owned())));
    let Some(path) = join(folder, file) else { return LinkTarget::Unserved };
    if path == "openapi.json" {
        return LinkTarget::Here("/openapi.json".to_owned());
    }
    let guide = path.strip_suffix(".md").unwrap_or(&path);
    let readme = format!("{guide}/README");
    if path.ends_with(".md") || !guide.contains('.') {
        let found = [guide, readme.as_str()].into_iter().find(|path| known.contains(*path));
        return found.map_or(LinkTarget::Unserved, |path| LinkTarget::Guide { path: path.to_owned(), place });
    }
    if known.contains(&path) { LinkTarget::Here(format!("/docs/{path}")) } else { LinkTarget::Unserved }
}

/// The path below `docs/`. `None` if it leads out of there.
fn join(folder: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> BTreeSet<String> {
        ["webhooks", "rules/README", "rules/webhooks", "adr", "scheme.xsd"].map(str::to_owned).into()
    }

    fn guide(path: &str, place: Option<&str>) -> LinkTarget {
        LinkTarget::Guide { path: path.to_owned(), place: place.map(str::to_owned) }
    }

    #[test]
    fn a_link_between_documents_is_resolved_from_its_folder() {
        let found = |folder, link| target(folder, link, &known());
        assert_eq!(found("", "webhooks.md#secrets"), guide("webhooks", Some("secrets")));
        assert_eq!(found("rules", "../webhooks.md"), guide("webhooks", None));
        assert_eq!(found("rules", "webhooks.md"), guide("rules/webhooks", None));
    }

    #[test]
    fn a_folder_leads_to_its_readme_or_to_its_list() {
        assert_eq!(target("", "rules/", &known()), guide("rules/README", None));
        assert_eq!(target("rules", "../adr/", &known()), guide("adr", None));
    }

    #[test]
    fn a_file_outside_is_not_served() {
        for link in ["../migrations/README.md", "../../docs/webhooks.md", "nothing.md", "nothing.xsd", "nothing/"] {
            assert_eq!(target("", link, &known()), LinkTarget::Unserved, "{link}");
        }
    }

    #[test]
    fn other_links_stay() {
        assert_eq!(target("", "scheme.xsd", &known()), LinkTarget::Here("/docs/scheme.xsd".to_owned()));
        assert_eq!(target("", "openapi.json", &known()), LinkTarget::Here("/openapi.json".to_owned()));
        assert_eq!(target("rules", "#here", &known()), LinkTarget::Here("#here".to_owned()));
        let other = "https://example.com/a.md";
        assert_eq!(target("", other, &known()), LinkTarget::Elsewhere(other.to_owned()));
    }
}
