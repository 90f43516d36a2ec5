//! Web sites with the chat widget. The simulator serves a page of each to its visitors.

use std::collections::BTreeMap;

use reqwest::Url;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SimulatedSite {
    pub(crate) site_key: String,
    pub(crate) name: String,
    /// Address of the script of the widget, with the key.
    pub(crate) script: String,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SimulatedSiteError {
    #[error("\"script\" must be an http or https URL")]
    Script,
}

#[derive(Debug, Default)]
pub(crate) struct SimulatedSites {
    by_key: BTreeMap<String, (SimulatedSite, Url)>,
}

impl SimulatedSites {
    pub(crate) fn put(&mut self, site: &SimulatedSite) -> Result<(), SimulatedSiteError> {
        let script = Url::parse(&site.script).map_err(|_| SimulatedSiteError::Script)?;
        if !matches!(script.scheme(), "http" | "https") || !script.has_host() {
            return Err(SimulatedSiteError::Script);
        }
        self.by_key.insert(site.site_key.clone(), (site.clone(), script));
        Ok(())
    }

    pub(crate) fn script(&self, key: &str) -> Option<Url> {
        self.by_key.get(key).map(|(_, script)| script.clone())
    }

    pub(crate) fn all(&self) -> Vec<SimulatedSite> {
        self.by_key.values().map(|(site, _)| site.clone()).collect()
    }
}
