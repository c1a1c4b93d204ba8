//! Documents, their problems and variables as those see them who read files with them.

use dunlin_document::{Document, Limits, Problem, Problems, Sources, Span, Variables};

struct Load {
    sources: Sources,
    problems: Problems,
    document: Option<Document>,
}

fn load(text: &str) -> Load {
    load_within(text, &Limits::default())
}

fn load_within(text: &str, limits: &Limits) -> Load {
    let mut sources = Sources::default();
    let mut problems = Problems::new(20);
    let document = Document::parse(&mut sources, "a.xml", text, limits, &mut problems);
    Load {
        sources,
        problems,
        document,
    }
}

impl Load {
    fn text(&self) -> String {
        self.problems.render(&self.sources)
    }
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let load = load(text);
    assert!(load.document.is_none());
    assert!(load.problems.has_errors());
    assert_eq!(load.text(), expected);
}

#[test]
fn elements_attributes_and_texts_have_places() {
    let text = "<?xml version=\"1.0\"?>\n<!-- first -->\n<dds xmlns:x=\"urn:x\" x:a=\"1\">\n  \
                <t:kind xmlns:t='urn:t' a = '&lt;2&gt;'>\n  A <!-- between --> B&amp;C\n</t:kind>\n\
                <empty/><empty></empty></dds>\n";
    let load = load(text);
    let document = load.document.as_ref().unwrap();
    let root = document.root();
    assert_eq!((root.name(), root.path().as_str()), ("dds", "dds"));
    assert!(root.attribute("a").is_none(), "it has a prefix");
    let first = root.attributes().next().unwrap();
    assert_eq!((first.name, first.namespace), ("a", Some("urn:x")));
    let kind = root.child("kind").unwrap();
    assert_eq!(kind.path(), "dds/kind");
    assert_eq!(load.sources.slice(kind.span()), "t:kind");
    assert_eq!(load.sources.location(kind.span()).to_string(), "a.xml:4:4");
    let attribute = kind.attribute("a").unwrap();
    assert_eq!(attribute.text, "<2>");
    assert_eq!(load.sources.slice(attribute.span), "&lt;2&gt;");
    let value = kind.text().unwrap();
    assert_eq!(value.text, "A  B&C");
    assert_eq!(load.sources.slice(value.span), "A <!-- between --> B&amp;C");
    assert_eq!(root.children().count(), 3);
    assert!(root.child("empty").unwrap().text().is_none());
    assert_eq!(load.text(), "");
}

#[test]
fn the_printed_form_is_that_of_compilers() {
    let text = "<route>\n\t<input participant=\"domian0\">\n</input><domain0/>\n</route>";
    let mut load = load(text);
    let document = load.document.take().unwrap();
    let input = document.root().child("input").unwrap();
    let at = input.attribute("participant").unwrap().span;
    let problem = Problem::error(
        at,
        "participant \"domian0\" is not one of this domain route's",
    )
    .help("did you mean \"domain0\"?".to_owned())
    .help_at(document.root().child("domain0").unwrap().span())
    .note(document.root().span(), "of this one");
    load.problems.push(problem);
    load.problems.push(Problem::warning(None, "first"));
    let expected = "\
warning: first
a.xml:2:22: error: participant \"domian0\" is not one of this domain route's
    2 |  <input participant=\"domian0\">
      |                      ^~~~~~~ did you mean \"domain0\"? (a.xml:3)
a.xml:1:2: note: of this one
    1 | <route>
      |  ^~~~~
";
    assert_eq!(load.text(), expected);
}

#[test]
fn hostile_text_is_harmless_on_a_terminal() {
    let load = load(&format!("<a>{}\u{9b}31m\u{202e}&b;</a>", "x".repeat(500)));
    let text = load.text();
    assert!(text.contains("\\u{9b}31m\\u{202e}&b;"), "{text}");
    assert!(text.lines().all(|line| line.len() < 250), "{text}");
    let mark = text.lines().nth(2).unwrap().find('^').unwrap();
    assert!(
        text.lines().nth(1).unwrap()[mark..].starts_with("&b;"),
        "{text}"
    );
}

