//! The search over the sections of all guides.

use std::{cmp::Reverse, fmt::Write as _};

use super::{
    rendering::GuideSection,
    shell::{self, escaped},
};

const MOST: usize = 30;
/// Most words of a search. More are ignored.
const WORDS: usize = 8;
const CONTEXT_CHARS: usize = 100;

fn words(wanted: &str) -> Vec<String> {
    wanted.split_whitespace().take(WORDS).map(str::to_ascii_lowercase).collect()
}

/// The rank of a section: words in its heading count most. `None` if a word is missing.
fn rank(section: &GuideSection, words: &[String]) -> Option<usize> {
    let [title, heading, text] =
        [&section.title, &section.heading, &section.text].map(|part| part.to_ascii_lowercase());
    let mut rank = 0;
    for word in words {
        let (in_title, in_heading) = (title.contains(word.as_str()), heading.contains(word.as_str()));
        let times = text.matches(word.as_str()).take(5).count();
        if !in_title && !in_heading && times == 0 {
            return None;
        }
        rank += usize::from(in_title) * 10 + usize::from(in_heading) * 20 + times;
    }
    Some(rank)
}

fn find<'s>(sections: &'s [GuideSection], words: &[String]) -> Vec<&'s GuideSection> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(usize, &GuideSection)> =
        sections.iter().filter_map(|section| Some((rank(section, words)?, section))).collect();
    found.sort_by_key(|(rank, _)| Reverse(*rank));
    found.truncate(MOST);
    found.into_iter().map(|(_, section)| section).collect()
}

fn excerpt(text: &str, words: &[String]) -> String {
    let lower = text.to_ascii_lowercase();
    let first = words.iter().filter_map(|word| Some((lower.find(word.as_str())?, word.len()))).min();
    let (at, length) = first.unwrap_or_default();
    let begin = text.floor_char_boundary(at.saturating_sub(CONTEXT_CHARS));
    let end = text.floor_char_boundary((at + length).saturating_add(CONTEXT_CHARS));
    let part = |from: usize, to: usize| escaped(text.get(from..to).unwrap_or_default());
    let (before, after) = (if begin > 0 { "... " } else { "" }, if end < text.len() { " ..." } else { "" });
    let marked = if length > 0 { format!("<mark>{}</mark>", part(at, at + length)) } else { String::new() };
    format!("{before}{}{marked}{}{after}", part(begin, at), part(at + length, end))
}

pub(super) fn page(sections: &[GuideSection], wanted: &str) -> String {
    let words = words(wanted);
    let found = find(sections, &words);
    let mut main = format!("<h1>Search</h1>\n<p>{}</p>\n<dl>\n", count_line(wanted, found.len()));
    for section in found {
        let name = if section.heading == section.title {
            escaped(&section.title)
        } else {
            format!("{}: {}", escaped(&section.title), escaped(&section.heading))
        };
        let (address, text) = (escaped(&section.address), excerpt(&section.text, &words));
        let _ = writeln!(main, "<dt><a href=\"{address}\">{name}</a></dt>\n<dd>{text}</dd>");
    }
    main.push_str("</dl>\n");
    shell::page("Search", &main, wanted)
}

fn count_line(wanted: &str, found: usize) -> String {
    match found {
        0 if wanted.trim().is_empty() => "Enter words that a section contains.".to_owned(),
        0 => format!("No section contains all words of \"{}\".", escaped(wanted)),
        1 => "1 section contains all words.".to_owned(),
        MOST => format!("The best {MOST} sections that contain all words."),
        more => format!("{more} sections contain all words."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(heading: &str, text: &str) -> GuideSection {
        GuideSection {
            address: format!("/docs/a#{heading}"),
            title: "A guide".to_owned(),
            heading: heading.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_search_result_contains_every_word_and_headings_rank_first() {
        let sections = [section("Other", "The signature of a retry."), section("Signature", "Of every retry.")];
        let found = find(&sections, &words("SIGNATURE retry"));
        assert_eq!(found.iter().map(|one| one.heading.as_str()).collect::<Vec<_>>(), ["Signature", "Other"]);
        assert!(find(&sections, &words("signature absent")).is_empty() && find(&sections, &words(" ")).is_empty());
    }

    #[test]
    fn the_terms_of_a_search_are_escaped_on_its_page() {
        let page = page(&[section("One", "a <b> & ü")], "<script>\"x\"");
        assert!(!page.contains("<script>") && page.contains("&lt;script&gt;&quot;x&quot;"), "{page}");
    }

    #[test]
    fn an_excerpt_is_cut_between_letters() {
        let text = format!("{}needle{}", "ü".repeat(99), "ß".repeat(99));
        let cut = excerpt(&text, &words("needle"));
        assert!(cut.starts_with("... ü") && cut.ends_with("ß ...") && cut.contains("<mark>needle</mark>"), "{cut}");
    }
}
