//! Account events that name the change of a template (PROVIDERS A.10). Events about components carry only the new
//! parts: see `template_parts`.

use domain::event::{Quality, TemplateApproval, TemplateChange, TemplateChanged};
use serde_json::Value;

/// Reads the change. `None` if clients get no event for it, or if it names no template.
pub(super) fn read(field: &str, value: &Value) -> Option<TemplateChanged> {
    let text = |name: &str| value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let change = match field {
        "message_template_status_update" => {
            let status = approval(&text("event")?)?;
            let reason = text("reason").filter(|reason| status == TemplateApproval::Rejected && reason != "NONE");
            TemplateChange::Status { status, reason }
        }
        "message_template_quality_update" => TemplateChange::Quality {
            before: quality(text("previous_quality_score").as_deref()),
            now: quality(text("new_quality_score").as_deref()),
        },
        _ => return None,
    };
    let id = value.get("message_template_id").and_then(|id| id.as_u64().map(|id| id.to_string()));
    let (name, language) = (text("message_template_name")?, text("message_template_language"));
    Some(TemplateChanged { id, name, language, change })
}

/// Other statuses only refresh the catalogue.
fn approval(event: &str) -> Option<TemplateApproval> {
    Some(match event {
        "APPROVED" | "REINSTATED" => TemplateApproval::Approved,
        "REJECTED" => TemplateApproval::Rejected,
        "PAUSED" => TemplateApproval::Paused,
        "DISABLED" => TemplateApproval::Disabled,
        _ => return None,
    })
}

fn quality(score: Option<&str>) -> Quality {
    score.and_then(Quality::from_name).unwrap_or(Quality::Unknown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(event: &str) -> Option<TemplateChange> {
        let value = json!({ "event": event, "message_template_id": 77, "message_template_name": "hello",
            "message_template_language": "en", "reason": "INVALID_FORMAT" });
        read("message_template_status_update", &value).map(|changed| changed.change)
    }

    #[test]
    fn only_the_statuses_of_the_product_are_reported() {
        let told = |status| Some(TemplateChange::Status { status, reason: None });
        assert_eq!(status("REINSTATED"), told(TemplateApproval::Approved));
        assert_eq!(status("PAUSED"), told(TemplateApproval::Paused));
        let reason = Some("INVALID_FORMAT".to_owned());
        assert_eq!(status("REJECTED"), Some(TemplateChange::Status { status: TemplateApproval::Rejected, reason }));
        assert_eq!(status("FLAGGED"), None);
    }

    #[test]
    fn a_change_of_quality_names_both() {
        let value =
            json!({ "previous_quality_score": "GREEN", "new_quality_score": "odd", "message_template_name": "hello" });
        let changed = read("message_template_quality_update", &value).unwrap();
        assert_eq!(changed.change, TemplateChange::Quality { before: Quality::Green, now: Quality::Unknown });
        assert_eq!(read("message_template_components_update", &value), None);
    }
}
