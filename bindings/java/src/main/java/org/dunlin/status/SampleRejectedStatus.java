package org.dunlin.status;

import org.dunlin.InstanceHandle;

/**
 * SAMPLE_REJECTED: samples for which a reader had no room.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param lastReason which limit it was
 * @param lastInstance the instance of the last one
 */
public record SampleRejectedStatus(int totalCount, int totalCountChange, SampleRejectedReason lastReason, InstanceHandle lastInstance) {
}
