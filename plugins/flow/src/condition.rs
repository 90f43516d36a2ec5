//! The cases of conditions.

use flow_model::{ConditionCase, Flow};
use patchbay_plugin_sdk::{chatbot::Error, hours::Hours};

use crate::{
    bad_config,
    template::{Values, channel},
};

pub fn is_true(flow: &Flow<'_>, values: &Values<'_>, case: &ConditionCase) -> Result<bool, Error> {
    if let Some(open) = case.open {
        return Ok(hours(flow)?.is_open(values.session.local_time)? == open);
    }
    if let Some(wanted) = &case.channel {
        return Ok(channel(values.session) == wanted);
    }
    let value = case.attribute.as_ref().and_then(|name| values.find(name)).filter(|value| !value.is_empty());
    if let Some(exists) = case.exists {
        return Ok(value.is_some() == exists);
    }
    let Some(value) = value else { return Ok(false) };
    let lower = value.to_lowercase();
    let number = || value.trim().replace(',', ".").parse::<f64>().ok();
    Ok(match case {
        ConditionCase { equals: Some(other), .. } => lower == other.to_lowercase(),
        ConditionCase { contains: Some(part), .. } => lower.contains(&part.to_lowercase()),
        ConditionCase { above: Some(bound), .. } => number().is_some_and(|number| number > *bound),
        ConditionCase { below: Some(bound), .. } => number().is_some_and(|number| number < *bound),
        _ => false,
    })
}

fn hours(flow: &Flow<'_>) -> Result<Hours, Error> {
    let text = flow.hours.map_or("{}", |hours| hours.get());
    serde_json::from_str(text).map_err(|fault| bad_config(format!("`hours` cannot be read: {fault}")))
}
