//! Where there are many, all are busy: what is said once more only waits behind all else.
use dunlin_qos::Duration;

/// So many are a crowd.
const CROWD: usize = 16;
/// In a crowd an answer is waited for so much longer for each ...
const PAUSE_OF_EACH: Duration = Duration::from_nanos(2_500_000);
/// ... and no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// True if so many are a crowd.
pub(crate) fn is_one(among: usize) -> bool {
    among >= CROWD
}

/// How long one of so many is waited for at least before it is asked, or asked again; `None` if
/// they are no crowd.
pub(crate) fn pause(among: usize) -> Option<Duration> {
    let many = i64::try_from(among).ok().filter(|_| is_one(among))?;
    let pause = PAUSE_OF_EACH.as_nanos().saturating_mul(many);
    Some(Duration::from_nanos(pause).min(LONGEST_PAUSE))
}

/// The pause before one of so many is asked again that would else be asked after `pause`.
pub(crate) fn longer(pause: Duration, among: usize) -> Duration {
    self::pause(among).map_or(pause, |longer| longer.max(pause))
}
