package org.dunlin.status;

import org.dunlin.InstanceHandle;

/**
 * OFFERED_DEADLINE_MISSED.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param lastInstance the instance of which there was no sample in time
 */
public record OfferedDeadlineMissedStatus(int totalCount, int totalCountChange, InstanceHandle lastInstance) {
}
