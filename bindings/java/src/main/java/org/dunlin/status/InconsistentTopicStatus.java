package org.dunlin.status;

/**
 * INCONSISTENT_TOPIC: somebody has a topic of this name with another type.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 */
public record InconsistentTopicStatus(int totalCount, int totalCountChange) {
}
