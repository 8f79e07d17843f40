package io.zerorename.core.metrics;

import io.zerorename.core.parallel.ProcessShare;
import java.util.List;

/** What the process has in use now, all class loaders together. */
public enum Gauge {
  /** What {@code zerorename.process.threads} limits. */
  THREADS(
      "Threads", "Threads that commits and aborts have beside one of each", ProcessShare.THREADS),
  /** What {@code zerorename.upload.memory.limit} limits. */
  UPLOAD_MEMORY(
      "UploadMemory", "Bytes of memory that hold unsent files", ProcessShare.UPLOAD_BUFFERS),
  /** A quarter of the heap at most. */
  PLAN_MEMORY(
      "PlanMemory",
      "Bytes of memory that hold plans of commits",
      ProcessShare.PLANS_KEPT,
      ProcessShare.PLANS_UNDER_WAY);

  private final String attribute;

  /** In a few words, for JMX and sinks. */
  final String meaning;

  /** The names of the {@link ProcessShare}s that count it. */
  final List<String> shares;

  Gauge(String attribute, String meaning, String... shares) {
    this.attribute = attribute;
    this.meaning = meaning;
    this.shares = List.of(shares);
  }

  /** The name that JMX and sinks show. */
  public String attribute() {
    return attribute;
  }
}
