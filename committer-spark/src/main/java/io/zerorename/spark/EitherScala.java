package io.zerorename.spark;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import scala.Product;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.Nil$;

/**
 * What one jar for Scala 2.12 and 2.13 cannot call directly: in 2.13 {@code Seq} is another type,
 * so that a method with one in its signature is not the one against which this is compiled.
 */
final class EitherScala {
  private EitherScala() {}

  /**
   * Calls a public method.
   *
   * @param name of a method; another with the same name and number of arguments does the same
   * @return what the caller takes it for
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  static <T> T call(Object target, String name, Object... arguments) {
    for (Method method : target.getClass().getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        try {
          return (T) method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
          throw Rethrow.unchecked(e.getCause());
        } catch (IllegalAccessException e) {
          throw new IllegalStateException("This Spark hides " + method, e);
        }
      }
    }
    throw new IllegalStateException("This Spark has no " + target.getClass() + "." + name);
  }

  /**
   * Makes an instance of a case class.
   *
   * @param arguments its first ones; the others have their defaults
   */
  static <T> T make(Class<T> type, Object... arguments) {
    Constructor<?> constructor = type.getConstructors()[0];
    try {
      Object companion =
          Class.forName(type.getName() + "$", true, type.getClassLoader())
              .getField("MODULE$")
              .get(null);
      Object[] all = Arrays.copyOf(arguments, constructor.getParameterCount());
      for (int i = arguments.length; i < all.length; i++) {
        all[i] = call(companion, "apply$default$" + (i + 1));
      }
      return type.cast(constructor.newInstance(all));
    } catch (InvocationTargetException e) {
      throw Rethrow.unchecked(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("This Spark makes no " + type, e);
    }
  }

  /**
   * A copy of an instance of a case class with another value.
   *
   * @param index of the value among its parameters
   */
  @SuppressWarnings("unchecked")
  static <T extends Product> T with(T original, int index, Object value) {
    Object[] values = new Object[original.productArity()];
    for (int i = 0; i < values.length; i++) {
      values[i] = i == index ? value : original.productElement(i);
    }
    return make((Class<T>) original.getClass(), values);
  }

  /** Calls a public method without arguments that returns a Seq. */
  @SuppressWarnings("TypeParameterUnusedInFormals")
  static <T> List<T> list(Object target, String name) {
    return list(EitherScala.<scala.collection.Seq<T>>call(target, name));
  }

  static <T> List<T> list(scala.collection.Seq<T> seq) {
    List<T> list = new ArrayList<>();
    for (Iterator<T> all = seq.iterator(); all.hasNext(); ) {
      list.add(all.next());
    }
    return list;
  }

  /** A Seq of both. */
  @SuppressWarnings("unchecked")
  static <T> scala.collection.immutable.Seq<T> seq(List<? extends T> list) {
    Object seq = Nil$.MODULE$;
    for (int i = list.size() - 1; i >= 0; i--) {
      seq = ((scala.collection.immutable.List<T>) seq).$colon$colon(list.get(i));
    }
    return (scala.collection.immutable.Seq<T>) seq;
  }

  static <K, V> Map<K, V> map(scala.collection.immutable.Map<K, V> map) {
    Map<K, V> copy = new LinkedHashMap<>();
    for (Iterator<Tuple2<K, V>> all = map.iterator(); all.hasNext(); ) {
      Tuple2<K, V> entry = all.next();
      copy.put(entry._1(), entry._2());
    }
    return copy;
  }

  static <K, V> scala.collection.immutable.Map<K, V> map(Map<K, V> map) {
    scala.collection.immutable.Map<K, V> copy = new HashMap<>();
    for (Map.Entry<K, V> entry : map.entrySet()) {
      copy = call(copy, "updated", entry.getKey(), entry.getValue());
    }
    return copy;
  }
}
