//! The files of `console/`, plain and compressed. `host/api` serves them. All modules and styles are below one address with
//! the hash of their contents, so browsers keep them until another version is installed.

/// One file of the console.
#[derive(Debug)]
pub struct ConsoleFile {
    /// Below `console/`, with `/` between its parts.
    pub path: &'static str,
    pub content_type: &'static str,
    pub plain: &'static [u8],
    pub gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Finds a file by its path below `console/`.
pub fn find(path: &str) -> Option<&'static ConsoleFile> {
    let at = FILES.binary_search_by(|file| file.path.cmp(path)).ok()?;
    FILES.get(at)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The first load of a page: the files that the first page names, and those of the folder of that page.
    #[test]
    fn each_page_loads_less_than_200_kilobytes_compressed() {
        let page = std::str::from_utf8(PAGE.plain).unwrap();
        let (mut first, mut folders) = (PAGE.gzip.len(), BTreeMap::<&str, usize>::new());
        for file in FILES {
            if page.contains(&format!("/{}\"", file.path)) {
                first += file.gzip.len();
            } else {
                *folders.entry(file.path.split('/').next().unwrap()).or_default() += file.gzip.len();
            }
        }
        assert!(first > 20_000 && folders.len() > 2, "{first} {folders:?}");
        for (folder, more) in folders {
            assert!(first + more < 200_000, "{folder}: {first} and {more}");
        }
    }

    #[test]
    fn every_file_that_the_page_names_is_embedded() {
        let page = std::str::from_utf8(PAGE.plain).unwrap();
        let base = format!("/console/assets/{VERSION}/");
        let named: Vec<&str> = page.split('"').filter_map(|part| part.strip_prefix(base.as_str())).collect();
        assert!(named.len() > 10, "{named:?}");
        for path in named.into_iter().filter(|path| !path.ends_with('/')) {
            assert!(find(path).is_some(), "{path}");
        }
    }

    #[test]
    fn the_page_has_no_script_and_no_style_of_its_own() {
        let page = std::str::from_utf8(PAGE.plain).unwrap();
        assert_eq!(page.matches("<script").count(), 2, "the import map and the start");
        for forbidden in ["<style", " style=", " onload=", "http://", "https://", "{{", "<!--"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
    }
}
