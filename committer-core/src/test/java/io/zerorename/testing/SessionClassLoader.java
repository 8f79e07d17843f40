package io.zerorename.testing;

import io.zerorename.core.parallel.Workers;
import java.net.URL;
import java.net.URLClassLoader;

/** Loads the core's classes and their tests by itself, as a session of Hive does after ADD JAR. */
public final class SessionClassLoader extends URLClassLoader {
  public SessionClassLoader() {
    super(
        new URL[] {locationOf(Workers.class), locationOf(SessionClassLoader.class)},
        SessionClassLoader.class.getClassLoader());
  }

  private static URL locationOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("io.zerorename.core.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }
}
