package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.PlanPart.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;

/**
 * Everything that a job commit will do. Once it is decided it is carried out as it stands, by
 * whichever process.
 *
 * <p>A large plan is not in memory: whoever goes through it reads its documents one after the
 * other, and meets an {@link UncheckedIOException} where one cannot be read.
 */
public final class CommitPlan implements CommittedUploads {
  /** The documents of a plan. */
  public interface Parts {
    int count();

    PlanPart get(int index) throws IOException;

    /** Leaves the memory that they take to other plans. */
    void release();

    static Parts of(List<PlanPart> parts) {
      List<PlanPart> copy = List.copyOf(parts);
      return new Parts() {
        @Override
        public int count() {
          return copy.size();
        }

        @Override
        public PlanPart get(int index) {
          return copy.get(index);
        }

        @Override
        public void release() {
          // Not counted.
        }
      };
    }
  }

  private final OutputJob job;
  private final Parts parts;
  private final PlanTotals totals;

  public CommitPlan(OutputJob job, Parts parts, PlanTotals totals) {
    this.job = requireNonNull(job, "job");
    this.parts = requireNonNull(parts, "parts");
    this.totals = requireNonNull(totals, "totals");
  }

  /** The plan of a job of which nothing is left to do. */
  public static CommitPlan nothing(OutputJob job) {
    return new CommitPlan(job, Parts.of(List.of()), new PlanTotals());
  }

  public OutputJob job() {
    return job;
  }

  /** The job in a person's words. */
  public String description() {
    return job.description();
  }

  /** How many files will be visible. */
  public int fileCount() {
    return totals.files();
  }

  /** Bytes in the files that will be visible. */
  public long bytes() {
    return totals.bytes();
  }

  /** The task attempts of which a file will be visible. */
  public Set<String> attempts() {
    return totals.attempts();
  }

  /** How many old objects will be deleted. */
  public int replacedCount() {
    return totals.replaced();
  }

  /** How many directories hold the files that will be visible. */
  public int directoryCount() {
    return totals.directories();
  }

  /** How many files are written whole, not completed. */
  public int inlinedCount() {
    return totals.inlined();
  }

  /** The files that will be visible, no two of them at one place. */
  public Iterable<OutputFile> files() {
    return () -> {
      Iterator<PendingUpload> completed = uploads().iterator();
      Iterator<InlineFile> written = inlined().iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return completed.hasNext() || written.hasNext();
        }

        @Override
        public OutputFile next() {
          return completed.hasNext() ? completed.next() : written.next();
        }
      };
    };
  }

  public Iterable<PendingUpload> uploads() {
    return each(Kind.UPLOADS, PlanPart::uploads);
  }

  public Iterable<InlineFile> inlined() {
    return each(Kind.INLINED, PlanPart::inlined);
  }

  /** Replaced objects, document by document. */
  public Iterable<List<OldObject>> replacedByPart() {
    return each(Kind.REPLACED, part -> List.of(part.replaced()));
  }

  /** Markers, document by document. */
  public Iterable<List<Path>> markersByPart() {
    return each(Kind.MARKERS, part -> List.of(part.markers()));
  }

  public Iterable<PlanPart> parts() {
    return () ->
        new Iterator<>() {
          private int next;

          @Override
          public boolean hasNext() {
            return next < parts.count();
          }

          @Override
          public PlanPart next() {
            if (!hasNext()) {
              throw new NoSuchElementException();
            }
            return read(next++);
          }
        };
  }

  /** The directories that the plan changes: those of new files, of old ones, and emptied ones. */
  public Set<Path> changedDirectories() {
    Set<Path> directories = new HashSet<>();
    parts().forEach(part -> part.changedDirectories().forEach(directories::add));
    return directories;
  }

  @Override
  public int uploadsOf(String taskAttemptId) {
    return totals.uploadsOf(taskAttemptId);
  }

  @Override
  public Set<String> among(Set<String> uploadIds) {
    Set<String> committed = new HashSet<>();
    if (!uploadIds.isEmpty()) {
      for (PendingUpload upload : uploads()) {
        if (uploadIds.contains(upload.uploadId())) {
          committed.add(upload.uploadId());
        }
      }
    }
    return committed;
  }

  /** To be called when it was carried out and is going to be forgotten. */
  public void release() {
    parts.release();
  }

  private <T> Iterable<T> each(Kind kind, Function<PlanPart, Collection<T>> entries) {
    return () ->
        new Iterator<>() {
          private Iterator<T> current = Collections.emptyIterator();
          private int next = totals.nextWith(kind, 0);

          @Override
          public boolean hasNext() {
            while (!current.hasNext() && next >= 0) {
              current = entries.apply(read(next)).iterator();
              next = totals.nextWith(kind, next + 1);
            }
            return current.hasNext();
          }

          @Override
          public T next() {
            if (!hasNext()) {
              throw new NoSuchElementException();
            }
            return current.next();
          }
        };
  }

  private PlanPart read(int index) {
    try {
      return parts.get(index);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
