package io.zerorename.core.config;

/**
 * A setting of Hive or Hadoop that has to have one certain value for the committer to be used.
 *
 * @param key Hive's or Hadoop's name of it
 * @param value the one that it has to have; where a list is allowed, one of its elements
 * @param description what it is good for
 */
public record FixedSetting(String key, String value, String description) {}
