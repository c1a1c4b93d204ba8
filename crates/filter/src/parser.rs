//! From text to a condition (DDS 1.4 annex B.2.1), checked against the type on the way.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use dunlin_xtypes::{DynamicType, MemberPath};

use crate::condition::{Condition, Operand, Operator};
use crate::facts::{self, Named};
use crate::lexer::{Kind, Lexer, Token};
use crate::literal::{Class, Constant, Literal, enumerator};
use crate::members::{Members, Path, Segment, listed};
use crate::pattern::Pattern;
use crate::plan::Parts;
use crate::{FilterError, limits};

/// What stands on one side of a comparison.
enum Side {
    Member(Path),
    Literal(Literal),
    Parameter(usize),
}

pub(crate) struct Parser<'a> {
    expression: &'a str,
    parameters: &'a [&'a str],
    lexer: Lexer<'a>,
    token: Token,
    members: Members,
    predicates: usize,
    depth: usize,
}

type Result<T> = core::result::Result<T, FilterError>;

/// What an expression says.
pub(crate) struct Parsed {
    pub(crate) condition: Condition,
    /// What it wants of a sample.
    pub(crate) want: Parts,
    /// The paths to that, in the order of their places.
    pub(crate) paths: Vec<MemberPath>,
    /// What it wants to know beside that.
    pub(crate) facts: Named,
}

/// Reads an expression, which may name facts or not.
pub(crate) fn parse(
    expression: &str,
    parameters: &[&str],
    of: &DynamicType,
    has_facts: bool,
) -> Result<Parsed> {
    let mut lexer = Lexer::new(expression);
    let token = lexer.next()?;
    let mut parser = Parser {
        expression,
        parameters,
        lexer,
        token,
        members: Members::new(of, has_facts),
        predicates: 0,
        depth: 0,
    };
    let condition = parser.any()?;
    parser.finish()?;
    let facts = parser.members.facts();
    let (want, paths) = parser.members.into_plan();
    Ok(Parsed {
        condition,
        want,
        paths,
        facts,
    })
}

