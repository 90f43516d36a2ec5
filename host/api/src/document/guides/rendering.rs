//! One document: its Markdown as HTML and as Markdown with links that work here, and its sections for the search.

use std::collections::{BTreeSet, HashMap};

use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::link::{LinkTarget, target};

#[derive(Debug, Clone)]
pub(super) struct GuideSection {
    pub address: String,
    pub title: String,
    pub heading: String,
    pub text: String,
}

pub(super) struct RenderedGuide {
    pub title: String,
    pub summary: String,
    pub html: String,
    pub sections: Vec<GuideSection>,
    pub outline: Vec<(String, String)>,
}

fn parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(markdown, Options::ENABLE_TABLES)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// HTML within the Markdown is not part of the page, so that the page holds nothing but the marks of Markdown.
pub(super) fn render(path: &str, markdown: &str, known: &BTreeSet<String>) -> RenderedGuide {
    let mut events: Vec<Event<'_>> = parser(markdown)
        .filter(|event| !matches!(event, Event::Html(_) | Event::InlineHtml(_)))
        .map(without_alignment)
        .collect();
    let mut places = Places::default();
    let ids = headings(&events).map(|text| places.place(&text)).collect::<Vec<_>>();
    name_headings(&mut events, &ids);
    let mut rendered = read(path, &events, &ids);
    let linked = rewrite_links(folder(path), events, known);
    html::push_html(&mut rendered.html, linked.into_iter());
    rendered
}

/// The policy of the pages allows no styles on elements, which an alignment would be.
fn without_alignment(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::Table(columns)) => Event::Start(Tag::Table(vec![Alignment::None; columns.len()])),
        other => other,
    }
}

fn headings<'e>(events: &'e [Event<'_>]) -> impl Iterator<Item = String> + 'e {
    let starts = events.iter().enumerate().filter(|(_, event)| matches!(event, Event::Start(Tag::Heading { .. })));
    starts.map(|(at, _)| {
        let rest = events.get(at..).unwrap_or_default();
        words(rest.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_)))))
    })
}

fn words<'e, 'm: 'e>(events: impl Iterator<Item = &'e Event<'m>>) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::SoftBreak | Event::HardBreak | Event::End(_) => text.push(' '),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn name_headings<'m>(events: &mut [Event<'m>], ids: &[String]) {
    let tags = events.iter_mut().filter_map(|event| match event {
        Event::Start(Tag::Heading { id, .. }) => Some(id),
        _ => None,
    });
    for (id, name) in tags.zip(ids) {
        *id = Some(CowStr::from(name.clone()));
    }
}

fn read(path: &str, events: &[Event<'_>], ids: &[String]) -> RenderedGuide {
    let mut rendered = RenderedGuide {
        title: String::new(),
        summary: String::new(),
        html: String::new(),
        sections: Vec::new(),
        outline: Vec::new(),
    };
    let paragraph = events.iter().skip_while(|event| !matches!(event, Event::Start(Tag::Paragraph)));
    rendered.summary = words(paragraph.take_while(|event| !matches!(event, Event::End(TagEnd::Paragraph))));
    let is_start = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { .. }));
    let parts = events.split_inclusive(|event| matches!(event, Event::End(TagEnd::Heading(_))));
    // Each part ends with the heading of the next one.
    let mut current: Option<GuideSection> = None;
    for (at, part) in parts.enumerate() {
        let heading = part.iter().position(is_start).unwrap_or(part.len());
        let (body, next) = part.split_at(heading);
        if let Some(mut section) = current.take() {
            section.text = words(body.iter());
            rendered.sections.push(section);
        }
        let Some(Event::Start(Tag::Heading { level, .. })) = next.first() else { continue };
        let (text, id) = (words(next.iter()), ids.get(at).cloned().unwrap_or_default());
        if rendered.title.is_empty() {
            rendered.title.clone_from(&text);
        }
        if *level == HeadingLevel::H2 {
            rendered.outline.push((text.clone(), id.clone()));
        }
        let place = if at == 0 { String::new() } else { format!("#{id}") };
        let address = format!("/docs/{path}{place}");
        current = Some(GuideSection { address, title: rendered.title.clone(), heading: text, text: String::new() });
    }
    rendered.sections.extend(current);
    rendered
}

/// The address on this server of a link or an image. `None` if its file is not served.
fn address(folder: &str, link: &str, known: &BTreeSet<String>) -> Option<String> {
    match target(folder, link, known) {
        LinkTarget::Guide { path, place } => {
            Some(format!("/docs/{path}{}", place.map(|place| format!("#{place}")).unwrap_or_default()))
        }
        LinkTarget::Here(address) | LinkTarget::Elsewhere(address) => Some(address),
        LinkTarget::Unserved => None,
    }
}

