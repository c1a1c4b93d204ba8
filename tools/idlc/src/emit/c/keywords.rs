//! Words that are no names in C or C++, in which headers are included, too.

/// Keywords of C and C++, and names of the headers that made files include.
pub(super) const KEYWORDS: &[&str] = &[
    // C up to C23.
    "alignas", "alignof", "auto", "bool", "break", "case", "char", "const", "constexpr",
    "continue", "default", "do", "double", "else", "enum", "extern", "false", "float", "for",
    "goto", "if", "inline", "int", "long", "nullptr", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "struct", "switch", "thread_local", "true",
    "typedef", "typeof", "typeof_unqual", "union", "unsigned", "void", "volatile", "while", "asm",
    // C++ up to C++23.
    "and", "and_eq", "bitand", "bitor", "catch", "char16_t", "char32_t", "char8_t", "class",
    "co_await", "co_return", "co_yield", "compl", "concept", "const_cast", "consteval",
    "constinit", "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "operator", "or", "or_eq", "private",
    "protected", "public", "reinterpret_cast", "requires", "static_cast", "template", "this",
    "throw", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq",
    // Macros of compilers and of the headers.
    "NULL", "offsetof", "linux", "unix", "i386", "complex", "imaginary", "I", "EOF",
    "EXIT_FAILURE", "EXIT_SUCCESS", "RAND_MAX", "MB_CUR_MAX", "SIZE_MAX", "errno", "assert",
    "stdin", "stdout", "stderr",
    // Types of the headers.
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "intptr_t", "uintptr_t", "intmax_t", "uintmax_t", "ptrdiff_t", "size_t", "max_align_t",
    "div_t", "ldiv_t", "lldiv_t",
    // Functions of <stdlib.h> and <string.h>.
    "abort", "abs", "aligned_alloc", "at_quick_exit", "atexit", "atof", "atoi", "atol", "atoll",
    "bsearch", "calloc", "div", "exit", "free", "getenv", "labs", "ldiv", "llabs", "lldiv",
    "malloc", "mblen", "mbstowcs", "mbtowc", "memalignment", "memccpy", "memchr", "memcmp",
    "memcpy", "memmove", "memset", "memset_explicit", "qsort", "quick_exit", "rand", "random",
    "realloc", "srand", "strcat", "strchr", "strcmp", "strcoll", "strcpy", "strcspn", "strdup",
    "strerror", "strlen", "strncat", "strncmp", "strncpy", "strndup", "strpbrk", "strrchr",
    "strspn", "strstr", "strtod", "strtof", "strtok", "strtol", "strtold", "strtoll", "strtoul",
    "strtoull", "strxfrm", "system", "wcstombs", "wctomb", "index", "rindex", "select", "main",
];
