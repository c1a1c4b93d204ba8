// Values of the types of one module, and how they are printed. It is included where the types are.

use self::types::{Choice, Deep, Flat, Many, Place, Site};
use crate::draw::Draw;
use crate::print::{Print, line, print_octets};
use crate::{INSTANCES, Value};

#[allow(clippy::field_reassign_with_default, reason = "a later version has more members")]
fn place(draw: &mut Draw) -> Place {
    let mut place = Place::default();
    place.x = draw.i32();
    place.y = draw.i16();
    place
}

fn choice(draw: &mut Draw) -> Choice {
    match [1, 2, 3, -4, 9][draw.below(5)] {
        1 => Choice::number(draw.i64()),
        -4 => Choice::place(place(draw)),
        9 => Choice::rest(9, draw.list(4, Draw::i16)),
        two_or_three => Choice::text(two_or_three, draw.word()),
    }
}

impl Print for Place {
    fn print(&self) -> String {
        format!("{{{},{}}}", self.x, self.y)
    }
}

impl Print for Site {
    fn print(&self) -> String {
        format!("{{{},{}}}", self.x, self.y)
    }
}

impl Print for Choice {
    fn print(&self) -> String {
        match self {
            Self::number(value) => format!("(1:{value})"),
            Self::text(label, value) => format!("({label}:{})", value.print()),
            Self::place(value) => format!("(-4:{})", value.print()),
            Self::rest(label, value) => format!("({label}:{})", value.print()),
        }
    }
}

impl Value for Flat {
    const IS_KEYED: bool = false;

    #[allow(clippy::needless_update, reason = "a later version has more members")]
    fn make(from: &str, order: u32) -> Self {
        let mut draw = Draw::new(order);
        Self {
            from: from.into(),
            order,
            flag: draw.flag(),
            raw: draw.bits(8) as u8,
            letter: draw.letter(),
            i8: draw.bits(8) as i8,
            u8: draw.bits(8) as u8,
            i16: draw.i16(),
            u16: draw.bits(16) as u16,
            i32: draw.i32(),
            u32: draw.bits(32) as u32,
            i64: draw.i64(),
            u64: draw.bits(64),
            f32: draw.f32(),
            f64: draw.f64(),
            sign: draw.sign(),
            text: draw.word(),
            wide: draw.wide(),
            mood: draw.mood(),
            marks: draw.marks(),
            ..Self::default()
        }
    }

    fn print(&self) -> String {
        line!(self: flag raw letter i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 sign text wide mood
            marks)
    }
}

impl Value for Many {
    const IS_KEYED: bool = false;

    #[allow(clippy::needless_update, reason = "a later version has more members")]
    fn make(from: &str, order: u32) -> Self {
        let mut draw = Draw::new(order);
        Self {
            from: from.into(),
            order,
            flags: draw.list(9, Draw::flag),
            raws: draw.list(9, |draw| draw.bits(8) as u8).into(),
            letters: draw.list(9, Draw::letter),
            i8s: draw.list(9, |draw| draw.bits(8) as i8),
            u8s: draw.list(9, |draw| draw.bits(8) as u8),
            i16s: draw.list(9, Draw::i16),
            u16s: draw.list(9, |draw| draw.bits(16) as u16),
            i32s: draw.list(9, Draw::i32),
            u32s: draw.list(9, |draw| draw.bits(32) as u32),
            i64s: draw.list(9, Draw::i64),
            u64s: draw.list(9, |draw| draw.bits(64)),
            f32s: draw.list(9, Draw::f32),
            f64s: draw.list(9, Draw::f64),
            texts: draw.list(9, Draw::word),
            moods: draw.list(9, Draw::mood),
            grid: [0; 2].map(|_| [0; 3].map(|_| draw.i16())),
            triple: [0; 3].map(|_| draw.f64()),
            pair: [0; 2].map(|_| draw.word()),
            bits: [0; 5].map(|_| draw.flag()),
            block: [0; 7].map(|_| draw.bits(8) as u8),
            corners: [0; 2].map(|_| place(&mut draw)),
            ..Self::default()
        }
    }

    fn print(&self) -> String {
        line!(self: flags raws letters i8s u8s i16s u16s i32s u32s i64s u64s f32s f64s texts moods
            grid triple pair bits block corners)
    }
}

impl Value for Deep {
    const IS_KEYED: bool = true;

    #[allow(clippy::needless_update, reason = "a later version has more members")]
    fn make(from: &str, order: u32) -> Self {
        let mut draw = Draw::new(order);
        let number = order % INSTANCES;
        let octets = |order: u32, count: u64| (0..count).map(move |i| (i * 7) as u8 ^ order as u8);
        Self {
            from: from.into(),
            number,
            place: Site {
                x: -(number as i32),
                y: 3 * number as i16,
            },
            order,
            maybe: draw.flag().then(|| draw.i32()),
            word: draw.flag().then(|| draw.word()),
            nest: draw.flag().then(|| place(&mut draw)),
            choice: choice(&mut draw),
            path: draw.list(5, place),
            rows: draw.list(4, |draw| draw.list(4, Draw::i16)),
            choices: draw.list(3, choice),
            counts: (0..draw.below(5))
                .map(|i| (format!("k{i}"), draw.i32()))
                .collect(),
            places: (0..draw.below(5))
                .map(|i| (i as i32 * 7 - 3, place(&mut draw)))
                .collect(),
            // More than a datagram holds, now and then.
            picture: match order % 16 {
                15 => octets(order, 70_000).collect(),
                _ => octets(order, draw.bits(16) % 40).collect(),
            },
            last: draw.i64(),
            ..Self::default()
        }
    }

    fn print(&self) -> String {
        let counts = self.counts.iter();
        let counts: Vec<String> = counts.map(|(k, v)| format!("{}={v}", k.print())).collect();
        let places = self.places.iter();
        let places: Vec<String> = places.map(|(k, v)| format!("{k}={}", v.print())).collect();
        let all = [
            self.number.print(),
            self.place.print(),
            self.maybe.print(),
            self.word.print(),
            self.nest.print(),
            self.choice.print(),
            self.path.print(),
            self.rows.print(),
            self.choices.print(),
            format!("[{}]", counts.join(",")),
            format!("[{}]", places.join(",")),
            print_octets(&self.picture),
            self.last.print(),
        ];
        format!("{} {:02} {}", self.from, self.order, all.join(" "))
    }

    fn print_key(&self) -> String {
        format!("{} end {} {}", self.from, self.number, self.place.print())
    }
}
