package io.zerorename.core.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Walks a listing that comes in pages and asks for each page only when its first entry is needed.
 *
 * @param <T> entry of the listing
 * @param <C> what continues a listing; null asks for the first page
 */
public final class Pages<T, C> implements Iterator<T> {

  /** Sends the request for one page. */
  @FunctionalInterface
  public interface Source<T, C> {
    Page<T, C> page(C continuation) throws IOException;
  }

  /**
   * One page.
   *
   * @param next continues the listing; null on the last page
   */
  public record Page<T, C>(List<T> entries, C next) {
    public Page {
      entries = List.copyOf(entries);
    }
  }

  /** Takes an entry of a listing. */
  @FunctionalInterface
  public interface Visitor<T> {
    void visit(T entry) throws IOException;
  }

  /** Goes through a listing, and throws what a later page fails with as it is. */
  public static <T> void forEach(Iterator<T> listing, Visitor<T> visitor) throws IOException {
    try {
      while (listing.hasNext()) {
        visitor.visit(listing.next());
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private final Source<T, C> source;
  private Iterator<T> entries;
  private C next;

  public Pages(Source<T, C> source) {
    this.source = requireNonNull(source, "source");
  }

  @Override
  public boolean hasNext() {
    while (entries == null || (!entries.hasNext() && next != null)) {
      try {
        Page<T, C> page = source.page(next);
        entries = page.entries().iterator();
        next = page.next();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return entries.hasNext();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the listing has no further entry");
    }
    return entries.next();
  }
}
