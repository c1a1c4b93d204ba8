//! The type, and how a shape moves.
use dunlin::Topic;

/// As the suite's IDL has it.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(extensibility = "appendable")]
pub(crate) struct ShapeType {
    #[key]
    #[topic(bound = 128)]
    pub(crate) color: String,
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) shapesize: i32,
    pub(crate) additional_payload_size: Vec<u8>,
}

/// The field in which shapes move.
pub(crate) const WIDTH: i32 = 240;
pub(crate) const HEIGHT: i32 = 270;

/// Where a shape is, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    pub(crate) x: i32,
    pub(crate) y: i32,
    along: i32,
    down: i32,
}

impl Motion {
    /// Anywhere, in any direction.
    pub(crate) fn random() -> Self {
        let mut dice = [0; 4];
        // Without random numbers it begins in the corner.
        let _ = getrandom::fill(&mut dice);
        let [x, y, along, down] = dice.map(i32::from);
        let speed = |die: i32| (1 + die / 2 % 5) * if die % 2 == 0 { 1 } else { -1 };
        Self {
            x: x * WIDTH / 256,
            y: y * HEIGHT / 256,
            along: speed(along),
            down: speed(down),
        }
    }

    /// One step; the walls throw it back, and it is never outside them.
    pub(crate) fn step(&mut self) {
        bounce(&mut self.x, &mut self.along, WIDTH);
        bounce(&mut self.y, &mut self.down, HEIGHT);
    }
}

fn bounce(at: &mut i32, speed: &mut i32, wall: i32) {
    if !(0..wall).contains(&(*at + *speed)) {
        *speed = -*speed;
    }
    *at += *speed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_never_leaves_the_field_and_never_rests() {
        let corner = |x, y, along, down| Motion { x, y, along, down };
        let corners = [
            corner(0, 0, -1, -5),
            corner(WIDTH - 1, 0, 1, -1),
            corner(0, HEIGHT - 1, -5, 2),
            corner(WIDTH - 1, HEIGHT - 1, 4, 5),
        ];
        for mut motion in corners
            .into_iter()
            .chain((0..100).map(|_| Motion::random()))
        {
            for _ in 0..1_000 {
                let before = (motion.x, motion.y);
                motion.step();
                assert!((0..WIDTH).contains(&motion.x) && (0..HEIGHT).contains(&motion.y));
                assert_ne!((motion.x, motion.y), before);
            }
        }
    }
}
