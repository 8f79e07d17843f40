package io.zerorename.demo;

import io.zerorename.testing.hive.Phase;
import java.util.Map;
import java.util.Optional;

/**
 * What an engine is, for people.
 *
 * @param name of the product
 * @param title with what it runs on
 * @param phases of a statement that it has, and what they are
 * @param withoutStatistics why statistics of partitions are not compared, where they are not
 */
record EngineFacts(
    String name, String title, Map<Phase, String> phases, Optional<String> withoutStatistics) {}
