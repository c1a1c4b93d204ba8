//! The codes of all reports, and a page for each.

use super::{Page, Severity};

/// The code of a report: `E0607`. The first two digits are its group: 01 lexical, 02 preprocessor,
/// 03 syntax, 04 names, 05 constants, 06 types, 07 annotations, 08 limits, 09 code that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    text: &'static str,
    is_strict: bool,
}

impl Code {
    /// The code as text.
    pub fn text(self) -> &'static str {
        self.text
    }

    /// An error for compilers that follow the letter, and so with `--strict`.
    pub fn is_strict(self) -> bool {
        self.is_strict
    }

    /// How serious it usually is: `E`, `W` and `N` are errors, warnings and notes.
    pub fn severity(self) -> Severity {
        match self.text.as_bytes().first() {
            Some(b'E') => Severity::Error,
            Some(b'W') => Severity::Warning,
            _ => Severity::Note,
        }
    }
}

macro_rules! codes {
    ($($name:ident $code:literal $is_strict:literal $title:literal $text:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: Code = Code { text: $code, is_strict: $is_strict };
        )*

        pub(super) const PAGES: &[Page] = &[$(Page { code: $name, title: $title, text: $text },)*];
    };
}

codes! {
    OPEN_COMMENT "E0101" false
        "a comment does not end"
        "`/*` needs a `*/`. Comments do not nest: the first `*/` ends it.";
    OPEN_LITERAL "E0102" false
        "a string or character does not end on its line"
        "Close it with the quote that it began with. Strings that stand beside each other are \
         joined, so a long one can be written in several lines: \"one \" \"two\".";
    STRAY_CHARACTER "E0103" false
        "a character that begins no word of IDL"
        "Names have ASCII letters, digits and `_`. Other characters belong into comments and \
         strings.";
    BAD_NUMBER "E0104" false
        "a number that is none"
        "Integers are 10, 012 (octal) or 0xA; floating point numbers 1.0, 1e3, 1.5d. A number \
         that begins with 0 is octal, so 08 is none.";
    BAD_ESCAPE "E0105" false
        "an escape sequence that there is not"
        "There are \\n \\t \\v \\b \\r \\f \\a \\\\ \\? \\' \\\" \\ooo \\xhh \\uhhhh. IDL 4.2 \
         7.2.6.2.";
    BAD_CHARACTER "E0106" false
        "a character that does not fit its type"
        "A char is one byte, 'a' or '\\xe9'; a wchar one UTF-16 unit, L'a'.";
    BAD_STRING "E0107" false
        "a string that cannot be"
        "A string has no NUL within it, and a string is not joined with a wide one.";
    NOT_UTF8 "W0108" false
        "the file is not UTF-8"
        "IDL files are read as UTF-8. Bytes that are none are taken for Latin-1; they may stand \
         in comments and strings only.";
    BOOLEAN_CASE "W0109" true
        "a boolean in lower case"
        "The booleans of IDL are TRUE and FALSE. Others are taken here, and refused with \
         --strict.";
    UNREADABLE "E0201" false
        "a file cannot be read"
        "The file that was named on the command line is not there, or may not be read.";
    NO_FILE "E0202" false
        "an included file is not there"
        "`#include \"f\"` looks in the directory of the file that includes, then in those of -I \
         in their order; `#include <f>` in those of -I only.";
    BAD_INCLUDE "E0203" false
        "an #include without a name"
        "Write #include \"file.idl\" or #include <file.idl>.";
    BAD_DEFINE "E0204" false
        "a #define or #undef that cannot be"
        "#define NAME text, or #define NAME(a, b) text with no space in front of the parenthesis. \
         Behind # stands a parameter; on both sides of ## a token.";
    BAD_PASTE "E0205" false
        "## makes no token"
        "What ## joins has to be one name, number or operator.";
    MACRO_ARGUMENTS "E0206" false
        "the arguments of a macro are wrong"
        "A macro takes as many arguments as it has parameters; a comma within parentheses does \
         not separate them.";
    MACRO_CHANGED "W0207" false
        "a macro gets another meaning"
        "The same name is defined twice with different texts. Write #undef in front if it is \
         meant.";
    BAD_CONDITION "E0208" false
        "a condition that cannot be computed"
        "#if and #elif take integers, characters, defined(NAME) and the operators of C. A name \
         that is no macro is 0.";
    OPEN_CONDITION "E0209" false
        "a condition has no #endif"
        "Each #if, #ifdef and #ifndef needs an #endif in the same file.";
    WITHOUT_IF "E0210" false
        "#elif, #else or #endif at a wrong place"
        "They belong to an #if in the same file; behind #else comes #endif.";
    UNKNOWN_DIRECTIVE "E0211" false
        "a directive that there is not"
        "There are include, define, undef, if, elif, else, endif, ifdef, ifndef, error, warning, \
         line, pragma.";
    ERROR_DIRECTIVE "E0212" false
        "the file says #error"
        "The file itself refuses to be read like this: often a macro is missing that -D sets.";
    WARNING_DIRECTIVE "W0213" false
        "the file says #warning"
        "The file itself warns.";
    BAD_LINE "E0214" false
        "a #line without a number"
        "Write #line 12 \"file.idl\".";
    BAD_PRAGMA "E0215" false
        "a pragma about keys or topics is wrong"
        "#pragma keylist TYPE member member.inner, #pragma DCPS_DATA_TYPE \"TYPE\" and #pragma \
         DCPS_DATA_KEY \"TYPE member\" name a struct and members of it.";
    UNKNOWN_PRAGMA "W0216" false
        "a pragma that is not known"
        "It has no effect. Known are keylist, DCPS_DATA_TYPE and DCPS_DATA_KEY; prefix, ID, \
         version and once are passed over.";
    KEYLIST_IGNORED "W0217" false
        "a list of keys has no effect"
        "The struct has members with @key, and those count.";
    UNEXPECTED "E0301" false
        "something else should be here"
        "The report says what. The rest of the declaration is passed over; reading goes on behind \
         its `;`.";
    NO_SEMICOLON "E0302" false
        "`;` is missing"
        "Each declaration ends with `;`: also structs, enums and modules, behind their `}`.";
    KEYWORD "E0303" false
        "a keyword cannot be a name"
        "Write `_` in front: `_struct` is the name `struct`, also on the wire. IDL 4.2 7.2.3.2.";
    UNUSED_KEYWORD "W0304" true
        "a keyword that DDS does not use is a name"
        "Words like port, home and context are keywords of parts of IDL that DDS does not use. \
         They are taken as names here; other compilers refuse them, and --strict does.";
    TRAILING_COMMA "W0305" true
        "a comma behind the last one"
        "IDL has commas between literals only. It is taken here; --strict refuses it.";
    EQUAL_VALUE "E0306" false
        "`=` gives no value"
        "In IDL a literal gets its value by @value(n) in front of it, the flag of a bitmask its \
         position by @position(n).";
    INNER_TYPE "W0307" true
        "a definition at a place where IDL has none"
        "A type that is defined within a struct, or where it is used, is taken here. Other \
         compilers refuse it, and --strict does.";
    C_STYLE "E0308" false
        "`struct` in front of a type's name"
        "In C one writes `struct Point p`, in IDL `Point p`.";
    SKIPPED "W0309" false
        "something that DDS does not use is skipped"
        "native, valuetype, component and their kin belong to CORBA.";
    EMPTY_MODULE "W0310" false
        "a module has nothing in it"
        "The grammar of IDL wants at least one definition; other compilers refuse an empty \
         module.";
    STRAY_COMMENT "W0311" false
        "an annotation in a comment stands behind no declaration"
        "Comments like //@key belong behind the `;` of a member, a struct or a module.";
    UNKNOWN_NAME "E0401" false
        "a name is not known"
        "Names are looked for from the inner scope outwards; `::A::B` begins with the outermost. \
         A name has to be declared in front of its use.";
    DUPLICATE_NAME "E0402" false
        "a name is declared twice"
        "In one scope a name means one thing. The literals of an enum are in the scope around it, \
         too.";
    NEAR_KEYWORD "W0403" true
        "a name differs from a keyword by case alone"
        "IDL 4.2 7.2.3 makes Map or String no names. They are taken here; other compilers refuse \
         them, and --strict does. A `_` in front helps.";
    NEAR_NAME "W0404" true
        "two names differ by case alone"
        "IDL 4.2 7.2.3 lets them collide. They are taken here; other compilers refuse them, and \
         --strict does.";
    LONG_NAME "E0405" false
        "a name is too long"
        "Names have at most 255 bytes, with all modules around them.";
    NO_TYPE "E0406" false
        "a name is no type"
        "The name means a module, a constant, a literal or an interface.";
    NO_CONSTANT "E0407" false
        "a name is no constant"
        "The name means a module or a type.";
    NEVER_DEFINED "E0408" false
        "a type is declared and never defined"
        "`struct N;` needs a definition in the same module. A type of another file is included, \
         not declared.";
    DUPLICATE_MEMBER "E0409" false
        "two members have one name"
        "Members differ by name, over all bases too.";
    OPERAND "E0501" false
        "an operator does not apply to its operands"
        "The operators | ^ & << >> ~ % are for integers, | ^ & ~ for flags of one bitmask; + - * \
         / for numbers.";
    MIXED "E0502" false
        "integers and floating point numbers do not mix"
        "IDL 4.2 7.4.1.4.3: write 2.0 in place of 2.";
    DIVISION_BY_ZERO "E0503" false
        "a division by zero"
        "The right side of / or % is 0.";
    SHIFT "E0504" false
        "a shift that is too far"
        "Shifts are from 0 to 63.";
    OVERFLOW "E0505" false
        "a value is too large to be computed"
        "Integers are computed in 128 bits, floating point numbers in the precision of long \
         double.";
    OUT_OF_RANGE "E0506" false
        "a value does not fit its type"
        "The report says what the type holds.";
    WRONG_KIND "E0507" false
        "a value is of another kind than its type"
        "A boolean is TRUE or FALSE, not 1; a string stands in \"\"; an enum takes one of its \
         literals.";
    CONSTANT_TYPE "E0508" false
        "a constant of a type that has none"
        "Constants are numbers, booleans, characters, strings, enums and bitmasks.";
    BAD_BOUND "E0509" false
        "a bound or dimension that cannot be"
        "Bounds and dimensions are from 1 to 4294967295. Without a bound, leave it out: \
         sequence<T>.";
    NO_ENCODING "E0601" false
        "a type has no encoding in DDS"
        "any, fixed, Object and ValueBase cannot be members.";
    DISCRIMINATOR "E0602" false
        "a union cannot be switched by this"
        "Integers, octet, char, wchar, boolean, enums, bitmasks and aliases of those can. IDL 4.2 \
         7.4.13.4.2.";
    DUPLICATE_LABEL "E0603" false
        "a label is there twice"
        "Each value selects one case, and there is one default.";
    USELESS_DEFAULT "E0604" false
        "nothing selects the default"
        "All values of the discriminator have a case. Leave out the default. IDL 4.2 \
         7.4.1.4.4.3.2.";
    NOTHING_IN_IT "E0605" false
        "a type has nothing in it"
        "A union has a case, an enum a literal, a bitmask a flag, a bitset a field. A struct may \
         be empty.";
    BAD_BASE "E0606" false
        "a base of another kind"
        "The base of a struct is a struct or an alias of one, that of a bitset a bitset.";
    CONTAINS_ITSELF "E0607" false
        "a type contains itself by value"
        "It would have no end. Make one of the members on the way a sequence, @optional or \
         @external.";
    INCOMPLETE "E0608" false
        "a type is used by value before it is defined"
        "A type that is only declared can stand in sequences and maps, and behind @optional and \
         @external. Or move its definition up.";
    BASE_EXTENSIBILITY "E0609" false
        "a struct grows otherwise than its base"
        "Base and derived struct have one extensibility. DDS-XTypes 1.3 7.2.2.4.5.";
    MAP_KEY "E0610" false
        "a map cannot have these keys"
        "Keys of maps are integers, booleans, characters, strings, enums.";
    BEYOND_BIT_BOUND "E0611" false
        "a literal or flag does not fit @bit_bound"
        "An enum of n bits has values from -2^(n-1) to 2^(n-1)-1, a bitmask positions from 0 to \
         n-1.";
    DUPLICATE_VALUE "E0612" false
        "two literals or flags have one value"
        "Values that are not given are one more than that before them.";
    BITSET_SIZE "E0613" false
        "a bitset has more than 64 bits"
        "Fields without a name count, too.";
    BITFIELD "E0614" false
        "a bitfield does not fit its type"
        "A bitfield has 1 to 64 bits, and its type room for them. boolean has room for one.";
    NO_TYPE_TREE "E0615" false
        "the types break a rule of the type system"
        "The report says which.";
    NO_EXTENSIBILITY "N0701" false
        "a type does not say how it grows"
        "Without @final, @appendable or @mutable it is what --default-extensibility says: \
         appendable, as DDS-XTypes 1.3 has it. Cyclone DDS's idlc takes final, and then does not \
         match. Say it in the file.";
    UNKNOWN_ANNOTATION "W0702" false
        "an annotation that there is not"
        "It has no effect. It is reported once per name.";
    USER_ANNOTATION "N0703" false
        "an annotation of one's own"
        "@annotation defines it; its uses have no effect.";
    WRONG_PLACE "E0704" false
        "an annotation does not apply here"
        "The report says what it is for.";
    ANNOTATION_ARGUMENT "E0705" false
        "the argument of an annotation is wrong"
        "The report says what it takes. A single argument needs no name; several need theirs: \
         @range(min=0, max=9).";
    CONTRADICTION "E0706" false
        "annotations contradict each other"
        "An annotation is applied once, or always with the same value.";
    OLD_SPELLING "N0707" false
        "an annotation as it was written before IDL 4.2"
        "@Key, @ID, EXTENSIBLE_EXTENSIBILITY are taken; other compilers may not know them.";
    IGNORED_COMMENT "N0708" false
        "an annotation in a comment has no effect"
        "//@copy, //@use_vector, //@resolve-name and //@shared are about the code that RTI makes.";
    OPTIONAL_KEY "E0709" false
        "a key is optional"
        "Every sample belongs to an instance, so its key is always there. DDS-XTypes 1.3 \
         7.2.2.4.4.4.8.";
    KEY_NOT_UNDERSTOOD "E0710" false
        "a key that need not be understood"
        "A key has @must_understand in any case.";
    DERIVED_KEY "W0711" false
        "a key in a struct that has a base"
        "It is taken here; Fast DDS refuses it.";
    TWO_IDS "E0712" false
        "a member has @id and @hashid"
        "Leave out one of them.";
    SHARED_ID "W0713" false
        "@id in front of several members"
        "`@id(1) long a, b;` gives a the id 1, and b the next.";
    BAD_ID "E0714" false
        "a member id is too large"
        "Ids go from 0 to 0x0FFFFFFE.";
    DUPLICATE_ID "E0715" false
        "two members have one id"
        "Ids differ over all bases. Those that come from names may collide: give one of the two \
         another by @id. The id 0 of a union is its discriminator.";
    BAD_BIT_BOUND "E0716" false
        "@bit_bound is too small or too large"
        "1 to 32 for an enum, 1 to 64 for a bitmask.";
    MUTABLE_NUMBERS "E0717" false
        "an enum or bitmask is mutable"
        "They are final or appendable. DDS-XTypes 1.3 7.2.2.4.1.2.";
    SECOND_DEFAULT "E0718" false
        "an enum has two default literals"
        "Leave out one @default_literal.";
    NO_ORDER "E0719" false
        "a range of a type that has no order"
        "@min, @max and @range are for integers, octets, characters, floating point numbers and \
         enums. A string has a bound, a bitmask its flags.";
    BEYOND_TYPEDEF "E0720" false
        "a member's annotation contradicts that of its typedef"
        "What @min, @max and @range say in front of a typedef holds for all members of it. A \
         member may narrow the range; its default is in both.";
    FILE_SIZE "E0801" false
        "a file is too large"
        "Limit: 16 MiB a file.";
    TOO_MUCH_TEXT "E0802" false
        "there is too much text after preprocessing"
        "Limit: 64 MiB after preprocessing; what a macro gives counts for at least 32 bytes a \
         token.";
    TOO_MANY_INCLUDES "E0803" false
        "too many files are included"
        "Limit: 4096 files, each counted as often as it is included.";
    INCLUDE_DEPTH "E0804" false
        "files include each other too deep"
        "Limit: 200 deep. A file that includes itself needs a guard: #ifndef F_IDL, #define \
         F_IDL, .. #endif.";
    TOO_MANY_EXPANSIONS "E0805" false
        "too many macros are expanded"
        "Limit: 1000000 expansions.";
    EXPANSION_DEPTH "E0806" false
        "macros are expanded too deep"
        "Limit: 200 deep.";
    TOO_DEEP "E0807" false
        "something is nested too deep"
        "Limit: 100 deep, for modules, types, templates, parentheses and conditions together.";
    TOO_MANY_TYPES "E0808" false
        "there are too many types"
        "Limit: 65536 types, those without a name included; 64 types within each other by value.";
    TOO_MANY_MEMBERS "E0809" false
        "a type has too many members"
        "Limit: 65536 members, cases, literals or flags.";
    TOO_MANY_DIMENSIONS "E0810" false
        "an array has too many dimensions"
        "Limit: 64 dimensions.";
    TOO_LONG "E0811" false
        "a file takes too long"
        "Limit: 5 s for a file with all that it includes.";
    EQUAL_NAMES "E0901" false
        "two names are equal in the code that is made"
        "Names that are keywords of the language get something added, and types within structs \
         the name of the struct in front. Then they may meet another name. Give one of the two \
         another name in the IDL.";
    NOT_IN_LANGUAGE "E0902" false
        "something cannot be made in a language"
        "The report names it. Nothing is made of the file, so that no code is wrong; other \
         languages may have it.";
    FOREIGN_FILE "E0903" false
        "a file that is there was not made by dunlin idl"
        "What dunlin idl makes says so in its first line, and is written anew without a question. \
         Other files are left as they are, unless --force is given.";
    SAME_FILE "E0904" false
        "two IDL files make the same file"
        "Files that are made have the name of the IDL file. Give one of the two another name, or \
         make them into different directories.";
    NO_EFFECT "W0905" false
        "an annotation has no effect in a language"
        "The code that is made works, without what the annotation says. The report says what to do \
         instead.";
    BEGINS_OUTSIDE "E0906" false
        "a member begins outside of its range"
        "With --range-checks a value outside of its @range, @min or @max is neither written nor \
         read. A member that nothing was said of has its @default, or 0; a reader takes that for \
         what an older writer lacks. Say a @default that is in the range, or make the member \
         @optional.";
}
