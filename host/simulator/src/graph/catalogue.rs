//! The templates of each WABA. A new WABA starts with the samples.

use std::collections::BTreeMap;

use super::{samples, stored_template::SimulatedTemplate};

#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    by_waba: BTreeMap<String, Vec<SimulatedTemplate>>,
}

impl Catalogue {
    pub(crate) fn of(&mut self, waba_id: &str) -> &mut Vec<SimulatedTemplate> {
        self.by_waba.entry(waba_id.to_owned()).or_insert_with(|| samples::templates(waba_id))
    }

    pub(crate) fn find(&mut self, waba_id: &str, name: &str, language: &str) -> Option<&SimulatedTemplate> {
        self.of(waba_id).iter().find(|template| template.name == name && template.language == language)
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<(&str, &SimulatedTemplate)> {
        self.by_waba.iter().find_map(|(waba_id, templates)| {
            let template = templates.iter().find(|template| template.id == id)?;
            Some((waba_id.as_str(), template))
        })
    }
}