#[test]
fn what_is_not_well_formed_is_shown() {
    refused(
        "<a>\n  <b></c>\n</a>",
        "\
a.xml:2:6: error: the element \"b\" is open, and \"c\" ends here
    2 |   <b></c>
      |      ^
",
    );
    refused(
        "<a>\n <b>\n",
        "\
a.xml:2:5: error: the file ends within an element
    2 |  <b>
      |     ^
",
    );
    refused(
        "<a x='1' x='2'/>",
        "\
a.xml:1:10: error: the attribute \"x\" is there twice
    1 | <a x='1' x='2'/>
      |          ^
",
    );
    refused(
        "<a>&nbsp;</a>",
        "\
a.xml:1:4: error: unknown entity \"nbsp\": there are &amp; &lt; &gt; &apos; &quot; and &#n;
    1 | <a>&nbsp;</a>
      |    ^
",
    );
    refused(
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>\n<a/>",
        "\
a.xml:1:1: error: a document type definition (DTD) is not read: leave it out
    1 | <!DOCTYPE a SYSTEM 'file:///etc/passwd'>
      | ^
",
    );
}

#[test]
fn limits_are_kept_and_named() {
    let limits = Limits {
        file_bytes: 2000,
        total_bytes: 3000,
        depth: 3,
        attributes: 4,
        namespaces: 2,
        nodes: 20,
        text_bytes: 100,
    };
    let fine = [
        "<a><b><c/></b></a>".to_owned(),
        "<a a='=' b='>' c='' d=''/>".to_owned(),
        format!("<a>{}</a>", "<b/>".repeat(17)),
        format!("<a b='{}'/>", "x".repeat(100)),
        "<a xmlns='u' xmlns:b='v'/>".to_owned(),
    ];
    for text in &fine {
        let load = load_within(text, &limits);
        assert!(load.document.is_some(), "{}", load.text());
    }
    let too_much = [
        ("<a><b><c><d/></c></b></a>".to_owned(), "3 deep"),
        ("<a a='' b='' c='' d='' e=''/>".to_owned(), "4 attributes"),
        (format!("<a>{}</a>", "<b/>".repeat(21)), "too many elements"),
        (format!("<a>{}</a>", "x".repeat(101)), "100 bytes"),
        (format!("<a b='{}'/>", "x".repeat(101)), "100 bytes"),
        (
            "<a xmlns='u'><b xmlns='v' xmlns:c='w'/></a>".to_owned(),
            "2 namespaces",
        ),
        (format!("<a>{}</a>", " ".repeat(2000)), "2000 bytes"),
    ];
    for (text, words) in &too_much {
        let load = load_within(text, &limits);
        assert!(load.document.is_none(), "{text}");
        assert!(load.text().contains(words), "{}", load.text());
    }
    let mut sources = Sources::default();
    let mut problems = Problems::new(20);
    let text = " ".repeat(1600);
    assert!(
        sources
            .add("a", text.as_str(), &limits, &mut problems)
            .is_some()
    );
    assert!(
        sources
            .add("b", text.as_str(), &limits, &mut problems)
            .is_none()
    );
    assert!(problems.render(&sources).contains("all files together"));
}

#[test]
fn what_would_take_long_is_refused_at_once() {
    let namespaces: String = (0..40_000)
        .map(|n| format!(" x{n}='' xmlns:n{n}='u'"))
        .collect();
    for text in [
        "<a>".repeat(200_000),
        format!("<a{namespaces}/>"),
        "<a xmlns:a='b'>".repeat(60_000),
        "<a b='".repeat(100_000),
        "<!--".repeat(200_000),
        "&#38;".repeat(200_000),
        "<".repeat(1 << 20),
    ] {
        assert!(load(&text).document.is_none());
    }
}

#[test]
fn there_are_at_most_so_many_and_errors_go_first() {
    let load = load("<a/>");
    let span = load.document.as_ref().unwrap().root().span();
    let mut problems = Problems::new(2);
    problems.push(Problem::warning(span, "w1"));
    problems.push(Problem::warning(span, "w2"));
    problems.push(Problem::warning(span, "w3"));
    assert!(!problems.has_errors());
    problems.push(Problem::error(span, "e1"));
    problems.push(Problem::error(span, "e2"));
    problems.push(Problem::error(span, "e3"));
    assert_eq!((problems.errors(), problems.warnings()), (3, 3));
    let kept: Vec<_> = problems.sorted().iter().map(|p| &*p.message).collect();
    assert_eq!(kept, ["e1", "e2"]);
    assert!(problems.render(&load.sources).ends_with("... and 4 more\n"));
}