/// Gives links and images the addresses of this server. One of a file that is not served becomes its text.
fn rewrite_links<'m>(folder: &str, events: Vec<Event<'m>>, known: &BTreeSet<String>) -> Vec<Event<'m>> {
    // Links do not nest, nor do images.
    let (mut dropped, mut dropped_image) = (false, false);
    let mut kept = Vec::with_capacity(events.len());
    for event in events {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match address(folder, &dest_url, known) {
                Some(address) => {
                    kept.push(Event::Start(Tag::Link { link_type, dest_url: address.into(), title, id }));
                }
                None => dropped = true,
            },
            Event::End(TagEnd::Link) if dropped => dropped = false,
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => match address(folder, &dest_url, known) {
                Some(address) => {
                    kept.push(Event::Start(Tag::Image { link_type, dest_url: address.into(), title, id }));
                }
                None => dropped_image = true,
            },
            Event::End(TagEnd::Image) if dropped_image => dropped_image = false,
            other => kept.push(other),
        }
    }
    kept
}

/// The Markdown with links to the Markdown of this server, for readers of the text alone.
pub(super) fn rewrite_markdown_links(path: &str, markdown: &str, known: &BTreeSet<String>) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut copied = 0;
    for (event, range) in parser(markdown).into_offset_iter() {
        let (dest_url, mark) = match event {
            Event::Start(Tag::Link { dest_url, .. }) => (dest_url, ""),
            Event::Start(Tag::Image { dest_url, .. }) => (dest_url, "!"),
            _ => continue,
        };
        let Some(link) = markdown.get(range.clone()).and_then(|link| link.strip_prefix(mark)) else { continue };
        let Some((label, _)) = link.strip_prefix('[').and_then(|link| link.rsplit_once("](")) else { continue };
        let new = match target(folder(path), &dest_url, known) {
            LinkTarget::Guide { path, place } => {
                format!("[{label}](/docs/{path}.md{})", place.map(|place| format!("#{place}")).unwrap_or_default())
            }
            LinkTarget::Unserved => label.to_owned(),
            LinkTarget::Here(address) | LinkTarget::Elsewhere(address) => format!("{mark}[{label}]({address})"),
        };
        text.push_str(markdown.get(copied..range.start).unwrap_or_default());
        text.push_str(&new);
        copied = range.end;
    }
    text.push_str(markdown.get(copied..).unwrap_or_default());
    text
}

#[derive(Default)]
struct Places(HashMap<String, usize>);

impl Places {
    fn place(&mut self, heading: &str) -> String {
        let plain = |letter: char| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            _ => letter.is_alphanumeric().then_some(letter),
        };
        let place: String = heading.to_lowercase().chars().filter_map(plain).collect();
        let taken = self.0.entry(place.clone()).or_default();
        *taken += 1;
        if *taken == 1 { place } else { format!("{place}-{}", *taken - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A guide\n\nIts `first` paragraph.\n\n## One & two\nSee [there](../wit/README.md), \
                        [b](b.md#x) and <b>bold</b>.\n\n## One & two\nAgain.\n";

    fn known() -> BTreeSet<String> {
        ["a", "b", "a/picture.webp"].map(str::to_owned).into()
    }

    #[test]
    fn title_summary_and_outline_are_those_of_the_text() {
        let rendered = render("a", TEXT, &known());
        assert_eq!((rendered.title.as_str(), rendered.summary.as_str()), ("A guide", "Its first paragraph."));
        let outline: Vec<&str> = rendered.outline.iter().map(|(_, place)| place.as_str()).collect();
        assert_eq!(outline, ["one--two", "one--two-1"]);
        let addresses: Vec<&str> = rendered.sections.iter().map(|section| section.address.as_str()).collect();
        assert_eq!(addresses, ["/docs/a", "/docs/a#one--two", "/docs/a#one--two-1"]);
        assert_eq!(rendered.sections[2].text, "Again.");
    }

    #[test]
    fn a_page_has_links_of_this_server_and_no_html_of_the_text() {
        let html = render("a", TEXT, &known()).html;
        assert!(html.contains("<a href=\"/docs/b#x\">b</a>") && html.contains("See there,"), "{html}");
        assert!(html.contains("<h2 id=\"one--two\">One &amp; two</h2>") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn an_image_has_an_address_of_this_server_and_one_that_is_not_served_becomes_its_text() {
        let text = "# A\n\n![A page](a/picture.webp) ![Another](other.webp)\n";
        let html = render("a", text, &known()).html;
        assert!(html.contains("<img src=\"/docs/a/picture.webp\" alt=\"A page\" /> Another"), "{html}");
        let markdown = rewrite_markdown_links("a", text, &known());
        assert_eq!(markdown, "# A\n\n![A page](/docs/a/picture.webp) Another\n");
    }

    #[test]
    fn the_markdown_has_links_to_markdown() {
        let text = rewrite_markdown_links("a", TEXT, &known());
        assert!(text.contains("See there, [b](/docs/b.md#x) and <b>bold</b>."), "{text}");
        assert_eq!(rewrite_markdown_links("a", "no link\n", &known()), "no link\n");
    }
}
