package org.dunlin.status;

import org.dunlin.InstanceHandle;

/**
 * PUBLICATION_MATCHED: a reader came or went.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param currentCount how many match now
 * @param currentCountChange the change of that
 * @param lastSubscription the reader that it was last
 */
public record PublicationMatchedStatus(int totalCount, int totalCountChange, int currentCount, int currentCountChange, InstanceHandle lastSubscription) {
}
