package io.zerorename.core.metrics;

import io.zerorename.core.parallel.ProcessShare;
import java.util.List;

/** What the process has in use now, all class loaders together. */
public enum Gauge {
  /** What {@code zerorename.process.threads} limits. */
  THREADS("Threads", "Threads that commits and aborts have beside one of each"),
  /** What {@code zerorename.upload.memory.limit} limits. */
  UPLOAD_MEMORY("UploadMemory", "Bytes of memory that hold unsent files"),
  /** A quarter of the heap at most. */
  PLAN_MEMORY("PlanMemory", "Bytes of memory that hold plans of commits");

  private final String attribute;
  private final String meaning;

  Gauge(String attribute, String meaning) {
    this.attribute = attribute;
    this.meaning = meaning;
  }

  /** The name that JMX and sinks show. */
  public String attribute() {
    return attribute;
  }

  /** In a few words, for JMX and sinks. */
  String meaning() {
    return meaning;
  }

  /** The names of the {@link ProcessShare}s that count it. */
  List<String> shares() {
    return switch (this) {
      case THREADS -> List.of(ProcessShare.THREADS);
      case UPLOAD_MEMORY -> List.of(ProcessShare.UPLOAD_BUFFERS);
      case PLAN_MEMORY -> List.of(ProcessShare.PLANS_KEPT, ProcessShare.PLANS_UNDER_WAY);
    };
  }
}
