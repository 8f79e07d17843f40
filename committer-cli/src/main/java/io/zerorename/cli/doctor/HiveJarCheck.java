package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Whether HiveServer2 and its tasks will find the hook's class. Tasks get what {@code
 * hive.aux.jars.path} names when HiveServer2 starts, and {@code bin/hive} puts the jars of {@code
 * HIVE_AUX_JARS_PATH} and of auxlib there, where it finds any, in place of what hive-site.xml says.
 */
final class HiveJarCheck {
  private static final String PROPERTY = "hive.aux.jars.path";
  private static final String VARIABLE = "HIVE_AUX_JARS_PATH";
  private static final String FILE = "hive-site.xml";
  private static final String HOOK = "io/zerorename/hive/ZeroRenameHook.class";

  private final Configuration conf;
  private final ClusterFiles files;
  private final Map<String, String> environment;
  private final ClassLoader classPath;

  HiveJarCheck(
      Configuration conf,
      ClusterFiles files,
      Map<String, String> environment,
      ClassLoader classPath) {
    this.conf = requireNonNull(conf, "conf");
    this.files = requireNonNull(files, "files");
    this.environment = Map.copyOf(environment);
    this.classPath = requireNonNull(classPath, "classPath");
  }

  Check check() {
    return new Check("hive-jar", this::find);
  }

  private Finding find() throws IOException {
    if (!files.has(FILE)) {
      return ClusterFiles.missing(FILE);
    }
    List<String> named = listed(conf.getTrimmed(PROPERTY, ""), ",");
    List<String> handed = handedByTheCommand();
    List<String> places = handed.isEmpty() ? named : handed;

    Optional<Path> jar = firstWithHook(places);
    if (jar.isPresent()) {
      return Finding.ok(jar.get().toString());
    }
    List<String> elsewhere = places.stream().filter(place -> local(place).isEmpty()).toList();
    if (!elsewhere.isEmpty()) {
      return Finding.notChecked("no look is taken into " + String.join(", ", elsewhere));
    }
    for (String place : places) {
      if (Files.isDirectory(local(place).orElseThrow())) {
        return directory(place, named, handed);
      }
    }
    Optional<Path> inLib = withHook(jarsIn(home("lib")));
    if (inLib.isPresent()) {
      return onlyInLib(inLib.get(), named, handed);
    }
    return handed.isEmpty()
        ? Finding.warning(
            "no jar of "
                + PROPERTY
                + " or of Hive's lib and auxlib on this machine has the class of the hooks; without"
                + " it every statement of HiveServer2 fails",
            nameTheJar(named, ownJar()))
        : handedWithoutHook(named);
  }

  private static Finding onlyInLib(Path jar, List<String> named, List<String> handed) {
    String text =
        jar
            + " is on HiveServer2's class path only: tasks do not get the jars of Hive's lib, and"
            + " those of an INSERT fail without the class";
    return handed.isEmpty()
        ? Finding.warning(text, nameTheJar(named, jar.toUri().toString()))
        : Finding.warning(text + "; move it into Hive's auxlib");
  }

  /** One that should be a jar: Hive does not look into it. */
  private Finding directory(String place, List<String> named, List<String> handed)
      throws IOException {
    Optional<Path> inside = withHook(jarsIn(local(place)));
    return handed.isEmpty()
        ? Finding.wrong(
            PROPERTY + " names the directory " + place + ", and it takes jars only",
            nameTheJar(named, inside.map(jar -> jar.toUri().toString()).orElseGet(this::ownJar)))
        : Finding.wrong(
            VARIABLE
                + " names the directory "
                + place
                + " beside others: it takes one directory alone, or jars; name the jar, or put it"
                + " into Hive's auxlib");
  }

  private Finding handedWithoutHook(List<String> named) throws IOException {
    String advice = "; put " + ownJar() + " among them";
    Optional<Path> overridden = firstWithHook(named);
    return Finding.warning(
        overridden.isPresent()
            ? "bin/hive puts the jars of "
                + VARIABLE
                + " and of Hive's auxlib in place of "
                + PROPERTY
                + ", which alone names "
                + overridden.get()
                + advice
            : "bin/hive hands only the jars of "
                + VARIABLE
                + " and of Hive's auxlib to HiveServer2, and none of them on this machine has the"
                + " class of the hooks; without it every statement of HiveServer2 fails"
                + advice);
  }

  /** What {@code bin/hive} puts in place of the property; empty where it leaves that alone. */
  private List<String> handedByTheCommand() throws IOException {
    String variable = environment.getOrDefault(VARIABLE, "").trim();
    List<String> handed = new ArrayList<>();
    if (!variable.isEmpty() && Files.isDirectory(Path.of(variable))) {
      jarsIn(Optional.of(Path.of(variable))).forEach(jar -> handed.add(jar.toString()));
    } else {
      handed.addAll(listed(variable, "[,:]"));
    }
    jarsIn(home("auxlib")).forEach(jar -> handed.add(jar.toString()));
    return handed;
  }

  private static List<String> listed(String list, String separator) {
    return Stream.of(list.split(separator, -1))
        .map(String::trim)
        .filter(place -> !place.isEmpty())
        .toList();
  }

  private Optional<Path> home(String directory) {
    return Optional.ofNullable(environment.get("HIVE_HOME")).map(home -> Path.of(home, directory));
  }

  /** Where it is on this machine, if it is. */
  private static Optional<Path> local(String place) {
    URI uri = new org.apache.hadoop.fs.Path(place).toUri();
    return uri.getScheme() == null || uri.getScheme().equals("file")
        ? Optional.of(Path.of(uri.getPath()))
        : Optional.empty();
  }

  private static List<Path> jarsIn(Optional<Path> directory) throws IOException {
    if (directory.isEmpty() || !Files.isDirectory(directory.get())) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(directory.get())) {
      return children.filter(child -> child.toString().endsWith(".jar")).sorted().toList();
    }
  }

  private static Optional<Path> firstWithHook(List<String> places) throws IOException {
    return withHook(places.stream().flatMap(place -> local(place).stream()).toList());
  }

  private static Optional<Path> withHook(List<Path> jars) throws IOException {
    for (Path jar : jars) {
      if (Files.isRegularFile(jar)) {
        try (JarFile file = new JarFile(jar.toFile())) {
          if (file.getEntry(HOOK) != null) {
            return Optional.of(jar);
          }
        }
      }
    }
    return Optional.empty();
  }

  /** The property with a jar more, and without the directories, of which it makes nothing. */
  private static Remedy nameTheJar(List<String> named, String jar) {
    Set<String> jars = new LinkedHashSet<>();
    for (String place : named) {
      if (local(place).filter(Files::isDirectory).isEmpty()) {
        jars.add(place);
      }
    }
    jars.add(jar);
    return new Remedy.SetProperty(PROPERTY, String.join(",", jars), FILE);
  }

  /** The jar that this command runs from, where it is one. */
  private String ownJar() {
    URL url = classPath.getResource(HOOK);
    if (url == null || !url.getProtocol().equals("jar")) {
      return "<the committer's jar>";
    }
    return url.getPath().substring(0, url.getPath().indexOf("!/"));
  }
}
