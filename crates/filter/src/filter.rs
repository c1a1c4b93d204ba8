//! A filter: an expression with its parameters, ready to judge samples of one type.

use alloc::format;
use alloc::vec::Vec;

use dunlin_cdr::{Error, Layout, Xcdr, reader_of};
use dunlin_xtypes::{DynamicType, MemberPath, TypeKind, ValueError};

use crate::condition::Condition;
use crate::facts::{Facts, Named};
use crate::locate::Found;
use crate::parser::{Parsed, parse};
use crate::plan::{Parts, Scalar};
use crate::steps::Steps;
use crate::value::Value;
use crate::{FilterError, limits};

/// Says which samples of a type pass (DDS 1.4 2.2.2.3.3, annex B).
#[derive(Debug)]
pub struct Filter {
    condition: Condition,
    want: Parts,
    members: usize,
    facts: Named,
    /// All members, if each may be at the same place in every sample.
    fixed: Vec<(MemberPath, Scalar)>,
}

impl Filter {
    /// A filter for samples of the type `T`.
    ///
    /// # Errors
    /// What is wrong with the expression or the parameters, and where; or that the type has no
    /// description.
    pub fn of<T: Layout>(
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<Self, FilterError> {
        match DynamicType::of::<T>() {
            Ok(ty) => Self::new(expression, parameters, &ty),
            Err(error) => Err(FilterError::unknown_type(expression, &format!("{error}"))),
        }
    }

    /// A filter for samples of a type that is known at run time.
    ///
    /// # Errors
    /// What is wrong with the expression or the parameters, and where; or that the type is no
    /// structure or union.
    pub fn new(
        expression: &str,
        parameters: &[impl AsRef<str>],
        ty: &DynamicType,
    ) -> Result<Self, FilterError> {
        Self::compile(expression, parameters, ty, false)
    }

    /// As [`new`](Self::new), for those who judge changes by [`judge_change`](Self::judge_change):
    /// the expression may name [`Facts`], too.
    ///
    /// # Errors
    /// As `new`.
    pub fn with_facts(
        expression: &str,
        parameters: &[impl AsRef<str>],
        ty: &DynamicType,
    ) -> Result<Self, FilterError> {
        Self::compile(expression, parameters, ty, true)
    }

    fn compile(
        expression: &str,
        parameters: &[impl AsRef<str>],
        ty: &DynamicType,
        has_facts: bool,
    ) -> Result<Self, FilterError> {
        if !matches!(ty.resolved().kind(), TypeKind::Structure | TypeKind::Union) {
            let fault = format!("{} has no members", ty.words());
            return Err(FilterError::new(fault, expression, 0..0));
        }
        check_limits(expression, parameters)?;
        let parameters: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
        let Parsed {
            condition,
            want,
            paths,
            facts,
        } = parse(expression, &parameters, ty, has_facts)?;
        let with_scalar = |path: MemberPath| {
            let scalar = Scalar::of(path.target());
            (path, scalar)
        };
        let members = paths.len();
        let is_fixed = |xcdr| paths.iter().all(|path| path.fixed_offset(xcdr).is_some());
        let fixed = match is_fixed(Xcdr::V1) || is_fixed(Xcdr::V2) {
            true => paths.into_iter().map(with_scalar).collect(),
            false => Vec::new(),
        };
        Ok(Self {
            condition,
            members,
            facts,
            want,
            fixed,
        })
    }

    /// Does this sample pass? One that is not of the type, or that is damaged before its last
    /// member of interest, does not.
    #[inline]
    pub fn passes(&self, payload: &[u8]) -> bool {
        self.evaluate(payload).unwrap_or(false)
    }

    /// As [`passes`](Self::passes), for those who want to know what is wrong with a sample.
    ///
    /// # Errors
    /// Whatever is wrong with the payload, encapsulation header included, up to the last member of
    /// interest.
    pub fn evaluate(&self, payload: &[u8]) -> Result<bool, ValueError> {
        let mut steps = usize::MAX;
        self.evaluate_within(payload, &mut steps)
    }

    /// As [`evaluate`](Self::evaluate) with so many steps at most, of which it takes off those that
    /// it needs. A step is a value that is passed over, read or compared, sixteen bytes of text
    /// that are compared, or a byte of text that a pattern is held against: none takes more than a
    /// few nanoseconds.
    ///
    /// # Errors
    /// As `evaluate`; [`Error::TooManySteps`] if they do not suffice, and then none are left.
    pub fn evaluate_within(&self, payload: &[u8], steps: &mut usize) -> Result<bool, ValueError> {
        let mut left = Steps::new(*steps);
        let result = self.judge(payload, &[], &mut left);
        *steps = left.left();
        match left.ran_out() {
            true => Err(Error::TooManySteps.into()),
            false => Ok(result? == Some(true)),
        }
    }

    /// Judges a change with what is known of it. `None` is unknown: what decides is absent. Of a
    /// dispose or an unregister, which has no payload, all members are.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn judge_change(
        &self,
        payload: Option<&[u8]>,
        facts: &Facts<'_>,
    ) -> Result<Option<bool>, ValueError> {
        let values = facts.values();
        let mut steps = Steps::new(usize::MAX);
        match payload {
            Some(payload) => self.judge(payload, &values, &mut steps),
            None => {
                let found = Found::nothing_of(self.members, &values);
                Ok(self.condition.is_true(&found, &mut steps))
            }
        }
    }

