//! The default QoS of participants, which a whole process shares: so in a process of its own, and a
//! network namespace.
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use dunlin::*;
use namespace::{BARE, in_namespace};

#[test]
fn participants_are_made_with_the_default_of_the_factory() {
    let name = "participants_are_made_with_the_default_of_the_factory";
    in_namespace(name, BARE, || {
        let usual = DomainParticipant::default_participant_qos();
        assert_eq!(usual, DomainParticipantQos::default());
        let wanted = DomainParticipantQos {
            user_data: b"dunlin".to_vec(),
            entity_name: "factory".into(),
            ..usual
        };
        DomainParticipant::set_default_participant_qos(wanted.clone()).unwrap();
        assert_eq!(DomainParticipant::default_participant_qos(), wanted);
        let made = DomainParticipant::new(3).unwrap();
        assert_eq!(made.qos(), wanted);
        let other = DomainParticipant::with_config(3, ParticipantConfig::default()).unwrap();
        assert_eq!(other.qos(), DomainParticipantQos::default());

        let twice = Properties::default().with("a", "1").with("a", "2");
        let refused = DomainParticipant::set_default_participant_qos(DomainParticipantQos {
            property: twice,
            ..Default::default()
        });
        assert!(matches!(refused, Err(Error::InconsistentPolicy { .. })));
        assert_eq!(DomainParticipant::default_participant_qos(), wanted);
    });
}
