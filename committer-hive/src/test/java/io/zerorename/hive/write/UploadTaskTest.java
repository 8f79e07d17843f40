package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the tasks of MapReduce load: they run in containers without Hive. */
class UploadTaskTest {
  /** Has the committer's classes once more, and none of Hive's. */
  private static final class WithoutHive extends ClassLoader {
    private final Set<String> loaded = new HashSet<>();

    WithoutHive() {
      super(UploadTaskTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("org.apache.hadoop.hive.")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("io.zerorename.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = file.readAllBytes();
        loaded.add(name);
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void noClassOfHiveIsNeeded() throws Exception {
    WithoutHive loader = new WithoutHive();
    for (Class<?> type :
        new Class<?>[] {
          UploadTask.class, UploadTask.Names.class, ScratchFile.class, UploadAttempt.class
        }) {
      // Verifies its code.
      Class<?> again = Class.forName(type.getName(), true, loader);
      assertThat(again).isNotSameAs(type);
      assertThat(again.getDeclaredMethods()).isNotEmpty();
    }
    assertThat(loader.loaded).hasSizeGreaterThan(3);
  }
}
