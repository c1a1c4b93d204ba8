package org.dunlin.status;

/**
 * SAMPLE_LOST: samples that a reader did not get.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 */
public record SampleLostStatus(int totalCount, int totalCountChange) {
}
