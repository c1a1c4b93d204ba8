//! Datagrams in words, for people who look for what went wrong.
use dunlin::Locator;
use dunlin_rtps::Time;
use dunlin_wire::{Message, Submessage};

pub(crate) fn print(now: Time, to: &Locator, datagram: &[u8]) {
    let message = Message::parse(datagram).unwrap();
    let from = message.header.prefix;
    let said: Vec<_> = message
        .submessages
        .filter_map(|submessage| words(&submessage.unwrap()))
        .collect();
    let seconds = now.0 as f64 / 1e9;
    eprintln!("{seconds:.6} {from:?} -> {to:?}: {}", said.join(", "));
}

fn words(submessage: &Submessage<'_>) -> Option<String> {
    Some(match submessage {
        Submessage::InfoTimestamp(_) | Submessage::InfoDestination(_) => return None,
        Submessage::Data(d) => format!("DATA {:?} {}", d.writer, d.sequence.0),
        Submessage::DataFrag(d) => {
            format!("FRAG {:?} {}.{}", d.writer, d.sequence.0, d.first.0)
        }
        Submessage::Heartbeat(h) => {
            let mark = if h.is_final { "" } else { "?" };
            format!("HB {:?} {}..{}{mark}", h.writer, h.first.0, h.last.0)
        }
        Submessage::AckNack(a) => {
            let set = ranges(a.state.iter().map(|n| n.0));
            format!(
                "ACK {:?} {} [{set}] #{}",
                a.writer,
                a.state.base().0,
                a.count
            )
        }
        Submessage::NackFrag(n) => {
            let set = ranges(n.state.iter().map(|n| i64::from(n.0)));
            format!("NACKFRAG {:?} {} [{set}]", n.writer, n.sequence.0)
        }
        Submessage::Gap(g) => {
            let set = ranges(g.list.iter().map(|n| n.0));
            format!(
                "GAP {:?} {}..{} [{set}]",
                g.writer,
                g.start.0,
                g.list.base().0
            )
        }
        other => format!("{other:?}"),
    })
}

fn ranges(numbers: impl Iterator<Item = i64>) -> String {
    let mut all: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => all.push((number, number)),
        }
    }
    let words = all.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(" ")
}
