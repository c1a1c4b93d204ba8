//! The page: one file with everything in it.

use serde::Serialize;

use super::published::{self, Row};
use crate::summary::Summary;

const PAGE: &str = include_str!("assets/page.html");

/// What is put where; each place is there once.
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
    let page = PARTS.iter().fold(PAGE.to_owned(), |page, (place, part)| {
        page.replacen(place, part, 1)
    });
    // Last, so that nothing in the figures is taken for a place.
    Ok(page
        .replacen("TITLE", &element(&campaign.campaign.name), 1)
        .replacen("/*DATA*/", &script(&figures), 1))
}

/// JSON that cannot end its script element, nor a line of a script.
fn script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn element(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_there_once() {
        for (place, part) in PARTS.iter().chain(&[("TITLE", ""), ("/*DATA*/", "")]) {
            assert_eq!(PAGE.matches(place).count(), 1, "{place}");
            assert!(!part.contains("</script"), "{place}");
        }
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
