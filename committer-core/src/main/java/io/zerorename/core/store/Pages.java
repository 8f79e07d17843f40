package io.zerorename.core.store;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * Walks a listing that comes in pages and asks for each page only when its first entry is needed.
 *
 * @param <T> entry of the listing
 * @param <C> what continues a listing; null asks for the first page
 */
public final class Pages<T, C> implements RemoteIterator<T> {

  /**
   * One page.
   *
   * @param next continues the listing; null on the last page
   */
  public record Page<T, C>(List<T> entries, C next) {}

  private final FunctionRaisingIOE<C, Page<T, C>> source;
  private Iterator<T> entries;
  private C next;

  public Pages(FunctionRaisingIOE<C, Page<T, C>> source) {
    this.source = source;
  }

  @Override
  public boolean hasNext() throws IOException {
    while (entries == null || (!entries.hasNext() && next != null)) {
      Page<T, C> page = source.apply(next);
      entries = page.entries().iterator();
      next = page.next();
    }
    return entries.hasNext();
  }

  @Override
  public T next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException("the listing has no further entry");
    }
    return entries.next();
  }
}
