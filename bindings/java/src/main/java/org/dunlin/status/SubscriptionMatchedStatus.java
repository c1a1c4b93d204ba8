package org.dunlin.status;

import org.dunlin.InstanceHandle;

/**
 * SUBSCRIPTION_MATCHED: a writer came or went.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 * @param currentCount how many match now
 * @param currentCountChange the change of that
 * @param lastPublication the writer that it was last
 */
public record SubscriptionMatchedStatus(int totalCount, int totalCountChange, int currentCount, int currentCountChange, InstanceHandle lastPublication) {
}
