use super::*;
use dunlin_idlc::{Options, parse_str};
use proptest::prelude::*;

/// The types of this name in IDL.
fn ends(idl: &str, input: &str, output: &str) -> Ends {
    let parsed = parse_str("t.idl", idl, &Options::default());
    let model = parsed.model.unwrap();
    let of = |name: &str| model.tree.types().find(|ty| ty.name() == name).unwrap();
    Ends {
        input: of(input),
        output: of(output),
    }
}

const IDL: &str = "enum Mode { OFF, ON };\n\
                   struct Point { int32 x; int32 y; };\n\
                   struct In { @key string color; Point at; sequence<int16> list; Mode mode; char one; };\n\
                   struct Out { @key string<8> name; double height; Mode mode; int64 stamp; char one; \
                   boolean is_good; sequence<int16> list; };";

fn compiled(all: &[(&str, &str)]) -> Result<Mapping, String> {
    let own = |(target, origin): &(&str, &str)| ((*target).to_owned(), (*origin).to_owned());
    compile(&all.iter().map(own).collect(), &ends(IDL, "In", "Out"))
}

#[test]
fn assignments_are_members_literals_enumerators_and_the_time() {
    let mapping = compiled(&[
        ("name", "color"),
        ("height", "at.y"),
        ("mode", "ON"),
        ("stamp", "@now"),
        ("one", "'x'"),
        ("is_good", "TRUE"),
    ]);
    let mapping = mapping.unwrap();
    assert!(mapping.tells_time() && mapping.maps_keys());
    compiled(&[("mode", "'OFF'"), ("height", "-2.5e3"), ("stamp", "0x10")]).unwrap();
    compiled(&[("name", "\"it's\""), ("height", "list[0]")]).unwrap();
}

#[test]
fn what_is_wrong_is_shown_where_it_is() {
    for (target, origin, expected) in [
        (
            "name",
            "colour",
            "map: no member \"colour\" in struct In; did you mean \"color\"?\n  \
             name = colour\n         ^~~~~~",
        ),
        (
            "heigth",
            "5",
            "map: no member \"heigth\" in struct Out; did you mean \"height\"?\n  \
             heigth = 5\n  ^~~~~~",
        ),
        (
            "height",
            "at.z",
            "map: no member \"z\" in struct Point; it has x, y\n  height = at.z\n              ^",
        ),
        (
            "name",
            "at",
            "map: struct Point does not fit string<8>\n  name = at\n         ^~",
        ),
        (
            "stamp",
            "'later'",
            "map: the value does not fit int64\n  stamp = 'later'\n          ^~~~~~~",
        ),
        (
            "mode",
            "'BROKEN'",
            "map: \"BROKEN\" does not fit enum Mode\n  mode = 'BROKEN'\n         ^~~~~~~~",
        ),
        (
            "stamp",
            "@later",
            "map: there is no @later: there is @now\n  stamp = @later\n          ^~~~~~",
        ),
        (
            "name",
            "'open",
            "map: the text has no end: a quote is missing",
        ),
        ("height", "1x", "map: this is no number"),
        (
            "list[0]",
            "5",
            "map: a part of sequence<int16> cannot be assigned",
        ),
        ("height", "at[1]", "map: struct Point has no elements"),
        ("height", "at..x", "map: \"at.\" is no member path"),
        ("height", "", "map: a member, a literal or @now is missing"),
    ] {
        let error = compiled(&[(target, origin)]).unwrap_err();
        assert!(error.starts_with(expected), "{error}\nwanted:\n{expected}");
    }
}

#[test]
fn a_map_has_so_many_assignments() {
    let all = (0..=MOST).map(|n| (format!("m{n}"), "5".to_owned()));
    let error = check(&all.collect()).unwrap_err();
    assert!(error.contains("257 assignments, 256"), "{error}");
    let long = [("a".to_owned(), "x".repeat(LONGEST))];
    assert!(
        check(&long.into())
            .unwrap_err()
            .contains("1025 bytes, 1024")
    );
}

proptest! {
    #[test]
    fn whatever_is_written_is_compiled_or_explained(
        target in "[a-z.\\[\\]0-9é]{0,12}", origin in ".{0,16}",
    ) {
        let ends = ends(IDL, "In", "Out");
        for all in [
            [(target.clone(), origin.clone())],
            [("height".to_owned(), origin)],
            [(target, "color".to_owned())],
        ] {
            if let Err(error) = compile(&all.into(), &ends) {
                prop_assert!(error.starts_with("map: ") && error.len() < 1000, "{}", error);
            }
        }
    }
}
