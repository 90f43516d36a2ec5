//! The frame of every page: the bar with the search, and the list of guides.

use std::fmt::Write as _;

/// Text that is safe between tags and in quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A page with this main part. `wanted` stands in the field of the search.
pub(super) fn page(title: &str, main: &str, wanted: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} - Patchbay</title>\n<link rel=\"stylesheet\" href=\"/docs/guides.css\">\n\
         <link rel=\"icon\" type=\"image/png\" href=\"/docs/favicon-32x32.png\">\n</head>\n<body>\n\
         <header class=\"bar\">\n<strong>Patchbay</strong>\n<a href=\"/docs\">API</a>\n\
         <a href=\"/docs/guides\">Guides</a>\n<form action=\"/docs/search\" method=\"get\" role=\"search\">\n\
         <input type=\"search\" name=\"q\" aria-label=\"Search the guides\" placeholder=\"Search the guides\" \
         maxlength=\"100\" value=\"{wanted}\" required>\n</form>\n</header>\n<main>\n{main}</main>\n</body>\n</html>\n",
        title = escaped(title),
        wanted = escaped(wanted),
    )
}

/// The list of the parts of a guide. Empty if it has fewer than three.
pub(super) fn outline(parts: &[(String, String)]) -> String {
    if parts.len() < 3 {
        return String::new();
    }
    let mut list = String::from("<nav class=\"outline\" aria-label=\"Parts of this guide\">\n<ul>\n");
    for (heading, place) in parts {
        let _ = writeln!(list, "<li><a href=\"#{}\">{}</a></li>", escaped(place), escaped(heading));
    }
    list.push_str("</ul>\n</nav>\n");
    list
}
