package io.zerorename.cli.doctor;

import io.zerorename.cli.doctor.ClassFile.Use;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Checks that the jar hive-exec has each class and each member of a class that the committer's
 * classes for Hive link against. It loads none of them.
 */
record HiveLinks(Cluster cluster) implements Check.Test {
  private static final String OURS = "io/zerorename/hive";
  private static final String HIVES = "org/apache/hadoop/hive/";
  private static final int SHOWN = 20;

  @Override
  public Finding run() throws IOException {
    URL hook = cluster.classPath().getResource(OURS + "/ZeroRenameHook.class");
    if (hook == null) {
      throw new NotChecked("the committer's classes for Hive are not on the class path");
    }
    Path hiveExec = cluster.hiveExec();
    SortedSet<String> missing = new TreeSet<>();
    int checked = 0;
    try (URLClassLoader hive = new URLClassLoader(new URL[] {hiveExec.toUri().toURL()}, null)) {
      Classes classes = new Classes(hive, cluster.classPath(), new HashMap<>());
      for (ClassFile ours : ours(hook)) {
        for (String name : ours.classes()) {
          if (name.startsWith(HIVES)) {
            checked++;
            if (classes.find(name).isEmpty()) {
              missing.add(name);
            }
          }
        }
        for (Use use : ours.uses()) {
          if (use.owner().startsWith(HIVES) && classes.find(use.owner()).isPresent()) {
            checked++;
            if (!classes.has(use.owner(), use.member())) {
              missing.add(use.owner() + "." + use.member());
            }
          }
        }
      }
    }
    if (missing.isEmpty()) {
      return Finding.ok(hiveExec + " has all that the committer uses of it: " + checked + " uses");
    }
    return Finding.wrong(
        ("%s lacks %s of %s classes and members that the committer uses, so that INSERTs keep Hive's"
                + " own path or fail: %s%s")
            .formatted(
                hiveExec,
                missing.size(),
                checked,
                String.join(", ", missing.stream().limit(SHOWN).toList()),
                missing.size() > SHOWN ? ", …" : ""));
  }

  private static List<ClassFile> ours(URL hook) throws IOException {
    try {
      URI uri = hook.toURI();
      if (!uri.getScheme().equals("jar")) {
        return ours(Path.of(uri).getParent());
      }
      try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
        return ours(jar.getPath(OURS));
      }
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  private static List<ClassFile> ours(Path directory) throws IOException {
    List<ClassFile> ours = new ArrayList<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".class")).toList()) {
        try (InputStream in = Files.newInputStream(file)) {
          ours.add(ClassFile.read(in));
        }
      }
    }
    return ours;
  }

  /**
   * Classes as they are asked for.
   *
   * @param hive where Hive's are
   * @param others where those of Hadoop are
   */
  private record Classes(
      ClassLoader hive, ClassLoader others, Map<String, Optional<ClassFile>> known) {
    Optional<ClassFile> find(String name) throws IOException {
      Optional<ClassFile> found = known.get(name);
      if (found == null) {
        boolean isHives = name.startsWith(HIVES) || hive.getResource(name + ".class") != null;
        try (InputStream in = (isHives ? hive : others).getResourceAsStream(name + ".class")) {
          found = in == null ? Optional.empty() : Optional.of(ClassFile.read(in));
        }
        known.put(name, found);
      }
      return found;
    }

    /** Also where a class above it has it, or may have it, because that cannot be seen here. */
    boolean has(String owner, String member) throws IOException {
      Optional<ClassFile> found = find(owner);
      if (found.isEmpty() || found.get().members().contains(member)) {
        return true;
      }
      for (String above : found.get().above()) {
        if (has(above, member)) {
          return true;
        }
      }
      return false;
    }
  }
}
