//! Numbers, characters and strings (IDL 4.2 7.2.6).

/// Why a literal has no value: the range of bytes in it, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
}

/// An integer: decimal, octal or hexadecimal. `None` if it is none, or has more than 127 bits.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    match digits.starts_with(['+', '-']) {
        true => None,
        false => i128::from_str_radix(digits, radix).ok(),
    }
}

/// A floating point number without its suffix, if the text is one.
pub(crate) fn float(text: &str) -> Option<&str> {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let digits = text.trim_end_matches(['f', 'F', 'd', 'D', 'l', 'L']);
    if is_hex || text.len() - digits.len() > 1 {
        return None;
    }
    let is_float = digits.contains(['.', 'e', 'E']) || digits.len() < text.len();
    let is_valid = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.parse::<f64>().is_ok();
    (is_float && is_valid).then_some(digits)
}

/// The characters of a character or string literal with its quotes. Without `L` in front `\ooo` and
/// `\xhh` are bytes, which come as the characters of the same numbers.
pub(crate) fn characters(text: &str) -> Result<Vec<u32>, Fault> {
    let prefix = usize::from(text.starts_with('L')) + 1;
    let end = match text.len() > prefix {
        true => text.len() - 1,
        false => text.len(),
    };
    let body = text.get(prefix..end).unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = body.char_indices();
    while let Some((at, c)) = rest.next() {
        if c != '\\' {
            found.push(c as u32);
            continue;
        }
        let start = prefix + at;
        let (value, length) =
            escape(body.get(at + 1..).unwrap_or_default()).map_err(|message| {
                let next = body.get(at + 1..).and_then(|rest| rest.chars().next());
                Fault {
                    start,
                    end: start + 1 + next.map_or(0, char::len_utf8),
                    message,
                }
            })?;
        found.push(value);
        let skipped = body.get(at + 1..at + 1 + length).unwrap_or_default();
        for _ in skipped.chars() {
            rest.next();
        }
    }
    Ok(found)
}

/// The character of an escape sequence behind its backslash, and the bytes that it has.
fn escape(text: &str) -> Result<(u32, usize), String> {
    let digits = |from: usize, radix: u32, most: usize| -> Option<(u32, usize)> {
        let rest = text.get(from..)?;
        let length = rest
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .count();
        let value = u32::from_str_radix(rest.get(..length)?, radix).ok()?;
        Some((value, from + length))
    };
    let simple = |c: char| Ok((c as u32, 1));
    match text.chars().next() {
        Some('n') => simple('\n'),
        Some('t') => simple('\t'),
        Some('v') => simple('\u{b}'),
        Some('b') => simple('\u{8}'),
        Some('r') => simple('\r'),
        Some('f') => simple('\u{c}'),
        Some('a') => simple('\u{7}'),
        Some(c @ ('\\' | '?' | '\'' | '"')) => simple(c),
        Some('0'..='7') => match digits(0, 8, 3) {
            Some((value, length)) if value <= 0xff => Ok((value, length)),
            _ => Err("this octal number is above \\377".into()),
        },
        Some('x') => digits(1, 16, 2).ok_or_else(|| "\\x needs hexadecimal digits".into()),
        Some('u') => digits(1, 16, 4).ok_or_else(|| "\\u needs hexadecimal digits".into()),
        Some(c) => Err(format!("there is no escape sequence \\{c}")),
        None => Err("an escape sequence is missing behind the backslash".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_values() {
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("0x1F"), Some(31));
        assert_eq!(integer("017"), Some(15));
        assert_eq!(integer("089"), None);
        assert_eq!(integer("1x"), None);
        assert_eq!(float("1.5"), Some("1.5"));
        assert_eq!(float("1.5e-3f"), Some("1.5e-3"));
        assert_eq!(float("2d"), Some("2"));
        assert_eq!(float(".5"), Some(".5"));
        assert_eq!(float("1"), None);
        assert_eq!(float("1.2.3"), None);
        assert_eq!(float("0x1f"), None);
    }

    #[test]
    fn escapes_have_their_values() {
        let of = |text: &str| characters(text);
        assert_eq!(of(r"'\n'"), Ok(vec![10]));
        assert_eq!(of(r#""a\x41\101ä""#), Ok(vec![97, 0x41, 0x41, 0xe4]));
        assert_eq!(of(r"L'\u263A'"), Ok(vec![0x263a]));
        let fault = of(r#""ab\q""#).unwrap_err();
        assert_eq!((fault.start, fault.end), (3, 5));
        assert!(of(r"'\777'").is_err());
        assert!(of("\"").is_ok());
    }
}
