package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a chunk of a plan lies.
 *
 * @param plan its files and old objects; empty where the entry itself holds them, which only the
 *     last chunk's are
 * @param bytes the contents of its small files, one after the other; empty where it has none
 */
public record ChunkDocuments(Optional<Document> plan, Optional<Document> bytes) {
  public ChunkDocuments {
    requireNonNull(plan, "plan");
    requireNonNull(bytes, "bytes");
  }

  public Stream<Document> documents() {
    return Stream.of(plan, bytes).flatMap(Optional::stream);
  }
}
