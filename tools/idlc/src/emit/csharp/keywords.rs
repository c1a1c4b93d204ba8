//! Words of C#.

/// Those that are no names, and those that are none in some places.
#[rustfmt::skip]
pub(super) const WORDS: &[&str] = &[
    "abstract", "add", "alias", "as", "ascending", "async", "await", "base", "bool", "break", "by",
    "byte", "case", "catch", "char", "checked", "class", "const", "continue", "decimal", "default",
    "delegate", "descending", "do", "double", "dynamic", "else", "enum", "equals", "event", "explicit",
    "extern", "false", "field", "file", "finally", "fixed", "float", "for", "foreach", "from", "get",
    "global", "goto", "group", "if", "implicit", "in", "init", "int", "interface", "internal", "into",
    "is", "join", "let", "lock", "long", "managed", "nameof", "namespace", "new", "nint", "not",
    "notnull", "nuint", "null", "object", "on", "operator", "or", "orderby", "out", "override",
    "params", "partial", "private", "protected", "public", "readonly", "record", "ref", "remove",
    "required", "return", "sbyte", "scoped", "sealed", "select", "set", "short", "sizeof",
    "stackalloc", "static", "string", "struct", "switch", "this", "throw", "true", "try", "typeof",
    "uint", "ulong", "unchecked", "unmanaged", "unsafe", "ushort", "using", "value", "var", "virtual",
    "void", "volatile", "when", "where", "while", "with", "yield",
];

/// What classes have beside the members of IDL, so that no property is called so.
#[rustfmt::skip]
pub(super) const TAKEN: &[&str] = &[
    "Clone", "CopyFrom", "Discriminator", "Equals", "Finalize", "FromBits", "GetHashCode", "GetType",
    "MemberwiseClone", "ReferenceEquals", "ToBits", "ToString",
];

/// What classes of unions have beside that.
pub(super) const TAKEN_IN_UNIONS: &[&str] = &["Begin", "CaseOf", "Select"];

/// Parameters and variables of the methods of classes, which would hide a property.
pub(super) const LOCAL: &[&str] = &["bits", "discriminator", "hash", "made", "other", "selected"];
