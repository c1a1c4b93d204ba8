//! `<routing_service>`.
use super::{Reader, each, path};
use crate::plan::{Administration, Limits, Monitoring, ParticipantPlan, Plan};
use dunlin::Duration;
use dunlin_document::{Element, Problem};

impl Reader<'_> {
    /// Reads a service.
    pub(in super::super) fn service(&mut self, service: super::Named<'_>) -> Plan {
        let element = service.element;
        let path = path::service(service.name);
        self.places.set(&*path, service.span);
        let group = element.attribute("group_name");
        let mut domain_routes = Vec::new();
        for (position, child) in each(element, &["domain_route"]) {
            let name = self.name(child, position);
            let path = path::domain_route(&path, &name);
            self.once(child, "domain route", &path);
            domain_routes.push(self.domain_route(child, name, &path));
        }
        if domain_routes.is_empty() {
            let problem = Problem::error(element.span(), "the service has no domain_route");
            let help = "add <domain_route> with participants and a session".to_owned();
            self.problems.push(problem.help(help));
        }
        let plan = Plan {
            name: service.name.to_owned(),
            group: group.map_or(String::new(), |group| group.text.to_owned()),
            enabled: self.enabled(element),
            administration: self.administration(element),
            monitoring: self.monitoring(element),
            limits: Limits::default(),
            types: self.route_types.clone(),
            domain_routes,
        };
        self.noted();
        plan
    }

    fn administration(&mut self, service: Element<'_>) -> Option<Administration> {
        let element = service.child("administration")?;
        self.is_enabled(element).then_some(())?;
        Some(Administration {
            domain: self.domain(element)?,
            participant: Box::new(self.own_participant(element)),
            allows_changes: self.boolean(element, "allow_changes", false),
        })
    }

    fn monitoring(&mut self, service: Element<'_>) -> Option<Monitoring> {
        let element = service.child("monitoring")?;
        self.is_enabled(element).then_some(())?;
        let publication = element.child("status_publication_period");
        let sampling = element.child("statistics_sampling_period");
        let publication = publication.and_then(|period| self.duration(period));
        let sampling = sampling.and_then(|period| self.duration(period));
        Some(Monitoring {
            domain: self.monitoring_domain(service, element)?,
            participant: Box::new(self.own_participant(element)),
            publication_period: publication.unwrap_or(Duration::from_secs(5)),
            sampling_period: sampling.unwrap_or(Duration::from_secs(1)),
        })
    }

    /// The participant of an element. Without QoS of its own it has the usual transports and peers;
    /// those of the default profile are for the participants of data.
    fn own_participant(&mut self, element: Element<'_>) -> ParticipantPlan {
        let plan = self.participant_qos(element);
        let names = ["domain_participant_qos", "participant_qos"];
        match names.iter().any(|name| element.child(name).is_some()) {
            true => plan,
            false => ParticipantPlan {
                qos: plan.qos,
                ..ParticipantPlan::default()
            },
        }
    }

    /// Its own, else that of `<administration>`.
    fn monitoring_domain(&mut self, service: Element<'_>, own: Element<'_>) -> Option<u32> {
        let administration = service.child("administration");
        let other = administration.and_then(|other| other.child("domain_id")?.text());
        match (own.child("domain_id"), other) {
            (None, Some(other)) => {
                let message = format!(
                    "monitoring has no domain_id: that of administration is taken, {}",
                    other.text
                );
                let problem = Problem::warning(own.span(), message);
                self.problems
                    .push(problem.help(format!("add <domain_id>{}</domain_id>", other.text)));
                // A wrong one is reported where it is.
                other.text.parse().ok()
            }
            _ => self.domain(own),
        }
    }

    /// The element or the attribute `enabled`.
    fn is_enabled(&mut self, element: Element<'_>) -> bool {
        self.enabled(element) && self.boolean(element, "enabled", true)
    }

    /// The domain that an element names, and has to name.
    pub(super) fn domain(&mut self, element: Element<'_>) -> Option<u32> {
        if element.child("domain_id").is_none() {
            let message = format!("{} has no domain_id", element.name());
            let help = "add <domain_id>0</domain_id>".to_owned();
            self.problems
                .push(Problem::error(element.span(), message).help(help));
        }
        let text = self.text(element, "domain_id")?;
        Some(self.number(text, u64::from(u32::MAX))? as u32)
    }
}
