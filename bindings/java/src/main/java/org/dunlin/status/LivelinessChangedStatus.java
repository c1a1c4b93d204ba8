package org.dunlin.status;

import org.dunlin.InstanceHandle;

/**
 * LIVELINESS_CHANGED: writers of a reader live or do not.
 *
 * @param aliveCount how many live
 * @param aliveCountChange the change of that
 * @param notAliveCount how many do not
 * @param notAliveCountChange the change of that
 * @param lastPublication the writer that it was last
 */
public record LivelinessChangedStatus(int aliveCount, int aliveCountChange, int notAliveCount, int notAliveCountChange, InstanceHandle lastPublication) {
}
