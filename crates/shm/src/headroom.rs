//! How much memory this process may still take before the kernel kills somebody for it.
//!
//! The pages of a segment are made at once, and charged to the memory cgroup of who makes it. If
//! that has no room left, the kernel does not refuse: it kills. So we look first. Between the look
//! and the pages others may take what we saw; the margin is for them.
//!
//! A look reads several files. Small segments come by hundreds where participants meet, so after a
//! look a small part of what it saw may be taken without another one.
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Error;

/// What is left to all others, in bytes: page tables, stacks, allocations.
const MARGIN: u64 = 1 << 20;

/// What may be taken without another look, at most.
const ALLOWANCE: u64 = 2 << 20;
/// ... and as a part of what was seen: several hundred processes may have looked at once.
const PART: u64 = 1024;
/// How long a look is good for.
const GOOD_FOR: Duration = Duration::from_secs(1);

/// Of this process.
static ALLOWED: Mutex<Allowance> = Mutex::new(Allowance {
    left: 0,
    until: None,
});

/// Asks for `bytes` bytes.
///
/// # Errors
/// `Limit` if the memory cgroup, one that it lies in, or the machine would be nearly full with
/// them.
pub(crate) fn check(bytes: usize) -> Result<(), Error> {
    let mut allowed = ALLOWED.lock().unwrap_or_else(PoisonError::into_inner);
    let look = || check_in(Path::new("/proc"), bytes);
    allowed.check(bytes as u64, Instant::now(), look)
}

/// What may be taken without another look, and until when.
struct Allowance {
    left: u64,
    until: Option<Instant>,
}

impl Allowance {
    fn check(
        &mut self,
        bytes: u64,
        now: Instant,
        look: impl FnOnce() -> Result<u64, Error>,
    ) -> Result<(), Error> {
        if bytes <= self.left && self.until.is_some_and(|until| now < until) {
            self.left -= bytes;
            return Ok(());
        }
        let more = look()?;
        self.left = (more / PART).min(ALLOWANCE);
        self.until = Some(now + GOOD_FOR);
        Ok(())
    }
}

/// How much more there is than these bytes.
fn check_in(proc: &Path, bytes: usize) -> Result<u64, Error> {
    let needed = (bytes as u64).saturating_add(MARGIN);
    let mut more = u64::MAX;
    if let Some(room) = available(proc) {
        let machine = Error::Limit("the machine has no memory left for a segment");
        more = room.checked_sub(needed).ok_or(machine)?;
    }
    for room in groups(proc).iter().filter_map(|group| group.room(needed)) {
        let group = Error::Limit("the memory cgroup has no room for a segment of this size");
        more = more.min(room.checked_sub(needed).ok_or(group)?);
    }
    Ok(more)
}

/// What the machine has left.
fn available(proc: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(proc.join("meminfo")).ok()?;
    field(&text, "MemAvailable:")?.checked_mul(1024)
}

/// The two generations of cgroups name the same things differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    One,
    Two,
}

/// A directory of the cgroup file system.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    directory: PathBuf,
    generation: Generation,
}

impl Group {
    /// The limit less what is in use, at least if that is less than `needed`; what is only a copy
    /// of files is given up before anybody is killed, as long as nobody used it lately. `None`
    /// without a limit, or for what we cannot read.
    fn room(&self, needed: u64) -> Option<u64> {
        let [limit, usage, idle] = match self.generation {
            Generation::One => [
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ],
            Generation::Two => ["memory.max", "memory.current", "inactive_file"],
        };
        let read = |name: &str| std::fs::read_to_string(self.directory.join(name)).ok();
        let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
        let (limit, usage) = (number(limit)?, number(usage)?);
        // The third file takes the kernel longest.
        let room = limit.saturating_sub(usage);
        if room >= needed {
            return Some(room);
        }
        let idle = read("memory.stat").and_then(|text| field(&text, idle));
        let taken = usage.saturating_sub(idle.unwrap_or(0));
        Some(limit.saturating_sub(taken))
    }
}

/// The memory cgroups of this process, and all that they lie in.
fn groups(proc: &Path) -> Vec<Group> {
    let read = |name: &str| std::fs::read_to_string(proc.join("self").join(name));
    let (Ok(memberships), Ok(mounts)) = (read("cgroup"), read("mountinfo")) else {
        return Vec::new();
    };
    let mut groups = Vec::new();
    for line in memberships.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let generation = match controllers {
            "" => Generation::Two,
            _ if has(controllers, "memory") => Generation::One,
            _ => continue,
        };
        let Some((root, mount)) = mounts.lines().find_map(|line| mount(line, generation)) else {
            continue;
        };
        // What the mount shows may begin below the root of all cgroups, as in a container.
        let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
        let directories = below.ancestors().map(|below| mount.join(below));
        groups.extend(directories.map(|directory| Group {
            directory,
            generation,
        }));
    }
    groups
}

/// What of the hierarchy is mounted, and where, if a line of `mountinfo` is about memory cgroups.
fn mount(line: &str, generation: Generation) -> Option<(&str, &Path)> {
    let (mount, system) = line.split_once(" - ")?;
    let mut fields = mount.split(' ').skip(3);
    let (root, at) = (fields.next()?, fields.next()?);
    let mut system = system.split(' ');
    let (kind, options) = (system.next()?, system.nth(1)?);
    let ours = match generation {
        Generation::One => kind == "cgroup" && has(options, "memory"),
        Generation::Two => kind == "cgroup2",
    };
    ours.then_some((root, Path::new(at)))
}

fn has(list: &str, item: &str) -> bool {
    list.split(',').any(|each| each == item)
}

