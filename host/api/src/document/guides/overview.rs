//! The guides as a list for machines, `/llms.txt`.

use std::fmt::Write as _;

use super::{
    listing::{beginning, group},
    shelf::GuideLibrary,
};

pub(in crate::document) fn overview(public_url: &str) -> String {
    let mut text = format!(
        "# Patchbay\n\n> Omnichannel messaging and live chat: WhatsApp messages with SMS fallback, webhooks, and plugins \
         that make decisions.\n\nEvery call carries the API key in the header `Authorization`, without `Bearer`. Errors \
         have a stable text in `error` and the fields at fault in `details`.\n\n## Reference\n\n\
         - [OpenAPI document]({public_url}/openapi.json): every call with its fields, examples and errors\n"
    );
    for (group, guides) in group(&GuideLibrary::get().guides) {
        let _ = write!(text, "\n## {group}\n\n");
        for guide in guides {
            let about = beginning(&guide.summary);
            let separator = if about.is_empty() { "" } else { ": " };
            let _ = writeln!(text, "- [{}]({public_url}/docs/{}.md){separator}{about}", guide.title, guide.path);
        }
    }
    text
}
