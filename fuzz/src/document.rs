//! XML that people write, and variables in it.
use dunlin_document::{Document, Element, Limits, Problem, Problems, Sources, Variables};

/// Lines `NAME=value` up to a NUL are variables, the rest is XML. Each place can be shown, memory
/// stays in proportion to the bytes, and what variables put in stays within its bound.
pub fn document(data: &[u8]) {
    let info = allocation_counter::measure(|| read(data));
    let most = 600 * data.len() as u64 + (1 << 20);
    assert!(info.bytes_max <= most, "{} bytes", info.bytes_max);
}

fn read(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let first = parts.next().unwrap_or_default();
    let (lines, xml) = match parts.next() {
        Some(xml) => (first, xml),
        None => (&[][..], first),
    };
    let mut variables = Variables::default();
    for line in String::from_utf8_lossy(lines).lines() {
        if let Some((name, value)) = line.split_once('=') {
            variables.give(name, value);
        }
    }
    let mut sources = Sources::default();
    let mut problems = Problems::new(20);
    let text = String::from_utf8_lossy(xml);
    let limits = Limits::default();
    let read = Document::parse(&mut sources, "a.xml", text, &limits, &mut problems);
    assert_eq!(read.is_none(), problems.has_errors());
    if let Some(mut document) = read {
        let before = bytes(document.root(), &sources, &mut problems);
        document.expand(&sources, &mut variables, &mut problems);
        let after = bytes(document.root(), &sources, &mut problems);
        assert!(after <= before + Variables::TOTAL_BYTES);
    }
    let shown = problems.render(&sources);
    assert!(shown.lines().all(|line| line.len() < 8192), "{shown}");
    assert!(!shown.contains('\u{1b}'));
}

/// The bytes of all texts. Each element is reported, so that each place is shown.
fn bytes(element: Element<'_>, sources: &Sources, problems: &mut Problems) -> usize {
    assert_eq!(element.path().split('/').last(), Some(element.name()));
    assert!(sources.slice(element.span()).ends_with(element.name()));
    problems.push(Problem::warning(element.text_span(), element.name()));
    let own = element.text().map_or(0, |text| text.text.len());
    let mut all = own;
    for attribute in element.attributes() {
        assert!(sources.slice(attribute.span).ends_with(attribute.name));
        problems.push(Problem::warning(attribute.value.span, attribute.value.text));
        all += attribute.value.text.len();
    }
    let children = element.children();
    all + children
        .map(|child| bytes(child, sources, problems))
        .sum::<usize>()
}
