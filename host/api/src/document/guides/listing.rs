//! Lists of guides: the start page, the list of a folder, and `/llms.txt`.

use std::fmt::Write as _;

use super::{
    guide::Guide,
    shell::{escaped, page},
};

/// The groups of the start page with their guides, in this order. Other guides of the top folder are in the last group.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Use the API",
        &[
            "api",
            "errors",
            "test-keys",
            "webhooks",
            "roles",
            "chats",
            "chat-automation",
            "live-events",
            "web-chat",
            "sms-gateway",
            "email-to-sms",
        ],
    ),
    (
        "Write plugins",
        &[
            "plugins",
            "plugins/first-bot",
            "plugins/order-bot",
            "plugins/production",
            "plugins/reference",
            "plugin-tests",
            "plugins/llm",
            "plugins/flows",
            "plugins/trust",
        ],
    ),
    ("Operate a server", &["operations", "benchmarks"]),
    ("Develop Patchbay", &["ARCHITECTURE", "data-model", "urls", "testing", "STYLE", "rules/README", "adr"]),
];
/// The group of a guide that is in none of them.
const OTHERS: &str = "More guides";
const SUMMARY_LENGTH: usize = 200;

pub(super) fn group(guides: &[Guide]) -> Vec<(&'static str, Vec<&Guide>)> {
    let find = |path: &&str| guides.iter().find(|guide| guide.path == *path);
    let mut groups: Vec<_> =
        GROUPS.iter().map(|(name, paths)| (*name, paths.iter().filter_map(find).collect::<Vec<_>>())).collect();
    let is_named = |guide: &Guide| GROUPS.iter().any(|(_, paths)| paths.contains(&guide.path.as_str()));
    let others: Vec<&Guide> = guides.iter().filter(|guide| !guide.path.contains('/') && !is_named(guide)).collect();
    if !others.is_empty() {
        groups.push((OTHERS, others));
    }
    groups
}

/// The beginning of a summary, cut at a word.
pub(super) fn beginning(summary: &str) -> String {
    if summary.chars().count() <= SUMMARY_LENGTH {
        return summary.trim_end_matches(':').to_owned();
    }
    let cut: String = summary.chars().take(SUMMARY_LENGTH).collect();
    let words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{words} ...")
}

pub(super) fn index(guides: &[Guide]) -> String {
    let mut main = String::from(
        "<h1>Patchbay</h1>\n<p>Omnichannel messaging and live chat. The <a href=\"/docs\">API reference</a> describes \
         every call, and these guides the rest. Programs read <a href=\"/openapi.json\">openapi.json</a> and \
         <a href=\"/llms.txt\">llms.txt</a>, and each guide as Markdown under its address with <code>.md</code>.</p>\n",
    );
    for (group, guides) in group(guides) {
        let _ = writeln!(main, "<h2>{}</h2>\n<dl>", escaped(group));
        for guide in guides {
            let (title, about) = (escaped(&guide.title), escaped(&beginning(&guide.summary)));
            let _ = writeln!(main, "<dt><a href=\"/docs/{}\">{title}</a></dt>\n<dd>{about}</dd>", guide.path);
        }
        main.push_str("</dl>\n");
    }
    page("Guides", &main, "")
}

/// The Markdown of a folder without a README: its documents by their titles.
pub(super) fn folder<'d>(name: &str, documents: impl Iterator<Item = (&'d str, &'d str)>) -> String {
    let title = if name == "adr" { "Decisions" } else { name };
    let mut list = format!("# {title}\n\n");
    for (path, markdown) in documents {
        let heading = markdown.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(path);
        let _ = writeln!(list, "- [{heading}]({path}.md)");
    }
    list
}