    /// Does the expression name `@writer`?
    pub fn asks_writer(&self) -> bool {
        self.facts.writer
    }

    /// Does it name `@age`?
    pub fn asks_age(&self) -> bool {
        self.facts.age
    }

    fn judge<'a>(
        &self,
        payload: &'a [u8],
        facts: &'a [Value<'a>],
        steps: &mut Steps,
    ) -> Result<Option<bool>, ValueError> {
        steps.take(1 + self.members);
        let mut found = Found::nothing_of(self.members, facts);
        if self.members > 0 && !self.find_fixed(payload, &mut found)? {
            let mut r = reader_of(payload, self.want.extensibility)?;
            r.set_steps(steps.left());
            let located = found.locate(&mut r, &self.want);
            match located {
                Err(ValueError::Cdr(Error::TooManySteps)) => steps.exhaust(),
                _ => steps.take(steps.left() - r.steps()),
            };
            located?;
        }
        Ok(self.condition.is_true(&found, steps))
    }

    /// True if all members are where they always are.
    #[inline]
    fn find_fixed<'a>(&self, payload: &'a [u8], found: &mut Found<'a>) -> Result<bool, ValueError> {
        for (place, (path, scalar)) in self.fixed.iter().enumerate() {
            match path.locate_at_fixed_offset(payload) {
                Some(value) => found.put(place as u8, scalar.read_located(&value)?),
                None => return Ok(false),
            }
        }
        Ok(!self.fixed.is_empty())
    }
}

/// Whether an expression and its parameters are within the [`limits`](crate::limits), whatever the
/// type is.
///
/// # Errors
/// Which limit is exceeded, with both numbers.
pub fn check_limits(expression: &str, parameters: &[impl AsRef<str>]) -> Result<(), FilterError> {
    let fault = |message| Err(FilterError::new(message, "", 0..0));
    if expression.len() > limits::EXPRESSION {
        let (is, most) = (expression.len(), limits::EXPRESSION);
        return fault(format!("the expression has {is} bytes, {most} are allowed"));
    }
    if expression.trim().is_empty() {
        return fault("the expression is empty".into());
    }
    if parameters.len() > limits::PARAMETERS {
        let (are, most) = (parameters.len(), limits::PARAMETERS);
        return fault(format!("there are {are} parameters, {most} are allowed"));
    }
    let most = limits::PARAMETER;
    let long = parameters.iter().position(|p| p.as_ref().len() > most);
    match long {
        Some(n) => fault(format!("parameter %{n} has more than {most} bytes")),
        None => Ok(()),
    }
}
