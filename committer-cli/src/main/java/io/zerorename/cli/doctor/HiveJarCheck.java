package io.zerorename.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * Checks that HiveServer2 and its tasks will find the hook's class. Tasks get the jars that {@code
 * hive.aux.jars.path} names when HiveServer2 starts. {@code bin/hive} replaces that property by the
 * jars of {@code HIVE_AUX_JARS_PATH} and of auxlib, if there are any.
 */
record HiveJarCheck(Configuration conf, ClusterFiles files, Map<String, String> environment)
    implements Check.Test {
  private static final String PROPERTY = "hive.aux.jars.path";
  private static final String VARIABLE = "HIVE_AUX_JARS_PATH";
  private static final String FILE = "hive-site.xml";
  private static final String HOOK = "io/zerorename/hive/ZeroRenameHook.class";

  @Override
  public Finding run() throws IOException {
    if (!files.has(FILE)) {
      return ClusterFiles.missing(FILE);
    }
    List<String> named = JarSearch.listed(conf.getTrimmed(PROPERTY, ""), ",");
    List<String> replacement = replacement();
    boolean replaced = !replacement.isEmpty();
    List<String> locations = replaced ? replacement : named;

    Optional<Path> jar = search().in(JarSearch.local(locations));
    if (jar.isPresent()) {
      return Finding.ok(jar.get().toString());
    }
    List<String> remote = JarSearch.remote(locations);
    if (!remote.isEmpty()) {
      return Finding.notChecked(
          "this check cannot read other file systems: " + String.join(", ", remote));
    }
    Optional<Path> directory =
        JarSearch.local(locations).stream().filter(Files::isDirectory).findFirst();
    if (directory.isPresent()) {
      return finding(
          Outcome.WRONG,
          (replaced
                      ? VARIABLE + " names the directory %s beside others"
                      : PROPERTY + " names the directory %s")
                  .formatted(directory.get())
              + ": Hive takes jars only",
          named,
          replaced,
          search().in(JarSearch.jarsIn(directory)));
    }
    Optional<Path> inLib = search().in(JarSearch.jarsIn(home("lib")));
    if (inLib.isPresent()) {
      return finding(
          Outcome.WARNING,
          inLib.get()
              + " is on HiveServer2's class path only: tasks do not get the jars of Hive's lib, and"
              + " those of an INSERT fail without the class",
          named,
          replaced,
          inLib);
    }
    Optional<Path> overridden = replaced ? search().in(JarSearch.local(named)) : Optional.empty();
    return finding(
        Outcome.WARNING,
        overridden
            .map(
                it ->
                    "bin/hive puts the jars of %s and of Hive's auxlib in place of %s, which alone names %s"
                        .formatted(VARIABLE, PROPERTY, it))
            .orElse(
                "no jar on this machine that tasks get has the class of the hooks; without it every"
                    + " statement of HiveServer2 fails"),
        named,
        replaced,
        overridden);
  }

  /**
   * @param jar that has the class, if one was found
   */
  private Finding finding(
      Outcome outcome, String text, List<String> named, boolean replaced, Optional<Path> jar) {
    String name = jar.map(it -> it.toUri().toString()).orElseGet(() -> search().ownJar());
    if (replaced) {
      return new Finding(outcome, text + "; put " + name + " into Hive's auxlib", List.of());
    }
    Set<String> jars = new LinkedHashSet<>(named);
    jars.removeIf(location -> JarSearch.local(location).filter(Files::isDirectory).isPresent());
    jars.add(name);
    return new Finding(outcome, text, List.of(Remedy.set(PROPERTY, String.join(",", jars), FILE)));
  }

  /** What {@code bin/hive} sets in place of the property; empty if it does not. */
  private List<String> replacement() throws IOException {
    String variable = environment.getOrDefault(VARIABLE, "").trim();
    List<String> jars = new ArrayList<>();
    if (!variable.isEmpty() && Files.isDirectory(Path.of(variable))) {
      JarSearch.jarsIn(Optional.of(Path.of(variable))).forEach(jar -> jars.add(jar.toString()));
    } else {
      jars.addAll(JarSearch.listed(variable, "[,:]"));
    }
    JarSearch.jarsIn(home("auxlib")).forEach(jar -> jars.add(jar.toString()));
    return jars;
  }

  private Optional<Path> home(String directory) {
    return Optional.ofNullable(environment.get("HIVE_HOME")).map(home -> Path.of(home, directory));
  }

  private JarSearch search() {
    return new JarSearch(conf.getClassLoader(), HOOK);
  }
}
