//! What things are called in Java.

use dunlin_xtypes::{DynamicType, Element, TypeKind};

use super::LIBRARY;
use crate::emit::Unit;

/// Words of Java that are no names, or no names of types.
#[rustfmt::skip]
pub(super) const KEYWORDS: &[&str] = &[
    "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class",
    "const", "continue", "default", "do", "double", "else", "enum", "extends", "false", "final",
    "finally", "float", "for", "goto", "if", "implements", "import", "instanceof", "int",
    "interface", "java", "long", "native", "new", "null", "package", "permits", "private",
    "protected", "public", "record", "return", "sealed", "short", "static", "strictfp", "super",
    "switch", "synchronized", "this", "throw", "throws", "transient", "true", "try", "var", "void",
    "volatile", "when", "while", "yield",
];

/// The classes of `java.lang`, which are there without an import: they hide packages of their names.
#[rustfmt::skip]
const LANG: &[&str] = &[
    "AbstractMethodError", "Appendable", "ArithmeticException", "ArrayIndexOutOfBoundsException",
    "ArrayStoreException", "AssertionError", "AutoCloseable", "Boolean", "BootstrapMethodError",
    "Byte", "CharSequence", "Character", "Class", "ClassCastException", "ClassCircularityError",
    "ClassFormatError", "ClassLoader", "ClassNotFoundException", "ClassValue",
    "CloneNotSupportedException", "Cloneable", "Comparable", "Deprecated", "Double", "Enum",
    "EnumConstantNotPresentException", "Error", "Exception", "ExceptionInInitializerError",
    "Float", "FunctionalInterface", "IO", "IllegalAccessError", "IllegalAccessException",
    "IllegalArgumentException", "IllegalCallerException", "IllegalMonitorStateException",
    "IllegalStateException", "IllegalThreadStateException", "IncompatibleClassChangeError",
    "IndexOutOfBoundsException", "InheritableThreadLocal", "InstantiationError",
    "InstantiationException", "Integer", "InternalError", "InterruptedException", "Iterable",
    "LayerInstantiationException", "LinkageError", "Long", "MatchException", "Math", "Module",
    "ModuleLayer", "NegativeArraySizeException", "NoClassDefFoundError", "NoSuchFieldError",
    "NoSuchFieldException", "NoSuchMethodError", "NoSuchMethodException", "NullPointerException",
    "Number", "NumberFormatException", "Object", "OutOfMemoryError", "Override", "Package",
    "Process", "ProcessBuilder", "ProcessHandle", "Readable", "Record",
    "ReflectiveOperationException", "Runnable", "Runtime", "RuntimeException",
    "RuntimePermission", "SafeVarargs", "ScopedValue", "SecurityException", "SecurityManager",
    "Short", "StableValue", "StackOverflowError", "StackTraceElement", "StackWalker",
    "StrictMath", "String", "StringBuffer", "StringBuilder", "StringIndexOutOfBoundsException",
    "SuppressWarnings", "System", "Thread", "ThreadDeath", "ThreadGroup", "ThreadLocal",
    "Throwable", "TypeNotPresentException", "UnknownError", "UnsatisfiedLinkError",
    "UnsupportedClassVersionError", "UnsupportedOperationException", "VerifyError",
    "VirtualMachineError", "Void", "WrongThreadException",
];

/// The package of a name of IDL, and what it is called in it. Types within a struct are beside it.
/// The package that the user chose has those of the modules in it.
pub(super) fn place(unit: &Unit<'_>, name: &str) -> (Vec<String>, String) {
    let (modules, local) = unit.split(name);
    let class = unit.word(&local);
    let modules = modules.iter().map(|one| unit.word(one));
    let package = unit.choices.java_package.parts().iter().cloned();
    let mut package: Vec<String> = package.chain(modules).collect();
    if let Some(root) = package.first_mut() {
        if LANG.contains(&root.as_str()) {
            *root = (unit.language.escape)(root);
        }
        // The class would hide the package that all names in it begin with.
        if *root == class {
            return (package, (unit.language.escape)(&class));
        }
    }
    (package, class)
}

/// The class of a type from anywhere.
pub(super) fn qualified(unit: &Unit<'_>, name: &str) -> String {
    let (mut parts, class) = place(unit, name);
    parts.push(class);
    parts.join(".")
}

