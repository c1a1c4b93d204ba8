//! Whether two sets of repetitions differ by more than chance: the rank-sum test of Mann and
//! Whitney, by permutation.
//!
//! Exact where all ways of dealing the ranks out can be counted (ties share their mean rank), drawn
//! otherwise. Testing many cells at once would call one in twenty different by chance alone, so the
//! results are corrected after Benjamini and Hochberg.

use super::chance::Chance;

/// Up to this many divisions are counted one by one.
const COUNTED: f64 = 200_000.0;

/// How many are drawn where there are more.
const DRAWN: u32 = 50_000;

const SEED: u64 = 0x7261_6e6b;

/// The probability that ranks as far apart as these, either way, come by chance; none if a side is
/// empty.
pub fn rank_test(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let ranks = doubled_ranks(a, b);
    let taken: u64 = ranks.iter().take(a.len()).sum();
    // Twice the sum of all doubled ranks of side a, so that its mean is whole: (n + 1) per element,
    // doubled.
    let centre = (a.len() * (ranks.len() + 1)) as u64;
    let far = taken.abs_diff(centre);
    let extreme = |sum: u64| sum.abs_diff(centre) >= far;
    Some(match divisions(a.len(), b.len()) <= COUNTED {
        true => counted(&ranks, a.len(), &extreme),
        false => drawn(ranks, a.len(), &extreme),
    })
}

/// The least that [`rank_test`] can say of so many repetitions: all of one side beyond all of the
/// other.
pub fn smallest_p(a: usize, b: usize) -> f64 {
    (2.0 / divisions(a, b)).min(1.0)
}

/// Corrected for their number: a cell whose value is below 0.05 belongs to a set of which at most 5
/// % are there by chance.
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|i, j| p[*j].total_cmp(&p[*i]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (above, index) in order.into_iter().enumerate() {
        let rank = p.len() - above;
        least = least.min(p[index] * p.len() as f64 / rank as f64);
        adjusted[index] = least;
    }
    adjusted
}

/// In how many ways `a + b` ranks are dealt to sides of `a` and `b`.
fn divisions(a: usize, b: usize) -> f64 {
    let step = |ways: f64, i: usize| ways * (b + i) as f64 / i as f64;
    (1..=a).fold(1.0, step).round()
}

/// Twice the rank of each value, side a first; equal values share their mean rank.
fn doubled_ranks(a: &[f64], b: &[f64]) -> Vec<u64> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let doubled = |value: &f64| {
        let below = all.iter().filter(|other| *other < value).count();
        let equal = all.iter().filter(|other| *other == value).count();
        (2 * below + equal + 1) as u64
    };
    all.iter().map(doubled).collect()
}

/// Counts how many choices of `take` ranks have each sum, without enumerating the choices.
fn counted(ranks: &[u64], take: usize, extreme: &dyn Fn(u64) -> bool) -> f64 {
    let most: u64 = ranks.iter().sum();
    let width = most as usize + 1;
    let mut ways = vec![vec![0.0f64; width]; take + 1];
    ways[0][0] = 1.0;
    for rank in ranks.iter().map(|rank| *rank as usize) {
        for chosen in (1..=take).rev() {
            for sum in (rank..width).rev() {
                let with = ways[chosen - 1][sum - rank];
                ways[chosen][sum] += with;
            }
        }
    }
    let all: f64 = ways[take].iter().sum();
    let far = ways[take].iter().enumerate();
    let far = far.filter(|(sum, _)| extreme(*sum as u64));
    far.map(|(_, ways)| ways).sum::<f64>() / all
}

fn drawn(mut ranks: Vec<u64>, take: usize, extreme: &dyn Fn(u64) -> bool) -> f64 {
    let mut chance = Chance::new(SEED);
    let mut far = 0u32;
    for _ in 0..DRAWN {
        for place in 0..take {
            let from = place + chance.below(ranks.len() - place);
            ranks.swap(place, from);
        }
        far += u32::from(extreme(ranks.iter().take(take).sum()));
    }
    // What was measured is one of the ways, too.
    f64::from(far + 1) / f64::from(DRAWN + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn sides_that_do_not_overlap_have_the_smallest_probability() {
        for n in 1..7 {
            let a: Vec<_> = (0..n).map(f64::from).collect();
            let b: Vec<_> = a.iter().map(|x| x + 100.0).collect();
            let p = rank_test(&a, &b).unwrap();
            assert!(near(p, smallest_p(a.len(), b.len())), "{n}: {p}");
        }
        assert!(near(smallest_p(3, 3), 0.1));
        assert!(near(smallest_p(5, 5), 2.0 / 252.0));
    }

    #[test]
    fn known_sides_give_the_tabled_probability() {
        // U = 3 for 4 and 5 without ties: 2 * 7 / 126.
        let (a, b) = ([1.0, 2.0, 4.0, 7.0], [3.0, 6.0, 8.0, 9.0, 10.0]);
        let p = rank_test(&a, &b).unwrap();
        let below: usize = b.iter().map(|x| a.iter().filter(|y| *y > x).count()).sum();
        assert_eq!(below, 3);
        assert!(near(p, 14.0 / 126.0), "{p}");
    }

    #[test]
    fn ties_alone_say_nothing() {
        assert!(near(rank_test(&[5.0; 4], &[5.0; 4]).unwrap(), 1.0));
        assert_eq!(rank_test(&[], &[1.0]), None);
    }

    #[test]
    fn drawing_agrees_with_counting() {
        let a: Vec<_> = (0..8).map(|i| f64::from(i * 3 % 11)).collect();
        let b: Vec<_> = (0..8).map(|i| f64::from(i * 5 % 11) + 3.5).collect();
        let ranks = doubled_ranks(&a, &b);
        let centre = 8 * 17;
        let far = ranks.iter().take(8).sum::<u64>().abs_diff(centre);
        let extreme = |sum: u64| sum.abs_diff(centre) >= far;
        let (exact, drawn) = (counted(&ranks, 8, &extreme), drawn(ranks, 8, &extreme));
        assert!((exact - drawn).abs() < 0.01, "{exact} {drawn}");
    }

    #[test]
    fn many_repetitions_are_drawn_and_still_decide() {
        let a: Vec<_> = (0..40).map(f64::from).collect();
        let b: Vec<_> = a.iter().map(|x| x + 30.0).collect();
        assert!(rank_test(&a, &b).unwrap() < 0.001);
        assert!(rank_test(&a, &a).unwrap() > 0.9);
    }

    #[test]
    fn correction_follows_benjamini_and_hochberg() {
        let adjusted = adjusted(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5];
        assert!(
            adjusted.iter().zip(expected).all(|(a, b)| near(*a, b)),
            "{adjusted:?}"
        );
        assert!(super::adjusted(&[]).is_empty());
    }
}
