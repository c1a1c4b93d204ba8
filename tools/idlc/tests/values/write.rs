//! Does what the steps of a plan say.

use dunlin_cdr::Endianness;
use dunlin_idlc::plan::{Count, Form, Header, Plan, Presence, RoutineId, Run, Step};

use super::Value;

const PID_EXTENDED: u16 = 0x3f01;
const PID_SENTINEL: u16 = 0x3f02;
const MUST_UNDERSTAND: u16 = 0x4000;

/// The value where alignment counts from.
pub fn value(plan: &Plan, id: RoutineId, value: &Value, endianness: Endianness) -> Vec<u8> {
    let write = |steps: &[Step], lead: usize| {
        let mut writer = Writer {
            plan,
            form: id.form,
            endianness,
            out: vec![0; lead],
            origin: 0,
            depth: 0,
        };
        writer.steps(steps, value);
        writer.out.split_off(lead)
    };
    let routine = plan.routine(id).unwrap();
    let bytes = write(&routine.aligned, 0);
    // The routine for any position writes the same there, and where alignment is the same.
    assert_eq!(bytes, write(&routine.anywhere, 0), "{id:?}");
    assert_eq!(bytes, write(&routine.aligned, 8), "{id:?}");
    if let Some(most) = routine.max_size {
        assert!(bytes.len() as u64 <= most, "{} > {most}", bytes.len());
    }
    bytes
}

struct Writer<'p> {
    plan: &'p Plan,
    form: Form,
    endianness: Endianness,
    out: Vec<u8>,
    origin: usize,
    depth: usize,
}

