//! What a writer keeps: for sites that have lost something, and for those that join late.
use crate::page::{self, Page, Request};
use bytes::Bytes;
use dunlin::InstanceHandle;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// What everybody may ask for again is kept so long, ...
const RECENT: Duration = Duration::from_secs(10);
/// ... or until there is so much of it.
const RECENT_BYTES: usize = 64 << 20;
/// Of what is kept for late joiners, whatever HISTORY says.
const HISTORY_ITEMS: usize = 1_000_000;
const HISTORY_BYTES: usize = 256 << 20;

/// A change as it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) number: u64,
    pub(crate) is_alive: bool,
    pub(crate) instance: InstanceHandle,
    /// An encoded [`crate::attachment::Attachment`].
    pub(crate) attachment: Bytes,
    pub(crate) payload: Bytes,
}

impl Item {
    fn len(&self) -> usize {
        self.attachment.len() + self.payload.len()
    }
}

/// The changes of a writer.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// What was written last, with the time.
    recent: VecDeque<(Duration, Arc<Item>)>,
    recent_bytes: usize,
    /// So many of each instance are kept for those who join late; `None` for nothing.
    depth: Option<usize>,
    history: BTreeMap<u64, Arc<Item>>,
    history_bytes: usize,
    by_instance: HashMap<InstanceHandle, VecDeque<u64>>,
    last: u64,
}

impl Store {
    pub(crate) fn new(depth: Option<usize>) -> Self {
        Self {
            depth,
            ..Self::default()
        }
    }

    /// How many changes and bytes there are.
    #[cfg(test)]
    fn size(&self) -> (usize, usize) {
        (
            self.recent.len() + self.history.len(),
            self.recent_bytes + self.history_bytes,
        )
    }

    pub(crate) fn push(&mut self, now: Duration, item: Arc<Item>) {
        self.last = self.last.max(item.number);
        if let Some(depth) = self.depth {
            self.keep(depth, &item);
        }
        self.recent_bytes += item.len();
        self.recent.push_back((now, item));
        self.forget(now);
    }

    fn keep(&mut self, depth: usize, item: &Arc<Item>) {
        self.history.insert(item.number, Arc::clone(item));
        self.history_bytes += item.len();
        let own = self.by_instance.entry(item.instance).or_default();
        own.push_back(item.number);
        let old = match own.len() > depth {
            true => own.pop_front(),
            false => None,
        };
        if let Some(old) = old.and_then(|old| self.history.remove(&old)) {
            self.history_bytes -= old.len();
        }
        while self.history.len() > HISTORY_ITEMS || self.history_bytes > HISTORY_BYTES {
            let Some((number, old)) = self.history.pop_first() else {
                break;
            };
            self.history_bytes -= old.len();
            if let Some(own) = self.by_instance.get_mut(&old.instance) {
                own.retain(|other| *other != number);
                if own.is_empty() {
                    self.by_instance.remove(&old.instance);
                }
            }
        }
    }

    /// Forgets what nobody may ask for again.
    pub(crate) fn forget(&mut self, now: Duration) {
        while let Some((at, item)) = self.recent.front() {
            if *at + RECENT > now && self.recent_bytes <= RECENT_BYTES {
                break;
            }
            self.recent_bytes -= item.len();
            self.recent.pop_front();
        }
    }

