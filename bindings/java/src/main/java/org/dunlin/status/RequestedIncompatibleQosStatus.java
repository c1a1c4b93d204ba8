package org.dunlin.status;

/**
 * REQUESTED_INCOMPATIBLE_QOS: a writer does not offer what a reader asks for.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param lastPolicyId the policy that stood in the way last, as the standard numbers it
 */
public record RequestedIncompatibleQosStatus(int totalCount, int totalCountChange, int lastPolicyId) {
}
