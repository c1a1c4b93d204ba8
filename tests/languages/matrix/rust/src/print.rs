//! How values are printed. All languages print the same.

use dunlin::cdr::{Char8, Char16, String16};

use crate::matrix::Common::{Marks, Mood};

pub(crate) trait Print {
    fn print(&self) -> String;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Print for $number {
            fn print(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64);

impl Print for bool {
    fn print(&self) -> String {
        u8::from(*self).print()
    }
}

impl Print for Char8 {
    fn print(&self) -> String {
        self.0.print()
    }
}

impl Print for Char16 {
    fn print(&self) -> String {
        self.0.print()
    }
}

impl Print for f32 {
    fn print(&self) -> String {
        format!("{:08x}", self.to_bits())
    }
}

impl Print for f64 {
    fn print(&self) -> String {
        format!("{:016x}", self.to_bits())
    }
}

impl Print for String {
    fn print(&self) -> String {
        format!("\"{self}\"")
    }
}

impl Print for String16 {
    fn print(&self) -> String {
        let units = self.units().iter();
        units.fold("u".into(), |text, unit| text + &format!("{unit:04x}"))
    }
}

impl Print for Mood {
    fn print(&self) -> String {
        (*self as i32).print()
    }
}

impl Print for Marks {
    fn print(&self) -> String {
        self.0.print()
    }
}

impl<T: Print> Print for [T] {
    fn print(&self) -> String {
        let all: Vec<String> = self.iter().map(Print::print).collect();
        format!("[{}]", all.join(","))
    }
}

impl<T: Print> Print for Vec<T> {
    fn print(&self) -> String {
        self.as_slice().print()
    }
}

impl<T: Print, const N: usize> Print for [T; N] {
    fn print(&self) -> String {
        self.as_slice().print()
    }
}

impl<T: Print> Print for Option<T> {
    fn print(&self) -> String {
        self.as_ref().map_or("-".into(), Print::print)
    }
}

/// Of many octets how many there are and FNV-1a of them.
pub(crate) fn print_octets(octets: &[u8]) -> String {
    let step = |hash: u32, octet: &u8| (hash ^ u32::from(*octet)).wrapping_mul(0x0100_0193);
    let hash = octets.iter().fold(0x811c_9dc5, step);
    format!("{}:{hash:08x}", octets.len())
}

/// Who made a value, its number, and members, with spaces between them.
macro_rules! line {
    ($value:ident: $($member:ident)*) => {
        format!("{} {:02} {}", $value.from, $value.order, [$($value.$member.print()),*].join(" "))
    };
}
pub(crate) use line;
