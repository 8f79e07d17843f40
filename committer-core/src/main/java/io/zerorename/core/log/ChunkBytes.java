package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.InlineFile;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/**
 * The contents of the small files of one chunk, which are read together when the first of them is
 * needed. One request.
 */
final class ChunkBytes {
  private final RecordStore records;
  private final Document document;

  /** Guarded by this. */
  private byte[] bytes;

  private ChunkBytes(RecordStore records, Document document) {
    this.records = requireNonNull(records, "records");
    this.document = requireNonNull(document, "document");
  }

  /** Where the contents of a chunk's small files are found. */
  static VersionedJson.Bodies of(ChunkDocuments chunk, RecordStore records) {
    Optional<ChunkBytes> bytes = chunk.bytes().map(document -> new ChunkBytes(records, document));
    return (offset, length) ->
        bytes
            .orElseThrow(
                () ->
                    new MalformedManifestException(
                        "it has small files, and says nothing of their contents", null))
            .at(offset, length);
  }

  /** The contents of some small files, one after the other. */
  static byte[] join(List<InlineFile> files) throws IOException {
    byte[] all = new byte[Math.toIntExact(files.stream().mapToLong(InlineFile::length).sum())];
    int end = 0;
    for (InlineFile file : files) {
      try (InputStream in = file.body().open()) {
        int length = Math.toIntExact(file.length());
        if (in.readNBytes(all, end, length) != length || in.read() >= 0) {
          throw new EOFException(
              "ZR-1202: " + file.destination() + " has lost some of its " + length + " bytes");
        }
        end += length;
      }
    }
    return all;
  }

  /**
   * One file's content, whose {@link RepeatableBody#open} throws a {@link BytesGoneException} where
   * it was deleted, and a {@link MalformedManifestException} where it is not what was written.
   */
  RepeatableBody at(long offset, long length) {
    return new RepeatableBody() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public InputStream open() throws IOException {
        byte[] all = read();
        if (offset + length > all.length) {
          throw new MalformedManifestException(
              "The contents of small files, %s, are shorter than the plan says"
                  .formatted(records.locate(document.name())),
              null);
        }
        return new ByteArrayInputStream(all, Math.toIntExact(offset), Math.toIntExact(length));
      }
    };
  }

  private synchronized byte[] read() throws IOException {
    if (bytes == null) {
      String where = records.locate(document.name());
      byte[] found = records.get(document.name()).orElseThrow(() -> new BytesGoneException(where));
      if (!document.is(found)) {
        throw new MalformedManifestException(
            ("ZR-1203: The contents of small files, %s, are not those that were written: they were"
                    + " changed or damaged.")
                .formatted(where),
            null);
      }
      bytes = found;
    }
    return bytes;
  }
}