impl Writer<'_> {
    fn align(&mut self, to: u64) {
        let to = to as usize;
        let at = self.out.len() - self.origin;
        self.out.resize(self.origin + at.next_multiple_of(to), 0);
    }

    fn bytes(&self, number: u128, size: usize) -> Vec<u8> {
        let mut bytes = number.to_le_bytes()[..size].to_vec();
        if self.endianness == Endianness::Big {
            bytes.reverse();
        }
        bytes
    }

    fn put(&mut self, number: u128, size: usize) {
        let bytes = self.bytes(number, size);
        self.out.extend_from_slice(&bytes);
    }

    fn patch(&mut self, at: usize, number: usize, size: usize) {
        let bytes = self.bytes(number as u128, size);
        self.out[at..at + size].copy_from_slice(&bytes);
    }

    fn steps(&mut self, steps: &[Step], value: &Value) {
        self.depth += 1;
        assert!(self.depth < 1000);
        steps.iter().for_each(|step| self.step(step, value));
        self.depth -= 1;
    }

    /// `content` is what the plan says that the steps write.
    fn measured(&mut self, steps: &[Step], value: &Value, content: Option<u64>) -> usize {
        let begin = self.out.len();
        self.steps(steps, value);
        let length = self.out.len() - begin;
        assert!(content.is_none_or(|known| known == length as u64));
        length
    }

    fn step(&mut self, step: &Step, value: &Value) {
        match step {
            Step::Run(run) => self.run(run, value),
            Step::Text {
                path,
                is_wide,
                bound,
            } => {
                self.align(4);
                let length = match value.at(path).unwrap() {
                    Value::Text(text) if !is_wide => {
                        self.put(text.len() as u128 + 1, 4);
                        self.out.extend_from_slice(&text);
                        self.out.push(0);
                        text.len()
                    }
                    Value::Wide(units) if *is_wide => {
                        self.put(units.len() as u128 * 2, 4);
                        units.iter().for_each(|unit| self.put((*unit).into(), 2));
                        units.len()
                    }
                    other => panic!("{path} is {other:?}"),
                };
                assert!(*bound == 0 || length <= *bound as usize);
            }
            Step::Loop {
                path,
                count,
                elements,
                stride,
                ..
            } => {
                let Value::List(all) = value.at(path).unwrap() else {
                    panic!("{path} is no list");
                };
                match count {
                    Count::Fixed(count) => assert_eq!(all.len() as u64, *count),
                    Count::Length { bound } => {
                        assert!(*bound == 0 || all.len() <= *bound as usize);
                        self.align(4);
                        self.put(all.len() as u128, 4);
                    }
                }
                let mut first = None;
                for (index, one) in all.iter().enumerate() {
                    self.steps(elements, one);
                    let end = self.out.len() as u64;
                    let expected = first
                        .zip(*stride)
                        .map(|(first, by)| first + by * index as u64);
                    assert!(expected.is_none_or(|expected| expected == end));
                    first = first.or(Some(end));
                }
            }
            Step::Delimited { content, steps } => {
                self.align(4);
                self.put(0, 4);
                let at = self.out.len();
                let length = self.measured(steps, value, *content);
                self.patch(at - 4, length, 4);
            }
            Step::ParameterList { steps } => {
                self.steps(steps, value);
                self.align(4);
                self.put((MUST_UNDERSTAND | PID_SENTINEL).into(), 2);
                self.put(0, 2);
            }
            Step::Member(of) => {
                let is_absent = value.at(&of.path) == Some(Value::Absent);
                if is_absent {
                    assert!(of.is_optional);
                    return;
                }
                match of.header {
                    Header::Parameter => self.parameter(of.id, of.must_understand, |writer| {
                        writer.measured(&of.steps, value, of.content);
                    }),
                    Header::Labelled { length_code } => {
                        self.align(4);
                        let flag = u32::from(of.must_understand) << 31;
                        self.put((flag | length_code << 28 | of.id).into(), 4);
                        if length_code == 4 {
                            self.put(0, 4);
                        }
                        let at = self.out.len();
                        let length = self.measured(&of.steps, value, of.content);
                        if length_code == 4 {
                            self.patch(at - 4, length, 4);
                        }
                    }
                }
            }
            Step::Optional {
                presence,
                path,
                steps,
            } => {
                let is_there = value.at(path) != Some(Value::Absent);
                match presence {
                    Presence::Flag => {
                        self.out.push(is_there.into());
                        if is_there {
                            self.steps(steps, value);
                        }
                    }
                    Presence::Parameter {
                        id,
                        must_understand,
                    } => self.parameter(*id, *must_understand, |writer| {
                        if is_there {
                            writer.steps(steps, value);
                        }
                    }),
                }
            }
            Step::External { steps, .. } => self.steps(steps, value),
            Step::Switch { cases } => {
                let Value::Union(number, _) = value else {
                    panic!("no union: {value:?}");
                };
                let labelled = cases.iter().find(|case| case.labels.contains(number));
                let case = labelled.or_else(|| cases.iter().find(|case| case.is_default));
                if let Some(case) = case {
                    self.steps(&case.steps, value);
                }
            }
            Step::Call {
                path,
                to,
                is_aligned,
            } => {
                let routine = self.plan.routine(*to).unwrap();
                let is_at_origin = (self.out.len() - self.origin) as u64 % self.form.max_align();
                assert!(!is_aligned || is_at_origin == 0);
                let steps = match is_aligned {
                    true => &routine.aligned,
                    false => &routine.anywhere,
                };
                self.steps(steps, &value.at(path).unwrap());
            }
        }
    }

    fn run(&mut self, run: &Run, value: &Value) {
        self.align(run.align);
        let begin = self.out.len();
        self.out.resize(begin + run.size as usize, 0);
        let mut last = 0;
        for field in &run.fields {
            assert!(field.at >= last);
            last = field.at + field.size * field.count;
            let place = begin - self.origin + field.at as usize;
            let align = field.size.min(self.form.max_align());
            assert_eq!(place as u64 % align, 0, "{}", field.path);
            let numbers = match value.at(&field.path).unwrap() {
                Value::List(numbers) => numbers,
                number => vec![number],
            };
            assert_eq!(numbers.len() as u64, field.count);
            let size = field.size as usize;
            for (number, index) in numbers.iter().zip(0..) {
                let Value::Number(number) = number else {
                    panic!("{} is {number:?}", field.path);
                };
                let at = begin + field.at as usize + size * index;
                let bytes = self.bytes(*number, size);
                self.out[at..at + size].copy_from_slice(&bytes);
            }
        }
        assert_eq!(last, run.size);
    }

    fn parameter(&mut self, id: u32, must_understand: bool, content: impl Fn(&mut Self)) {
        self.align(4);
        let begin = self.out.len();
        let outer = self.origin;
        self.origin = begin;
        content(self);
        let content = self.out.split_off(begin);
        self.origin = outer;
        let flag = if must_understand { MUST_UNDERSTAND } else { 0 };
        match u16::try_from(content.len()) {
            Ok(length) if id <= 0x3f00 => {
                self.put((flag | id as u16).into(), 2);
                self.put(length.into(), 2);
            }
            _ => {
                self.put((MUST_UNDERSTAND | PID_EXTENDED).into(), 2);
                self.put(8, 2);
                self.put((u32::from(flag) << 16 | id).into(), 4);
                self.put(content.len() as u128, 4);
            }
        }
        self.out.extend_from_slice(&content);
    }
}