#[test]
fn files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.xml");
    let mut sources = Sources::default();
    let mut problems = Problems::new(20);
    let limits = Limits::default();
    std::fs::write(&path, "\u{feff}<a/>").unwrap();
    let document = Document::read(&mut sources, &path, &limits, &mut problems).unwrap();
    assert_eq!(sources.location(document.root().span()).column, 2);
    std::fs::write(&path, b"<a>\n\xff</a>").unwrap();
    assert!(sources.read(&path, &limits, &mut problems).is_none());
    assert!(
        sources
            .read(folder.path(), &limits, &mut problems)
            .is_none()
    );
    let nowhere = folder.path().join("b.xml");
    assert!(sources.read(&nowhere, &limits, &mut problems).is_none());
    let text = problems.render(&sources);
    for words in [
        "line 2 is not UTF-8",
        "no regular file",
        "cannot be read",
        "b.xml",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn variables_are_put_in_once() {
    let text = "<a p='x$(A)y$(B)'>$(C)<configuration_variables><b>$(D)</b>\
                </configuration_variables></a>";
    let mut load = load(text);
    let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let environment = [of("A", "environment"), of("B", "$(A)")];
    let mut variables = Variables::with_environment(environment);
    variables.give("A", "given");
    variables.default_value("B", "never");
    variables.default_value("C", "default");
    variables.default_value("C", "second");
    let mut document = load.document.take().unwrap();
    document.expand(&load.sources, &mut variables, &mut load.problems);
    assert_eq!(load.text(), "");
    let root = document.root();
    assert_eq!(root.attribute("p").unwrap().text, "xgiveny$(A)");
    assert_eq!(root.text().unwrap().text, "default");
    let inner = root.child("configuration_variables").unwrap();
    assert_eq!(inner.child("b").unwrap().text().unwrap().text, "$(D)");
}

#[test]
fn variables_that_cannot_be_are_shown() {
    let text = "<a p='$(SIZF)' q='$(' r='$()'>&amp; $(BIG)</a>";
    let mut load = load(text);
    let mut variables = Variables::default();
    variables.default_value("SIZE", "1");
    variables.give("BIG", "x".repeat(5000));
    let mut document = load.document.take().unwrap();
    document.expand(&load.sources, &mut variables, &mut load.problems);
    let expected = "\
a.xml:1:7: error: variable \"SIZF\" is not defined: set it in the environment, or give it a default \
                    in <configuration_variables>
    1 | <a p='$(SIZF)' q='$(' r='$()'>&amp; $(BIG)</a>
      |       ^~~~~~~ did you mean \"SIZE\"?
a.xml:1:19: error: a variable has no end: write $(NAME)
    1 | <a p='$(SIZF)' q='$(' r='$()'>&amp; $(BIG)</a>
      |                   ^~
a.xml:1:26: error: \"\" is no name of a variable
    1 | <a p='$(SIZF)' q='$(' r='$()'>&amp; $(BIG)</a>
      |                          ^~~ names have letters, digits and _
a.xml:1:37: error: the value of variable \"BIG\" has 5000 bytes, at most 4096 are taken
    1 | <a p='$(SIZF)' q='$(' r='$()'>&amp; $(BIG)</a>
      |                                     ^~~~~~
";
    assert_eq!(load.text(), expected);
}

#[test]
fn variables_have_a_bound_together() {
    let text = format!("<a>{}</a>", "$(A)".repeat(17));
    let mut load = load(&text);
    let mut variables = Variables::default();
    variables.give("A", "x".repeat(4096));
    let mut document = load.document.take().unwrap();
    document.expand(&load.sources, &mut variables, &mut load.problems);
    assert!(load.text().contains("65536 bytes"), "{}", load.text());
}

#[test]
fn other_formats_share_places_and_problems() {
    let mut sources = Sources::default();
    let mut problems = Problems::new(20);
    let text = "name = 1\r\nnäme = 2\r\n";
    let limits = Limits::default();
    let id = sources.add("a.toml", text, &limits, &mut problems).unwrap();
    problems.push(Problem::error(Span::new(id, 18..19), "no text"));
    let expected = "a.toml:2:8: error: no text\n    2 | näme = 2\n      |        ^\n";
    assert_eq!(problems.render(&sources), expected);
}
