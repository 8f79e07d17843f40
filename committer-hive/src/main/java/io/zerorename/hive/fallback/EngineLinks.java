package io.zerorename.hive.fallback;

import static java.util.Objects.requireNonNull;

import io.zerorename.hive.fallback.ClassFile.Use;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
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
 * Whether an engine has each class and each member of a class that the committer's classes for it
 * link against. It reads class files and loads no class, so that what is missing does no harm.
 *
 * @param checked how many classes and members
 * @param missing those that are not there
 */
public record EngineLinks(int checked, SortedSet<String> missing) {
  /**
   * Looks for each.
   *
   * @param one of the committer's classes for the engine; the others are beside and below it
   * @param theirs the beginning of the names of the engine's classes
   * @param engine where these are
   * @param others where the committer's are, and Hadoop's
   */
  public static EngineLinks of(String one, String theirs, ClassLoader engine, ClassLoader others)
      throws IOException {
    SortedSet<String> missing = new TreeSet<>();
    int checked = 0;
    Classes classes = new Classes(theirs, engine, others, new HashMap<>());
    for (ClassFile ours : ours(one, others)) {
      for (String name : ours.classes()) {
        if (name.startsWith(theirs)) {
          checked++;
          if (classes.find(name).isEmpty()) {
            missing.add(name);
          }
        }
      }
      for (Use use : ours.uses()) {
        if (use.owner().startsWith(theirs) && classes.find(use.owner()).isPresent()) {
          checked++;
          if (!classes.has(use.owner(), use.member())) {
            missing.add(use.owner() + "." + use.member());
          }
        }
      }
    }
    return new EngineLinks(checked, missing);
  }

  private static List<ClassFile> ours(String one, ClassLoader loader) throws IOException {
    String name = one + ".class";
    URL url = requireNonNull(loader.getResource(name), name + " is not on the class path");
    if (!(url.openConnection() instanceof JarURLConnection jar)) {
      return ours(Path.of(URI.create(url.toString())).getParent());
    }
    Path file = Path.of(URI.create(jar.getJarFileURL().toString()));
    try (FileSystem content = FileSystems.newFileSystem(file)) {
      return ours(content.getPath(name).getParent());
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

  /** Classes as they are asked for. */
  private record Classes(
      String theirs,
      ClassLoader engine,
      ClassLoader others,
      Map<String, Optional<ClassFile>> known) {
    Optional<ClassFile> find(String name) throws IOException {
      Optional<ClassFile> found = known.get(name);
      if (found == null) {
        String file = name + ".class";
        boolean isTheirs = name.startsWith(theirs) || engine.getResource(file) != null;
        try (InputStream in = (isTheirs ? engine : others).getResourceAsStream(file)) {
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
