//! Several expressions as one.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::lexer::{Kind, Lexer};
use crate::{FilterError, check_limits, limits};

/// One expression, with its parameters, that is true where one of these is. They are read word by
/// word, whatever the type is: what a member's name means only those can say who judge.
///
/// # Errors
/// Which of them is none and why, or which [limit](crate::limits) all together exceed.
pub fn any_of<P: AsRef<str>>(parts: &[(&str, &[P])]) -> Result<(String, Vec<String>), FilterError> {
    joined(parts, " OR ")
}

/// As [`any_of`], true where all of these are.
///
/// # Errors
/// As `any_of`.
pub fn all_of<P: AsRef<str>>(parts: &[(&str, &[P])]) -> Result<(String, Vec<String>), FilterError> {
    joined(parts, " AND ")
}

fn joined<P: AsRef<str>>(
    parts: &[(&str, &[P])],
    between: &str,
) -> Result<(String, Vec<String>), FilterError> {
    let (mut expression, mut all) = (String::new(), Vec::<String>::new());
    for (part, parameters) in parts {
        check_limits(part, parameters)?;
        if !expression.is_empty() {
            expression.push_str(between);
        }
        expression.push('(');
        append(&mut expression, part, parameters.len(), all.len())?;
        expression.push(')');
        all.extend(parameters.iter().map(|value| value.as_ref().to_string()));
        // What is too much already is not read to its end.
        check_limits(&expression, &all)?;
    }
    check_limits(&expression, &all)?;
    Ok((expression, all))
}

/// Appends an expression with so many parameters, whose numbers begin with `first`.
fn append(to: &mut String, part: &str, count: usize, first: usize) -> Result<(), FilterError> {
    let fault = |message: String, span| Err(FilterError::new(message, part, span));
    let mut lexer = Lexer::new(part);
    // What was copied so far, and how many parentheses are open.
    let (mut done, mut open) = (0, 0_usize);
    let mut orders = false;
    loop {
        let token = lexer.next()?;
        if orders && token.kind.is_keyword("BY") {
            return fault("ORDER BY is not there".into(), token.span);
        }
        orders = token.kind.is_keyword("ORDER");
        match token.kind {
            Kind::End if open == 0 => break,
            Kind::End => return fault("a closing parenthesis is missing".into(), token.span),
            Kind::Sign("(") => open += 1,
            Kind::Sign(")") => match open.checked_sub(1) {
                Some(rest) => open = rest,
                None => return fault("this parenthesis closes nothing".into(), token.span),
            },
            Kind::Parameter(number) if number >= count => {
                return fault(format!("parameter %{number} has no value"), token.span);
            }
            Kind::Parameter(number) if number + first >= limits::PARAMETERS => {
                let message = format!("more than {} parameters", limits::PARAMETERS);
                return fault(message, token.span);
            }
            Kind::Parameter(number) => {
                to.push_str(part.get(done..token.span.start).unwrap_or_default());
                to.push_str(&format!("%{}", number + first));
                done = token.span.end;
            }
            _ => {}
        }
    }
    to.push_str(part.get(done..).unwrap_or_default().trim_end());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &[&str] = &[];

    #[test]
    fn parameters_get_numbers_of_their_own_and_strings_stay() {
        let parts: [(&str, &[&str]); 3] = [
            ("x > %1 AND name LIKE 'a%0'", &["1", "2"]),
            (" y = 1 OR z = 2 ", &[]),
            ("x < %0", &["7"]),
        ];
        let (expression, parameters) = any_of(&parts).unwrap();
        let expected = "(x > %1 AND name LIKE 'a%0') OR ( y = 1 OR z = 2) OR (x < %2)";
        assert_eq!(expression, expected);
        assert_eq!(parameters, ["1", "2", "7"]);
        assert!(any_of(&[("order > 5", NONE)]).is_ok());
        let (expression, _) = all_of(&parts[1..]).unwrap();
        assert_eq!(expression, "( y = 1 OR z = 2) AND (x < %0)");
    }

    #[test]
    fn what_is_no_expression_or_is_too_much_is_refused() {
        for (bad, why) in [
            ("x > 1) OR (y > 2", "closes nothing"),
            ("(x > 1", "missing"),
            ("x = 'a", "no end"),
            ("x = %0", "no value"),
            ("x = 1 order by x", "ORDER"),
            ("", "empty"),
        ] {
            let error = any_of(&[("x = 1", NONE), (bad, NONE)]).unwrap_err();
            assert!(error.message().contains(why), "{bad}: {error}");
        }
        assert!(any_of::<&str>(&[]).is_err());
        let long = format!("x = {}", "1".repeat(3_000));
        assert!(any_of(&[(&*long, NONE), (&*long, NONE)]).is_err());
        let many = ["1"; 60];
        assert!(any_of(&[("x = %0", &many[..]), ("x = %59", &many[..])]).is_err());
    }
}
