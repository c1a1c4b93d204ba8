//! Numbers that follow each other in a struct: where each of them stands is known when the program
//! is built, so they are checked once, and read and written together.

/// A number, or an array of numbers: as many bytes as in memory, whatever the value.
pub trait Number: Copy {
    /// What it is aligned to, in bytes.
    const ALIGN: usize;
    /// How many bytes it takes.
    const SIZE: usize;

    /// Of the first `SIZE` bytes, in the byte order of this machine.
    fn of(bytes: &[u8]) -> Self;

    /// Into the first `SIZE` bytes.
    fn put(self, bytes: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            const ALIGN: usize = size_of::<$number>();
            const SIZE: usize = size_of::<$number>();

            #[inline(always)]
            fn of(bytes: &[u8]) -> Self {
                let bytes = bytes.first_chunk().copied();
                Self::from_ne_bytes(bytes.unwrap_or_default())
            }

            #[inline(always)]
            fn put(self, bytes: &mut [u8]) {
                if let Some(place) = bytes.first_chunk_mut() {
                    *place = self.to_ne_bytes();
                }
            }
        }
    )*};
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

impl<T: Number, const N: usize> Number for [T; N] {
    const ALIGN: usize = T::ALIGN;
    const SIZE: usize = T::SIZE * N;

    #[inline(always)]
    fn of(bytes: &[u8]) -> Self {
        core::array::from_fn(|n| T::of(bytes.get(n * T::SIZE..).unwrap_or_default()))
    }

    #[inline(always)]
    fn put(self, bytes: &mut [u8]) {
        for (place, value) in bytes.chunks_exact_mut(T::SIZE).zip(self) {
            value.put(place);
        }
    }
}

/// Where `N` numbers stand that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<const N: usize> {
    /// From the first byte of the run.
    at: [usize; N],
    size: usize,
    align: usize,
}

impl<const N: usize> Run<N> {
    /// Of numbers with these sizes and alignments.
    pub const fn new(numbers: [(usize, usize); N]) -> Self {
        let mut run = Self {
            at: [0; N],
            size: 0,
            align: 1,
        };
        let mut n = 0;
        while n < N {
            let (size, align) = numbers[n];
            run.at[n] = run.size.next_multiple_of(align);
            run.size = run.at[n] + size;
            if align > run.align {
                run.align = align;
            }
            n += 1;
        }
        run
    }

    /// Bytes from the first to the last.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// What the first of them has to be aligned to for the others to stand where the run says.
    pub const fn align(&self) -> usize {
        self.align
    }

    /// The number at `n`, from 0.
    #[inline(always)]
    pub fn get<T: Number>(&self, n: usize, bytes: &[u8]) -> T {
        let at = self.at.get(n).copied().unwrap_or_default();
        T::of(bytes.get(at..).unwrap_or_default())
    }

    /// Puts the number at `n`, from 0.
    #[inline(always)]
    pub fn put<T: Number>(&self, n: usize, value: T, bytes: &mut [u8]) {
        let at = self.at.get(n).copied().unwrap_or_default();
        value.put(bytes.get_mut(at..).unwrap_or_default());
    }
}

/// Size and alignment, for [`Run::new`].
pub const fn number<T: Number>() -> (usize, usize) {
    (T::SIZE, T::ALIGN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_cdr_aligns_them() {
        let run = Run::new([
            number::<u8>(),
            number::<[u16; 3]>(),
            number::<i32>(),
            number::<f64>(),
            number::<u8>(),
        ]);
        assert_eq!(run.at, [0, 2, 8, 16, 24]);
        assert_eq!((run.size(), run.align()), (25, 8));
        let mut bytes = [0; 25];
        run.put(1, [1_u16, 2, 3], &mut bytes);
        run.put(3, -1.5_f64, &mut bytes);
        assert_eq!(run.get::<[u16; 3]>(1, &bytes), [1, 2, 3]);
        assert_eq!(run.get::<f64>(3, &bytes), -1.5);
    }
}
