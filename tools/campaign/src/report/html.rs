//! The page: one file with everything in it.

use dunlin::Printable;
use serde::Serialize;

use super::published::{self, Row};
use crate::summary::Summary;

const PAGE: &str = include_str!("assets/page.html");

/// Where the campaign's name and figures are put.
const TITLE: &str = "TITLE";
const DATA: &str = "/*DATA*/";

/// What else is put where; each place is there once.
const PARTS: [(&str, &str); 8] = [
    ("/*CHART STYLE*/", include_str!("assets/uPlot.min.css")),
    ("/*STYLE*/", include_str!("assets/style.css")),
    (
        "/*CHART LIBRARY*/",
        include_str!("assets/uPlot.iife.min.js"),
    ),
    ("/*FIGURES*/", include_str!("assets/figures.js")),
    ("/*CHARTS*/", include_str!("assets/charts.js")),
    ("/*TABLES*/", include_str!("assets/tables.js")),
    ("/*SECTIONS*/", include_str!("assets/sections.js")),
    ("/*MAIN*/", include_str!("assets/main.js")),
];

#[derive(Serialize)]
struct Figures<'a> {
    campaign: &'a Summary,
    earlier: &'a [Summary],
    published: Vec<Row>,
}

pub(super) fn page(campaign: &Summary, earlier: &[Summary]) -> Result<String, serde_json::Error> {
    let figures = serde_json::to_string(&Figures {
        campaign,
        earlier,
        published: published::rows(),
    })?;
    Ok(filled(&campaign.campaign.name, &figures))
}

/// The page with everything in its place. It is gone through once, so what has been put in is never
/// taken for a place itself.
fn filled(name: &str, figures: &str) -> String {
    let (name, figures) = (element(name), script(figures));
    let parts = [(TITLE, name.as_str()), (DATA, figures.as_str())];
    let parts = || parts.into_iter().chain(PARTS);
    let mut page = String::with_capacity(PAGE.len() + figures.len());
    let mut rest = PAGE;
    loop {
        let places = parts().filter_map(|(place, part)| Some((rest.find(place)?, place, part)));
        let Some((at, place, part)) = places.min_by_key(|(at, ..)| *at) else {
            break;
        };
        let (before, after) = rest.split_at(at);
        page += before;
        page += part;
        rest = after.strip_prefix(place).unwrap_or_default();
    }
    page + rest
}

/// JSON that cannot end its script element or begin a comment in it, nor end a line of a script.
fn script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Text of an element or an attribute. What has no glyph, such as a sign that turns the direction
/// of writing, becomes an escape.
fn element(text: &str) -> String {
    let text = Printable(text).to_string();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_there_once() {
        for (place, part) in PARTS.iter().chain(&[(TITLE, ""), (DATA, "")]) {
            assert_eq!(PAGE.matches(place).count(), 1, "{place}");
            assert!(!part.contains("</script"), "{place}");
        }
    }

    #[test]
    fn a_name_that_looks_like_a_place_is_only_a_name() {
        let name = "/*DATA*/ TITLE /*MAIN*/ <script>alert('1')</script> & \u{202e}";
        let figures = serde_json::to_string(&[name, "</script><!--"]).unwrap();
        let page = filled(name, &figures);
        let (_, title) = page.split_once("<title>").unwrap();
        let (title, _) = title.split_once("</title>").unwrap();
        assert_eq!(
            title,
            "/*DATA*/ TITLE /*MAIN*/ &lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; \\u{202e} · Dunlin"
        );
        let (_, data) = page.split_once("application/json\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let read: [String; 2] = serde_json::from_str(data).unwrap();
        assert_eq!(read, [name, "</script><!--"]);
        let harmless = filled("name", "[]");
        for tag in ["<script", "</script>", "<!--"] {
            assert_eq!(
                page.matches(tag).count(),
                harmless.matches(tag).count(),
                "{tag}"
            );
        }
        // Whatever was to be filled in is.
        assert!(PARTS.iter().all(|(place, _)| !harmless.contains(place)));
    }

    #[test]
    fn figures_cannot_leave_their_script() {
        let json = serde_json::to_string("</script><!--\u{2028}").unwrap();
        let safe = script(&json);
        assert!(!safe.contains('<') && !safe.contains('\u{2028}'));
        assert_eq!(
            serde_json::from_str::<String>(&safe).unwrap(),
            "</script><!--\u{2028}"
        );
    }
}
