package org.dunlin.status;

import org.dunlin.InstanceHandle;

/**
 * REQUESTED_DEADLINE_MISSED.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param lastInstance the instance of which there was no sample in time
 */
public record RequestedDeadlineMissedStatus(int totalCount, int totalCountChange, InstanceHandle lastInstance) {
}
