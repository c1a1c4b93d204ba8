//! The type with everything in it, built at run time: with aliases, and with a base.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, TypeIndex, TypeTreeBuilder};

pub(crate) fn everything(extensibility: Extensibility) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let string = types.string(0);
    let color = types.string(64);
    let literals = [("Slow", -3), ("Fast", 500), ("Warp", 9)];
    let appendable = Extensibility::Appendable;
    let mode = types.enumeration("Mode", appendable, 16, &literals, Some(500));
    let text = types.alias("Text", string);
    let point = types
        .structure("Point", Extensibility::Final)
        .member("x", TypeIndex::INT64)
        .member("name", text)
        .member("weight", TypeIndex::FLOAT64)
        .optional()
        .finish();
    let tagged = types
        .structure("Tagged", Extensibility::Mutable)
        .member("tag", TypeIndex::UINT16)
        .id(40)
        .member("note", string)
        .optional()
        .finish();
    let numbers = types.sequence(TypeIndex::INT32, 0);
    let selector = types.alias("Selector", TypeIndex::INT16);
    let pick = types
        .union("Pick", appendable, selector)
        .case("Byte", TypeIndex::UINT8, &[-1])
        .case("Point", point, &[0])
        .case("Numbers", numbers, &[7])
        .case_without_value("Nothing", &[100])
        .default()
        .finish();
    let other = types
        .union("Other", Extensibility::Mutable, mode)
        .case("Text", string, &[-3])
        .case("Level", TypeIndex::UINT64, &[9])
        .finish();
    let raw = types.sequence(TypeIndex::BYTE, 0);
    let points = types.sequence(point, 0);
    let grid = types.array(TypeIndex::UINT16, &[3, 2]);
    let names = types.array(text, &[2, 2]);
    let pair = types.array(string, &[2]);
    let pairs = types.sequence(pair, 0);
    let map = types.map(string, TypeIndex::UINT32, 0);
    let base = types
        .structure("Base", extensibility)
        .member("color", color)
        .key()
        .member("small", TypeIndex::UINT8)
        .member("signed", TypeIndex::INT16)
        .member("size", TypeIndex::INT32)
        .member("huge", TypeIndex::UINT64)
        .finish();
    let middle = types
        .structure("Middle", extensibility)
        .base(base)
        .member("flag", TypeIndex::BOOLEAN)
        .member("letter", TypeIndex::CHAR8)
        .member("single", TypeIndex::FLOAT32)
        .member("double", TypeIndex::FLOAT64)
        .member("mode", mode)
        .member("raw", raw)
        .finish();
    let everything = types
        .structure("Everything", extensibility)
        .base(middle)
        .member("point", point)
        .member("maybe", point)
        .optional()
        .member("tagged", tagged)
        .member("pick", pick)
        .member("other", other)
        .member("points", points)
        .member("grid", grid)
        .member("names", names)
        .member("pairs", pairs)
        .member("map", map)
        .member("boxed", tagged)
        .external()
        .member("last", TypeIndex::UINT32)
        .finish();
    let root = types.alias("Root", everything);
    types.build(root).expect("it is a type")
}
