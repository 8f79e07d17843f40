package io.zerorename.hive;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.CodeSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads every class of the committer's jar while that is possible.
 *
 * <p>With the jar in {@code hive.aux.jars.path} each session of HiveServer2 has a class loader of
 * its own, which is closed with the session: also where a client goes away in the middle of a
 * query, whose commit or clean-up then still runs and would not find the classes that it has not
 * used before. Where tasks run in HiveServer2's process, they even use the classes of whichever
 * session was first, for Hive's reader of plans remembers them.
 */
final class ClassPreloading {
  private static final Logger LOG = LoggerFactory.getLogger(ClassPreloading.class);
  private static final String PACKAGE = "io/zerorename/";
  private static final String SUFFIX = ".class";
  private static final AtomicBoolean LOADED = new AtomicBoolean();

  private ClassPreloading() {}

  /** Does nothing where the class loader lives as long as the process, or where it was done. */
  static void load() {
    ClassLoader loader = ClassPreloading.class.getClassLoader();
    CodeSource source = ClassPreloading.class.getProtectionDomain().getCodeSource();
    if (!(loader instanceof Closeable)
        || source == null
        || !source.getLocation().getPath().endsWith(".jar")
        || !LOADED.compareAndSet(false, true)) {
      return;
    }
    try (JarFile jar = new JarFile(new File(source.getLocation().toURI()))) {
      List<String> names =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.startsWith(PACKAGE) && name.endsWith(SUFFIX))
              .map(name -> name.substring(0, name.length() - SUFFIX.length()).replace('/', '.'))
              .toList();
      names.forEach(name -> load(name, loader));
    } catch (IOException | URISyntaxException | RuntimeException e) {
      LOG.warn(
          "ZR-5101: Cannot load all classes of {}. If a client leaves in the middle of a query, what that"
              + " query has uploaded may only be cleaned up by a later one.",
          source.getLocation(),
          e);
    }
  }

  private static void load(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      LOG.debug("{} is for an engine that is not here", name, e);
    }
  }
}