/// A field. It may not hide the packages that the code names.
pub(super) fn member(unit: &Unit<'_>, name: &str) -> String {
    let package = unit.choices.java_package.parts().first();
    let is_root = unit.is_root(name) || package.is_some_and(|package| package == name);
    match name == "org" || name == "TYPE" || is_root {
        true => (unit.language.escape)(name),
        false => unit.word(name),
    }
}

/// A method; it may not be one that all objects have.
pub(super) fn method(unit: &Unit<'_>, name: &str) -> String {
    const TAKEN: &[&str] = &[
        "clone",
        "copy",
        "finalize",
        "getClass",
        "hashCode",
        "notify",
        "notifyAll",
        "toString",
        "wait",
    ];
    match TAKEN.contains(&name) {
        true => (unit.language.escape)(name),
        false => unit.word(name),
    }
}

/// `getName`, `setName`.
pub(super) fn accessor(verb: &str, name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|one| one.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    match &*name {
        // Those that all objects and unions have.
        "Class" | "Discriminator" => format!("{verb}{name}_"),
        _ => format!("{verb}{name}"),
    }
}

/// The word for numbers of a kind, and that for an object of one.
pub(super) fn number(kind: TypeKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        TypeKind::Boolean => ("boolean", "java.lang.Boolean"),
        TypeKind::Byte | TypeKind::Int8 | TypeKind::UInt8 => ("byte", "java.lang.Byte"),
        TypeKind::Int16 | TypeKind::UInt16 => ("short", "java.lang.Short"),
        TypeKind::Int32 | TypeKind::UInt32 => ("int", "java.lang.Integer"),
        TypeKind::Int64 | TypeKind::UInt64 => ("long", "java.lang.Long"),
        TypeKind::Float32 => ("float", "java.lang.Float"),
        TypeKind::Float64 => ("double", "java.lang.Double"),
        TypeKind::Char8 | TypeKind::Char16 => ("char", "java.lang.Character"),
        _ => return None,
    })
}

/// The class of a sequence of numbers; `None` if elements are objects.
pub(super) fn row(ty: &DynamicType) -> Option<&'static str> {
    let element = ty.at(ty.element()?.ty).resolved();
    Some(match element.kind() {
        TypeKind::Boolean => "BooleanSeq",
        TypeKind::Byte => "Octets",
        TypeKind::Int8 | TypeKind::UInt8 => "ByteSeq",
        TypeKind::Int16 | TypeKind::UInt16 => "ShortSeq",
        TypeKind::Int32 | TypeKind::UInt32 => "IntSeq",
        TypeKind::Int64 | TypeKind::UInt64 => "LongSeq",
        TypeKind::Float32 => "FloatSeq",
        TypeKind::Float64 => "DoubleSeq",
        TypeKind::Char8 | TypeKind::Char16 => "CharSeq",
        _ => return None,
    })
}

/// The type of a value.
pub(super) fn ty(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let ty = ty.resolved();
    match number(ty.kind()) {
        Some((word, _)) => word.into(),
        None => object(unit, &ty),
    }
}

/// The same where it has to be an object.
pub(super) fn object(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let ty = ty.resolved();
    if let Some((_, word)) = number(ty.kind()) {
        return word.into();
    }
    let part = |of: Option<Element>| of.map_or_else(String::new, |of| object(unit, &ty.at(of.ty)));
    match ty.kind() {
        TypeKind::Float128 => format!("{LIBRARY}.Float128"),
        TypeKind::String8 | TypeKind::String16 => "java.lang.String".into(),
        TypeKind::Sequence => match row(&ty) {
            Some(word) => format!("{LIBRARY}.{word}"),
            None => format!("{LIBRARY}.Seq<{}>", part(ty.element())),
        },
        TypeKind::Map => format!(
            "java.util.TreeMap<{}, {}>",
            part(ty.key_element()),
            part(ty.element())
        ),
        TypeKind::Array => {
            let of = ty.element().map(|of| self::ty(unit, &ty.at(of.ty)));
            let of = of.unwrap_or_default();
            format!("{of}{}", "[]".repeat(ty.dimensions().len()))
        }
        _ => qualified(unit, ty.name()),
    }
}