    /// What there is in a range, as far as it goes into a page.
    pub(crate) fn page(&self, request: &Request) -> Page {
        let (from, to) = (request.from, request.to.min(self.last));
        let mut page = Page {
            from,
            next: from.max(to.saturating_add(1)),
            last: self.last,
            items: Vec::new(),
        };
        if from > to {
            return page;
        }
        let begin = match request.history {
            true => u64::MAX,
            false => self
                .recent
                .front()
                .map_or(u64::MAX, |(_, item)| item.number),
        };
        let kept = self.history.range(from..=to).map(|(_, item)| item);
        let kept = kept.take_while(|item| item.number < begin);
        let skipped = self
            .recent
            .partition_point(|(_, item)| item.number < from.max(begin));
        let recent = self.recent.range(skipped..).map(|(_, item)| item);
        let recent = recent.take_while(|item| item.number <= to);
        let mut bytes = 0;
        for item in kept.chain(recent) {
            if page.items.len() >= page::ITEMS || bytes >= page::BYTES {
                page.next = item.number;
                break;
            }
            bytes += item.len();
            let (attachment, payload) = (item.attachment.clone(), item.payload.clone());
            page.items.push((attachment, payload));
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(number: u64, instance: u8, length: usize) -> Arc<Item> {
        Arc::new(Item {
            number,
            is_alive: true,
            instance: InstanceHandle([instance; 16]),
            attachment: Bytes::copy_from_slice(&number.to_le_bytes()),
            payload: vec![instance; length].into(),
        })
    }

    fn numbers(page: &Page) -> Vec<u64> {
        let all = page.items.iter();
        all.map(|(a, _)| u64::from_le_bytes(a[..].try_into().unwrap()))
            .collect()
    }

    fn ask(from: u64, to: u64, history: bool) -> Request {
        Request {
            asker: [9; 12],
            writer: [0; 4],
            from,
            to,
            history,
        }
    }

    #[test]
    fn what_is_recent_can_be_asked_for_and_the_rest_is_forgotten() {
        let mut store = Store::new(None);
        for number in 1..=20 {
            store.push(Duration::from_secs(number), item(number, 1, 10));
        }
        let page = store.page(&ask(1, 15, false));
        assert_eq!(numbers(&page), [11, 12, 13, 14, 15]);
        assert_eq!((page.next, page.last), (16, 20));
        assert_eq!(store.page(&ask(u64::MAX, u64::MAX, true)).last, 20);
        assert_eq!(numbers(&store.page(&ask(1, u64::MAX, true))), [0; 0]);
        store.forget(Duration::from_secs(60));
        assert_eq!(store.size(), (0, 0));
        let big = 40 << 20;
        for number in 21..=23 {
            store.push(Duration::from_secs(60), item(number, 1, big));
        }
        assert_eq!(store.size().0, 1);
    }

    #[test]
    fn late_joiners_get_of_each_instance_what_history_says() {
        let mut store = Store::new(Some(2));
        for number in 1..=1000 {
            let instance = (number % 100) as u8;
            store.push(Duration::from_secs(number), item(number, instance, 10));
        }
        let page = store.page(&ask(1, u64::MAX, true));
        assert_eq!(numbers(&page), (801..=1000).collect::<Vec<_>>());
        // A gap may be in what is recent or in what is kept.
        let page = store.page(&ask(900, 995, false));
        assert_eq!(numbers(&page), (900..=995).collect::<Vec<_>>());
        assert_eq!(store.history_bytes, 200 * 18);
    }

    #[test]
    fn pages_have_a_bound_and_go_on_where_they_end() {
        let mut store = Store::new(Some(1));
        for number in 1..=1000 {
            let name = InstanceHandle(u128::from(number).to_le_bytes());
            let mut own = (*item(number, 1, 10)).clone();
            own.instance = name;
            store.push(Duration::ZERO, Arc::new(own));
        }
        let (mut from, mut got) = (1, 0);
        while from <= 1000 {
            let page = store.page(&ask(from, u64::MAX, true));
            assert!(page.items.len() <= page::ITEMS && page.next > from);
            assert_eq!(Page::parse(&page.encode()), Some(page.clone()));
            (from, got) = (page.next, got + page.items.len());
        }
        assert_eq!(got, 1000);
    }

    #[test]
    fn damaged_pages_and_requests_are_nothing() {
        let mut store = Store::new(None);
        store.push(Duration::ZERO, item(1, 1, 10));
        let bytes = store.page(&ask(1, 1, false)).encode();
        for end in 0..bytes.len() {
            let parsed = Page::parse(&bytes.slice(..end));
            assert_eq!(parsed.is_some(), end == 24, "{end}");
        }
        let request = ask(3, 9, true);
        let bytes = request.encode();
        assert_eq!(Request::parse(&bytes), Some(request));
        assert!((0..bytes.len()).all(|end| Request::parse(&bytes[..end]).is_none()));
    }
}