/// The number after a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then(|| words.next()?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory that looks like `/proc` and one like `/sys/fs/cgroup`.
    struct Machine(PathBuf);

    impl Machine {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("dunlin-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("self")).unwrap();
            Self(path)
        }

        fn write(&self, name: &str, text: &str) -> &Self {
            let path = self.0.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
            self
        }

        fn fits(&self, bytes: u64) -> bool {
            let answer = check_in(&self.0, bytes as usize);
            assert!(matches!(answer, Ok(_) | Err(Error::Limit(_))));
            answer.is_ok()
        }

        /// As much fits, and not a byte more.
        #[track_caller]
        fn has_room_for(&self, bytes: u64) {
            assert!(self.fits(bytes) && !self.fits(bytes + 1));
        }

        fn at(&self, name: &str) -> String {
            self.0.join(name).display().to_string()
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn without_proc_or_cgroups_everything_fits() {
        assert!(check_in(Path::new("/nowhere"), usize::MAX).is_ok());
        let machine = Machine::new("none");
        assert!(machine.fits(1 << 50));
        machine.write("self/cgroup", "nonsense\n:\n0::\n4:memory:/a\n");
        machine.write("self/mountinfo", "nonsense - \n1 2 3 - cgroup2\n\n - \n");
        machine.write("meminfo", "MemAvailable:\nMemAvailable: none kB\n");
        assert!(machine.fits(1 << 50));
    }

    /// How often it was looked, of so many segments of 64 KiB in a row, if there is that room.
    fn looks(segments: usize, room: u64, pause: Duration) -> usize {
        let mut allowed = Allowance {
            left: 0,
            until: None,
        };
        let (mut looks, begin) = (0, Instant::now());
        for number in 0..segments {
            let now = begin + pause * number as u32;
            let look = || {
                looks += 1;
                Ok(room)
            };
            allowed.check(64 << 10, now, look).unwrap();
        }
        looks
    }

    #[test]
    fn of_many_small_segments_few_are_looked_for() {
        let at_once = |segments, room| looks(segments, room, Duration::ZERO);
        assert_eq!(at_once(330, 16 << 30), 10, "each look allows 32 more");
        assert_eq!(at_once(10, 64 << 20), 5, "each look allows a thousandth");
        assert_eq!(at_once(10, 1 << 20), 10, "there is hardly any room");
        assert_eq!(looks(10, 16 << 30, GOOD_FOR), 10, "each look is old");
    }

    #[test]
    fn a_large_segment_is_looked_for_and_what_does_not_fit_takes_nothing() {
        let mut allowed = Allowance {
            left: 0,
            until: None,
        };
        let now = Instant::now();
        allowed.check(1, now, || Ok(u64::MAX)).unwrap();
        let full = || Err(Error::Limit("full"));
        assert!(allowed.check(ALLOWANCE + 1, now, full).is_err());
        allowed.check(ALLOWANCE, now, full).unwrap();
        assert!(allowed.check(1, now, full).is_err());
    }

    #[test]
    fn the_machine_is_a_limit() {
        let machine = Machine::new("machine");
        machine.write("meminfo", "MemTotal: 9000 kB\nMemAvailable:    4096 kB\n");
        machine.has_room_for((4 << 20) - MARGIN);
    }

    #[test]
    fn the_first_generation_is_read_up_to_its_root() {
        let machine = Machine::new("one");
        let mounts = format!(
            "31 23 0:28 / /x rw - tmpfs tmpfs rw\n35 31 0:32 / {} rw,relatime - cgroup cgroup rw,cpu,memory\n",
            machine.at("memory")
        );
        machine.write("self/cgroup", "5:devices:/\n4:cpu,memory:/a/b\n0::/\n");
        machine.write("self/mountinfo", &mounts);
        machine.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        machine.write("memory/memory.usage_in_bytes", "900000000\n");
        machine.write("memory/a/b/memory.limit_in_bytes", "8000000\n");
        machine.write("memory/a/b/memory.usage_in_bytes", "3000000\n");
        machine.has_room_for(5_000_000 - MARGIN);
        machine.write(
            "memory/a/b/memory.stat",
            "cache 99\ninactive_file 7\ntotal_inactive_file 1000000\n",
        );
        machine.has_room_for(6_000_000 - MARGIN);
        machine.write("memory/a/memory.limit_in_bytes", "4000000\n");
        machine.write("memory/a/memory.usage_in_bytes", "1000000\n");
        machine.has_room_for(3_000_000 - MARGIN);
        machine.write("memory/a/memory.usage_in_bytes", "5000000\n");
        assert!(!machine.fits(0));
    }

    #[test]
    fn the_second_generation_may_be_mounted_from_a_container_on() {
        let machine = Machine::new("two");
        let mounts = format!(
            "35 31 0:32 /pod/c {} rw - cgroup2 cgroup2 rw\n",
            machine.at("cgroup")
        );
        machine.write("self/cgroup", "0::/pod/c/mine\n");
        machine.write("self/mountinfo", &mounts);
        machine.write("cgroup/memory.max", "7000000\n");
        machine.write("cgroup/memory.current", "2000000\n");
        machine.has_room_for(5_000_000 - MARGIN);
        machine.write("cgroup/mine/memory.max", "max\n");
        machine.write("cgroup/mine/memory.current", "1000000\n");
        machine.write("cgroup/memory.stat", "anon 5\ninactive_file 500000\n");
        machine.has_room_for(5_500_000 - MARGIN);
        machine.write("self/cgroup", "0::/elsewhere\n");
        machine.has_room_for(5_500_000 - MARGIN);
    }
}
