package org.dunlin.status;

/**
 * OFFERED_INCOMPATIBLE_QOS: a reader asks for what a writer does not offer.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param lastPolicyId the policy that stood in the way last, as the standard numbers it
 */
public record OfferedIncompatibleQosStatus(int totalCount, int totalCountChange, int lastPolicyId) {
}
