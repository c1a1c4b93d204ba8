//! QoS of a file: both sides take it, and it counts.

mod common;

use common::script;

/// A partition is what everybody notices.
const FILE: &str = r#"cd $(mktemp -d); cat > perftest_qos_profiles.xml <<'END'
<dds>
  <qos_library name="PerftestQosLibrary">
    <qos_profile name="BaseProfileQos">
      <publisher_qos><partition><name><element>A</element></name></partition></publisher_qos>
      <subscriber_qos><partition><name><element>A</element></name></partition></subscriber_qos>
    </qos_profile>
    <qos_profile name="ThroughputQos" base_name="BaseProfileQos"/>
    <qos_profile name="LatencyQos" base_name="BaseProfileQos"/>
    <qos_profile name="AnnouncementQos" base_name="BaseProfileQos"/>
  </qos_library>
</dds>
END
"#;

const RUN: &str = "-pub -latencyTest -numIter 50 -noPrint";

#[test]
fn both_sides_take_the_file_of_the_usual_name() {
    let output = script(&format!(
        "{FILE} $P -sub & $P {RUN}; status=$?; wait; exit $status"
    ));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let line = "perftest_qos_profiles.xml: PerftestQosLibrary::BaseProfileQos, ThroughputQos";
    assert_eq!(text.matches(line).count(), 2, "{text}");
}

#[test]
fn what_the_file_says_counts() {
    let output = script(&format!(
        "{FILE} $P -sub -noXmlQos -discoveryTimeout 3 & $P {RUN} -discoveryTimeout 3; \
         status=$?; wait; exit $status"
    ));
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("built-in") && text.contains("shares no partition"),
        "{text}"
    );
}

#[test]
fn a_file_that_is_wrong_is_shown_with_its_line() {
    let output = script(&format!(
        "{FILE} sed -i s/partition/partitoin/g perftest_qos_profiles.xml; $P -sub"
    ));
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(255), "{text}");
    assert!(
        text.contains("perftest_qos_profiles.xml:4:23: error: unknown element"),
        "{text}"
    );
    assert!(text.contains("did you mean \"partition\"?"), "{text}");
}
