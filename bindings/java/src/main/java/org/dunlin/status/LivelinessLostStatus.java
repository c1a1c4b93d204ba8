package org.dunlin.status;

/**
 * LIVELINESS_LOST: a writer did not say in time that it lives.
 *
 * @param totalCount how often ever
 * @param totalCountChange how often since this status was last read
 */
public record LivelinessLostStatus(int totalCount, int totalCountChange) {
}
