//! A look at XML before it is parsed: what the parser would need much time or memory for is
//! refused here.

use crate::Limits;

/// What a text has too much of, and the byte at which it is.
pub(crate) struct Excess {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Nesting, attributes and namespaces within their limits, and no DTD. What is not well-formed is
/// left to the parser, which stops there as well.
pub(crate) fn check(text: &str, limits: &Limits) -> Result<(), Excess> {
    let (mut at, mut depth, mut namespaces) = (0, 0_usize, 0_usize);
    while let Some(begin) = find(text, at, "<") {
        let rest = text.get(begin..).unwrap_or_default();
        let ends = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let end = ends.iter().find(|(start, _)| rest.starts_with(start));
        let excess = |message| Err(Excess { at: begin, message });
        if let Some((start, end)) = end {
            let Some(found) = find(text, begin + start.len(), end) else {
                return Ok(());
            };
            at = found + end.len();
        } else if rest.starts_with("<!") {
            return excess("a document type definition (DTD) is not read: leave it out".into());
        } else if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
            at = begin + 2;
        } else {
            let tag = Tag::of(rest);
            namespaces += tag.namespaces;
            if tag.attributes > limits.attributes {
                let most = limits.attributes;
                return excess(format!("an element has more than {most} attributes"));
            }
            if namespaces > limits.namespaces {
                let most = limits.namespaces;
                return excess(format!(
                    "more than {most} namespaces are declared in a file"
                ));
            }
            if depth >= limits.depth {
                let most = limits.depth;
                return excess(format!("elements are nested more than {most} deep"));
            }
            depth += usize::from(!tag.is_empty);
            at = begin + tag.length;
        }
    }
    Ok(())
}

struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
    is_empty: bool,
}

impl Tag {
    /// Of a text that begins with it.
    fn of(text: &str) -> Self {
        let mut tag = Self {
            length: text.len(),
            attributes: 0,
            namespaces: 0,
            is_empty: false,
        };
        let mut quote = None;
        let mut previous = 0;
        for (at, byte) in text.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                // Each declaration begins with `xmlns`; other names with an x count as well.
                (None, b'x') if rest_is_xmlns(text, at) => tag.namespaces += 1,
                (None, b'>') => {
                    tag.is_empty = previous == b'/';
                    tag.length = at + 1;
                    break;
                }
                (None, _) => {}
            }
            previous = byte;
        }
        tag
    }
}

fn rest_is_xmlns(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with("xmlns"))
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    let found = text.get(from..)?.find(what)?;
    Some(from + found)
}