impl Parser<'_> {
    fn finish(&self) -> Result<()> {
        if self.token.kind.is_keyword("ORDER") {
            return Err(
                self.fault("ORDER BY is not there: samples come in the order of the reader")
            );
        }
        match self.token.kind {
            Kind::End => Ok(()),
            _ => {
                Err(self.fault("the expression should have ended here, or gone on with AND or OR"))
            }
        }
    }

    /// Conditions with OR between them.
    fn any(&mut self) -> Result<Condition> {
        let first = self.all()?;
        let rest = self.while_keyword("OR", Self::all)?;
        Ok(joined(first, rest, Condition::Any))
    }

    /// Conditions with AND between them, which binds stronger.
    fn all(&mut self) -> Result<Condition> {
        let first = self.one()?;
        let rest = self.while_keyword("AND", Self::one)?;
        Ok(joined(first, rest, Condition::All))
    }

    fn while_keyword(
        &mut self,
        keyword: &str,
        parse: fn(&mut Self) -> Result<Condition>,
    ) -> Result<Vec<Condition>> {
        let mut all = Vec::new();
        while self.accept_keyword(keyword)? {
            all.push(parse(self)?);
        }
        Ok(all)
    }

    fn one(&mut self) -> Result<Condition> {
        if self.token.kind.is_keyword("NOT") {
            return self.deeper(|parser| {
                parser.advance()?;
                Ok(Condition::Not(Box::new(parser.one()?)))
            });
        }
        if self.token.kind != Kind::Sign("(") {
            return self.predicate();
        }
        self.deeper(|parser| {
            parser.advance()?;
            let inner = parser.any()?;
            parser.expect(")", "a closing parenthesis is missing")?;
            Ok(inner)
        })
    }

    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Result<Condition>) -> Result<Condition> {
        if self.depth == limits::DEPTH {
            let most = limits::DEPTH;
            return Err(self.fault(format!("conditions nest at most {most} deep")));
        }
        self.depth += 1;
        let inner = parse(self);
        self.depth -= 1;
        inner
    }

    fn predicate(&mut self) -> Result<Condition> {
        self.predicates += 1;
        if self.predicates > limits::PREDICATES {
            let most = limits::PREDICATES;
            return Err(self.fault(format!("an expression has at most {most} comparisons")));
        }
        let start = self.token.span.clone();
        let left = self.side()?;
        let span = start.start..self.end_of(&start, &left);
        if let Kind::Sign(sign) = self.token.kind
            && let Some(operator) = operator(sign)
        {
            return self.comparison((left, span), operator);
        }
        let negated = self.accept_keyword("NOT")?;
        let condition = if self.accept_keyword("BETWEEN")? {
            self.between(left, span)?
        } else if self.accept_keyword("LIKE")? {
            self.like(left, span)?
        } else if self.accept_keyword("MATCH")? {
            self.matching(left, span)?
        } else {
            return Err(self.fault(Self::what_follows(negated)));
        };
        Ok(match negated {
            true => Condition::Not(Box::new(condition)),
            false => condition,
        })
    }

    fn what_follows(negated: bool) -> &'static str {
        match negated {
            true => "BETWEEN or LIKE is expected after NOT",
            false => "expected =, <>, <, <=, >, >=, LIKE or BETWEEN",
        }
    }

    fn end_of(&self, start: &Range<usize>, side: &Side) -> usize {
        match side {
            Side::Member(path) => path.span().end,
            _ => start.end,
        }
    }

    fn comparison(
        &mut self,
        (left, left_span): (Side, Range<usize>),
        operator: Operator,
    ) -> Result<Condition> {
        self.advance()?;
        let start = self.token.span.clone();
        let right = self.side()?;
        let right_span = start.start..self.end_of(&start, &right);
        match (left, right) {
            (Side::Member(one), Side::Member(other)) => self.members(&one, operator, &other),
            (Side::Member(path), side) => self.compare(&path, operator, side, right_span),
            (side, Side::Member(path)) => self.compare(&path, operator.reversed(), side, left_span),
            _ => {
                let span = left_span.start..right_span.end;
                Err(self.fault_at("one side of a comparison has to be a member", span))
            }
        }
    }

    fn compare(
        &mut self,
        path: &Path,
        operator: Operator,
        side: Side,
        span: Range<usize>,
    ) -> Result<Condition> {
        let (member, class) = self.find(path)?;
        let constant = self.constant(&class, &side, span.clone())?;
        if let Some(fault) = facts::fault(member, &constant) {
            return Err(self.fault_at(fault, span));
        }
        let with = Operand::Constant(constant);
        Ok(Condition::Compare {
            member,
            operator,
            with,
        })
    }

    /// Two names; one of them may be that of an enumerator.
    fn members(&mut self, one: &Path, operator: Operator, other: &Path) -> Result<Condition> {
        // To say well what is missing takes time, and an enumerator is not missing.
        if let Some(condition) = self.enumerator(one, operator, other)? {
            return Ok(condition);
        }
        if let Some(condition) = self.enumerator(other, operator.reversed(), one)? {
            return Ok(condition);
        }
        match (self.members.find(one), self.members.find(other)) {
            (Ok((member, class)), Ok((with, with_class))) => {
                if !class.suits(&with_class) {
                    let (class, with_class) = (class.name(), with_class.name());
                    let fault = format!("{class} cannot be compared with {with_class}");
                    return Err(self.fault_at(fault, one.span().start..other.span().end));
                }
                let with = Operand::Member(with);
                Ok(Condition::Compare {
                    member,
                    operator,
                    with,
                })
            }
            (Ok((_, class)), Err(fault)) => Err(self.not_there(class, other, fault)),
            (Err(fault), Ok((_, class))) => Err(self.not_there(class, one, fault)),
            (Err((message, span)), Err(_)) => Err(self.fault_at(message, span)),
        }
    }

    /// A member and the name of an enumerator, which is not the name of a member.
    fn enumerator(
        &mut self,
        path: &Path,
        operator: Operator,
        name: &Path,
    ) -> Result<Option<Condition>> {
        if self.members.has(name) || !self.members.has(path) {
            return Ok(None);
        }
        let (member, class) = self.find(path)?;
        let constant = labelled(&class, name);
        Ok(constant.map(|constant| Condition::Compare {
            member,
            operator,
            with: Operand::Constant(constant),
        }))
    }

    fn not_there(
        &self,
        class: Class,
        path: &Path,
        (message, span): (String, Range<usize>),
    ) -> FilterError {
        match (&class, path.word()) {
            (Class::Enumeration(_), Some(name)) => {
                let message = format!("{}, nor {}", message, unsuited(&class, name));
                self.fault_at(message, span)
            }
            (Class::Text | Class::Character, Some(name)) => {
                let message = format!("{message}; a text has quotes: '{name}'");
                self.fault_at(message, span)
            }
            _ => self.fault_at(message, span),
        }
    }

    fn between(&mut self, left: Side, span: Range<usize>) -> Result<Condition> {
        let Side::Member(path) = left else {
            return Err(self.fault_at("BETWEEN needs a member before it", span));
        };
        let (member, class) = self.find(&path)?;
        let low = self.bound(&class)?;
        if !self.accept_keyword("AND")? {
            return Err(self.fault("expected AND and the upper end of the range"));
        }
        let high = self.bound(&class)?;
        Ok(Condition::Between { member, low, high })
    }

    fn bound(&mut self, class: &Class) -> Result<Constant> {
        let span = self.token.span.clone();
        match self.side()? {
            Side::Member(path) => match labelled(class, &path) {
                Some(constant) => Ok(constant),
                None => {
                    let fault = "a range is between two values, not between members";
                    Err(self.fault_at(fault, path.span()))
                }
            },
            side => self.constant(class, &side, span),
        }
    }

    fn like(&mut self, left: Side, span: Range<usize>) -> Result<Condition> {
        let (member, text, _) = self.pattern("LIKE", left, span)?;
        let pattern = Pattern::new(&text);
        Ok(Condition::Like { member, pattern })
    }

    /// A text without special characters, which means the same to all vendors.
    fn matching(&mut self, left: Side, span: Range<usize>) -> Result<Condition> {
        let (member, text, span) = self.pattern("MATCH", left, span)?;
        let is_plain = |one: char| one.is_ascii_alphanumeric() || " _-".contains(one);
        if !text.chars().all(is_plain) {
            let fault = "a pattern of MATCH means something else to each vendor: use LIKE, with % \
                         for any characters and _ for one";
            return Err(self.fault_at(fault, span));
        }
        Ok(Condition::Compare {
            member,
            operator: Operator::Equal,
            with: Operand::Constant(Constant::Text(text)),
        })
    }

    /// A string member, the text that it is compared with, and where that is.
    fn pattern(
        &mut self,
        word: &str,
        left: Side,
        span: Range<usize>,
    ) -> Result<(u8, String, Range<usize>)> {
        let Side::Member(path) = left else {
            return Err(self.fault_at(format!("{word} needs a member before it"), span));
        };
        let (member, class) = self.find(&path)?;
        if !matches!(class, Class::Text) {
            let fault = format!("{word} is for strings, and this is {}", class.name());
            return Err(self.fault_at(fault, path.span()));
        }
        let span = self.token.span.clone();
        let side = self.side()?;
        if let Side::Member(path) = &side {
            return Err(self.fault_at(format!("{word} needs a pattern in quotes"), path.span()));
        }
        match self.constant(&class, &side, span.clone())? {
            Constant::Text(text) if text.len() <= limits::PATTERN => Ok((member, text, span)),
            _ => {
                let fault = format!("a pattern has at most {} bytes", limits::PATTERN);
                Err(self.fault_at(fault, span))
            }
        }
    }

    fn find(&mut self, path: &Path) -> Result<(u8, Class)> {
        let found = self.members.find(path);
        found.map_err(|(message, span)| self.fault_at(message, span))
    }

    fn constant(&self, class: &Class, side: &Side, span: Range<usize>) -> Result<Constant> {
        match side {
            Side::Member(path) => Err(self.fault_at("a value is expected", path.span())),
            Side::Literal(literal) => class.constant(literal).ok_or_else(|| {
                let fault = match (class, literal) {
                    (Class::Enumeration(_), Literal::Text(name)) => unsuited(class, name),
                    _ => format!("{} is expected here", class.name()),
                };
                self.fault_at(fault, span)
            }),
            Side::Parameter(n) => {
                let Some(text) = self.parameters.get(*n) else {
                    let given = self.parameters.len();
                    let fault = format!("parameter %{n} has no value ({given} given)");
                    return Err(self.fault_at(fault, span));
                };
                class.parameter(text).ok_or_else(|| {
                    let fault = format!("parameter %{n} is {text:?}: {}", unsuited(class, text));
                    self.fault_at(fault, span)
                })
            }
        }
    }

    fn side(&mut self) -> Result<Side> {
        let kind = self.token.kind.clone();
        match kind {
            Kind::Word(word) if word.eq_ignore_ascii_case("true") => {
                self.advance()?;
                Ok(Side::Literal(Literal::Boolean(true)))
            }
            Kind::Word(word) if word.eq_ignore_ascii_case("false") => {
                self.advance()?;
                Ok(Side::Literal(Literal::Boolean(false)))
            }
            Kind::Word(word) if !is_reserved(&word) => self.path(word).map(Side::Member),
            Kind::Literal(literal) => {
                self.advance()?;
                Ok(Side::Literal(literal))
            }
            Kind::Parameter(n) => {
                self.advance()?;
                Ok(Side::Parameter(n))
            }
            _ => Err(self.fault("a member or a value is expected here")),
        }
    }

    /// A member's name, of which the first word is known.
    fn path(&mut self, first: String) -> Result<Path> {
        let mut segments = Vec::new();
        segments.push((Segment::Name(first), self.token.span.clone()));
        self.advance()?;
        loop {
            if self.accept_sign(".")? {
                match self.token.kind.clone() {
                    Kind::Word(word) => {
                        segments.push((Segment::Name(word), self.token.span.clone()));
                    }
                    _ => return Err(self.fault("the name of a member is expected behind a point")),
                }
                self.advance()?;
            } else if self.token.kind == Kind::Sign("[") {
                let start = self.token.span.start;
                self.advance()?;
                let index = self.index()?;
                let end = self.token.span.end;
                self.expect("]", "a closing bracket is missing")?;
                segments.push((Segment::Index(index), start..end));
            } else {
                return Ok(Path { segments });
            }
        }
    }

    fn index(&mut self) -> Result<usize> {
        if let Kind::Literal(Literal::Integer(crate::value::Number::Signed(n))) = self.token.kind
            && let Ok(index) = u32::try_from(n)
        {
            self.advance()?;
            return Ok(index as usize);
        }
        Err(self.fault("an index, 0 or more, is expected in brackets"))
    }

    fn accept_keyword(&mut self, keyword: &str) -> Result<bool> {
        let is = self.token.kind.is_keyword(keyword);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn accept_sign(&mut self, sign: &'static str) -> Result<bool> {
        let is = self.token.kind == Kind::Sign(sign);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn expect(&mut self, sign: &'static str, otherwise: &str) -> Result<()> {
        match self.accept_sign(sign)? {
            true => Ok(()),
            false => Err(self.fault(otherwise)),
        }
    }

    fn advance(&mut self) -> Result<()> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    fn fault(&self, message: impl Into<String>) -> FilterError {
        self.fault_at(message, self.token.span.clone())
    }

    fn fault_at(&self, message: impl Into<String>, span: Range<usize>) -> FilterError {
        FilterError::new(message, self.expression, span)
    }
}

fn joined(
    first: Condition,
    mut rest: Vec<Condition>,
    join: fn(Vec<Condition>) -> Condition,
) -> Condition {
    if rest.is_empty() {
        return first;
    }
    rest.insert(0, first);
    join(rest)
}

fn operator(sign: &str) -> Option<Operator> {
    Some(match sign {
        "=" => Operator::Equal,
        "<>" | "!=" => Operator::Unequal,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        _ => return None,
    })
}

fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 8] = [
        "AND", "OR", "NOT", "LIKE", "MATCH", "BETWEEN", "ORDER", "BY",
    ];
    WORDS
        .iter()
        .any(|reserved| word.eq_ignore_ascii_case(reserved))
}

/// The name of an enumerator, for which quotes can be left out.
fn labelled(class: &Class, path: &Path) -> Option<Constant> {
    match class {
        Class::Enumeration(of) => enumerator(of, path.word()?),
        _ => None,
    }
}

/// Says what would be right.
fn unsuited(class: &Class, text: &str) -> String {
    match class {
        Class::Enumeration(of) => {
            let names: Vec<&str> = of.literals().iter().map(|one| one.name()).collect();
            format!(
                "{text:?} is no enumerator of {}: {}",
                of.name(),
                listed(&names)
            )
        }
        _ => format!("{} is expected", class.name()),
    }
}
