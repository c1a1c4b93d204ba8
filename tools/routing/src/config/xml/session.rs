//! `<session>`.
use super::domain_route::Connections;
use super::{Reader, each, path};
use crate::config::values;
use crate::plan::{Session, ThreadPool};
use dunlin::Duration;
use dunlin_document::{Element, Problem};

/// The most threads of a session.
const MOST_THREADS: usize = 64;

impl Reader<'_> {
    pub(super) fn session(
        &mut self,
        element: Element<'_>,
        name: String,
        path: &str,
        connections: &Connections<'_>,
    ) -> Session {
        let mut routes = Vec::new();
        for (position, child) in each(element, &["topic_route", "route"]) {
            let name = self.name(child, position);
            let path = path::route(path, &name);
            self.once(child, "route", &path);
            routes.push(self.route(child, name, &path, connections));
        }
        let mut auto_routes = Vec::new();
        for (position, child) in each(element, &["auto_topic_route", "auto_route"]) {
            let name = self.name(child, position);
            let path = path::auto_route(path, &name);
            self.once(child, "auto route", &path);
            auto_routes.extend(self.auto_route(child, name, &path, connections));
        }
        Session {
            name,
            enabled: self.enabled(element),
            threads: self.threads(element),
            publisher: self.publisher_qos(element),
            subscriber: self.subscriber_qos(element),
            period: self.period(element),
            routes,
            auto_routes,
        }
    }

    /// How often a `periodic_action` is called.
    pub(super) fn period(&mut self, element: Element<'_>) -> Option<Duration> {
        let action = element.child("periodic_action")?;
        self.duration(action)
    }

    fn threads(&mut self, session: Element<'_>) -> ThreadPool {
        let mut threads = ThreadPool::default();
        let Some(pool) = session.child("thread_pool") else {
            return threads;
        };
        if let Some(text) = self.text(pool, "size")
            && let Some(size) = self.number(text, u64::from(u32::MAX))
        {
            threads.size = size as usize;
            if !(1..=MOST_THREADS).contains(&threads.size) {
                let message = format!("a session has 1 to {MOST_THREADS} threads");
                let help = "with 1, whoever receives forwards".to_owned();
                self.problems
                    .push(Problem::error(text.span, message).help(help));
            }
        }
        let list = pool.child("cpu_list");
        for element in list.iter().flat_map(|list| list.children()) {
            let Some(text) = element.text() else {
                continue;
            };
            match values::processors(text.text) {
                Ok(processors) => threads.processors.extend(processors),
                Err(message) => self.error(text.span, message),
            }
        }
        threads
    }
}
