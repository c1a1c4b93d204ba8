package org.dunlin.qos;

/**
 * A property of an entity (PROPERTY).
 *
 * @param name its name
 * @param value its value
 * @param propagate whether others are told
 */
public record Property(String name, String value, boolean propagate) {
}
