package io.zerorename.core.commit;

import static java.util.Map.entry;

import io.zerorename.core.commit.Calls.Call;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.Pages;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/** A bucket as one simulated process sees it, each of whose requests is a call. */
final class SimulatedStore implements InvocationHandler {
  private static final Map<String, RequestType> TYPES =
      Map.ofEntries(
          entry("createUpload", RequestType.CREATE_UPLOAD),
          entry("uploadPart", RequestType.UPLOAD_PART),
          entry("completeUpload", RequestType.COMPLETE_UPLOAD),
          entry("completeUploadIfAbsent", RequestType.COMPLETE_UPLOAD),
          entry("abortUpload", RequestType.ABORT_UPLOAD),
          entry("listUploads", RequestType.LIST_UPLOADS),
          entry("listParts", RequestType.LIST_PARTS),
          entry("putObject", RequestType.PUT),
          entry("putObjectIfAbsent", RequestType.PUT),
          entry("getObject", RequestType.GET),
          entry("headObject", RequestType.HEAD),
          entry("listObjects", RequestType.LIST),
          entry("deleteObjects", RequestType.BULK_DELETE));
  private static final Set<RequestType> READS =
      Set.of(
          RequestType.LIST_UPLOADS,
          RequestType.LIST_PARTS,
          RequestType.GET,
          RequestType.HEAD,
          RequestType.LIST);

  private final InMemoryObjectStore store;
  private final Calls calls;

  private SimulatedStore(InMemoryObjectStore store, Calls calls) {
    this.store = store;
    this.calls = calls;
  }

  static ObjectStore of(InMemoryObjectStore store, Calls calls) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            new SimulatedStore(store, calls));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.isDefault()) {
      return InvocationHandler.invokeDefault(proxy, method, arguments);
    }
    RequestType type = TYPES.get(method.getName());
    if (type == null) {
      return take(method, arguments);
    }
    Object[] kept = new Object[arguments.length];
    for (int i = 0; i < kept.length; i++) {
      kept[i] = kept(arguments[i]);
    }
    String name = SimulatedCluster.nameOf(store.bucket(), kept[0].toString());
    Call call = new Call(type + " " + name, true, !READS.contains(type));
    if (method.getReturnType().equals(RemoteIterator.class)) {
      // Simulated buckets are small: a listing has one page.
      return new Pages<Object, Object>(
          none -> new Pages.Page<>(calls.make(call, () -> listing(method, kept)), null));
    }
    return calls.make(call, () -> take(method, kept));
  }

  /** A late request must not read a buffer that its process has given back. */
  private static Object kept(Object argument) throws IOException {
    if (argument instanceof RepeatableBody body) {
      try (var in = body.open()) {
        return RepeatableBody.of(in.readAllBytes());
      }
    }
    return argument instanceof Collection<?> keys ? List.copyOf(keys) : argument;
  }

  private List<Object> listing(Method method, Object[] arguments) throws IOException {
    return List.copyOf(RemoteIterators.toList((RemoteIterator<?>) take(method, arguments)));
  }

  private Object take(Method method, Object[] arguments) throws IOException {
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new AssertionError(method.getName(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
