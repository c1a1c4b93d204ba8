//! Each file of each corpus goes through its target.
use std::path::Path;

/// All, or those that FUZZ_TARGETS names, with commas between.
fn targets() -> impl Iterator<Item = &'static (&'static str, dunlin_fuzz::Target)> {
    let wanted = std::env::var("FUZZ_TARGETS").ok();
    dunlin_fuzz::TARGETS.iter().filter(move |(name, _)| {
        let wanted = wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.split(',').any(|one| one == *name))
    })
}

#[test]
fn each_corpus_is_replayed() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, target) in targets() {
        let mut files = 0;
        for entry in std::fs::read_dir(corpora.join(name)).expect(name) {
            let path = entry.expect(name).path();
            let data = std::fs::read(&path).expect(name);
            println!("{}", path.display());
            target(&data);
            files += 1;
        }
        assert!(files > 0, "{name} has no seeds");
    }
}

/// A cheap substitute for the fuzzer on stable Rust: each seed damaged in many ways, always the
/// same ones.
#[test]
fn each_seed_is_damaged() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize
    };
    for (name, target) in targets() {
        // To agree on keys takes milliseconds.
        let times = if *name == "tls" { 50 } else { 300 };
        // In an order that is the same everywhere, for the sake of what is done to them.
        let entries = std::fs::read_dir(corpora.join(name)).expect(name);
        let mut paths: Vec<_> = entries.map(|entry| entry.expect(name).path()).collect();
        paths.sort();
        for path in paths {
            let seed = std::fs::read(path).expect(name);
            for _ in 0..times {
                let mut data = seed.clone();
                for _ in 0..1 + next() % 4 {
                    let at = next() % data.len().max(1);
                    match next() % 4 {
                        0 => data.truncate(at),
                        1 => data.insert(at.min(data.len()), next() as u8),
                        _ if at < data.len() => {
                            data[at] = [0, 1, 0x7f, 0x80, 0xff, next() as u8][next() % 6]
                        }
                        _ => {}
                    }
                }
                target(&data);
            }
        }
    }
}
