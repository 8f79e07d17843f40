package io.zerorename.testing;

import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which requests of an {@link InMemoryObjectStore} fail. Requests are counted from the moment at
 * which the fault was planned; a fault that has struck is used up unless it was planned to last.
 */
public final class FaultPlan {

  /** Whether a failing request still takes effect. */
  public enum Moment {
    BEFORE_EFFECT,
    AFTER_EFFECT
  }

  private static final class Fault {
    final Set<RequestType> types;
    final Strike strike;
    final boolean lasting;
    int toCome;

    Fault(Set<RequestType> types, int nth, Strike strike, boolean lasting) {
      this.types = types;
      this.toCome = nth;
      this.strike = strike;
      this.lasting = lasting;
    }
  }

  private final List<Fault> faults = new ArrayList<>();
  private final Map<String, Kept> kept = new HashMap<>();
  private int struck;

  private record Kept(int times, Refusal refusal) {}

  /** The {@code nth} request of a type from now, counted from 1, fails. */
  public synchronized void fail(
      RequestType type, int nth, Moment moment, StoreException.Kind kind) {
    faults.add(new Fault(Set.of(type), nth, new Strike(moment, kind), false));
  }

  /** The {@code nth} request of any type from now, counted from 1, fails. */
  public synchronized void failAny(int nth, Moment moment, StoreException.Kind kind) {
    faults.add(new Fault(Set.of(RequestType.values()), nth, new Strike(moment, kind), false));
  }

  /** The {@code nth} request of a type from now and all later ones of that type fail. */
  public synchronized void failFrom(
      RequestType type, int nth, Moment moment, StoreException.Kind kind) {
    faults.add(new Fault(Set.of(type), nth, new Strike(moment, kind), true));
  }

  /** The {@code nth} request of any type from now and all later ones fail, as in an outage. */
  public synchronized void failAnyFrom(int nth, Moment moment, StoreException.Kind kind) {
    faults.add(new Fault(Set.of(RequestType.values()), nth, new Strike(moment, kind), true));
  }

  /**
   * The next bulk deletes that name a key, so many, have an error for it, and delete the others.
   */
  public synchronized void keep(String key, int times, Refusal refusal) {
    kept.put(key, new Kept(times, refusal));
  }

  /** Nothing fails any more. */
  public synchronized void clear() {
    faults.clear();
    kept.clear();
  }

  /** How many requests have failed by this plan. */
  public synchronized int struck() {
    return struck;
  }

  /** Counts a request; the fault that strikes it, or null. */
  synchronized Strike next(RequestType type) {
    Strike strike = null;
    for (Fault fault : List.copyOf(faults)) {
      if (!fault.types.contains(type)) {
        continue;
      }
      if (fault.toCome > 1) {
        fault.toCome--;
      } else if (strike == null) {
        strike = fault.strike;
        struck++;
        if (!fault.lasting) {
          faults.remove(fault);
        }
      }
    }
    return strike;
  }

  /** Counts a bulk delete; those of its keys that have an error. */
  synchronized Map<String, Refusal> keep(List<String> keys) {
    Map<String, Refusal> refused = new LinkedHashMap<>();
    for (String key : keys) {
      Kept fault = kept.remove(key);
      if (fault != null) {
        refused.put(key, fault.refusal());
        struck++;
        if (fault.times() > 1) {
          kept.put(key, new Kept(fault.times() - 1, fault.refusal()));
        }
      }
    }
    return refused;
  }

  record Strike(Moment moment, StoreException.Kind kind) {}
}
