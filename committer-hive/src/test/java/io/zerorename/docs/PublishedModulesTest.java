package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * What is published has what Maven Central demands of it, and is what docs/design/release.md lists.
 */
class PublishedModulesTest {
  private static final Path ROOT = SourceTree.root();

  /** A module's description; what it does not say its parent says. */
  private record Pom(Path directory, Element project) {
    static Pom of(Path directory) {
      try {
        return new Pom(
            directory,
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(directory.resolve("pom.xml").toFile())
                .getDocumentElement());
      } catch (Exception e) {
        throw new IllegalStateException("cannot read the POM of " + directory, e);
      }
    }

    /** The text at a path of elements below the project; empty where there is none. */
    Optional<String> at(String... names) {
      List<Element> found = List.of(project);
      for (String name : names) {
        found = found.stream().flatMap(it -> children(it, name).stream()).toList();
      }
      return found.stream().map(it -> it.getTextContent().strip()).findFirst();
    }

    List<Pom> modules() {
      return children(project, "modules").stream()
          .flatMap(it -> children(it, "module").stream())
          .map(it -> of(directory.resolve(it.getTextContent())))
          .toList();
    }

    boolean isPublished() {
      return !at("properties", "maven.deploy.skip").equals(Optional.of("true"));
    }

    private static List<Element> children(Element parent, String name) {
      List<Element> children = new ArrayList<>();
      for (Node it = parent.getFirstChild(); it != null; it = it.getNextSibling()) {
        if (it instanceof Element element && element.getTagName().equals(name)) {
          children.add(element);
        }
      }
      return children;
    }
  }

  /** Tests inherit from one another that they are not published. */
  private static List<Pom> published() {
    List<Pom> published = new ArrayList<>();
    collect(Pom.of(ROOT), published);
    return published;
  }

  private static void collect(Pom pom, List<Pom> published) {
    if (pom.isPublished()) {
      published.add(pom);
      pom.modules().forEach(module -> collect(module, published));
    }
  }

  @Test
  void theyAreThoseThatThePageLists() {
    assertThat(published().stream().map(pom -> pom.at("artifactId").orElseThrow()))
        .containsExactlyInAnyOrderElementsOf(
            Page.of(ROOT.resolve("docs/design/release.md")).rows().stream()
                .flatMap(row -> SourceTree.find("^`io\\.zerorename:([^`]+)`$", row.get(0)).stream())
                .toList());
  }

  @Test
  void theParentSaysWhoseTheyAreAndWhereTheyComeFrom() {
    Pom parent = Pom.of(ROOT);
    assertThat(
            List.of(
                parent.at("url"),
                parent.at("licenses", "license", "name"),
                parent.at("licenses", "license", "url"),
                parent.at("developers", "developer", "name"),
                parent.at("developers", "developer", "url"),
                parent.at("scm", "connection"),
                parent.at("scm", "developerConnection"),
                parent.at("scm", "url")))
        .allSatisfy(value -> assertThat(value).get().asString().isNotBlank());
  }

  @Test
  void eachHasItsNameAndDescription() {
    assertThat(published())
        .hasSizeGreaterThan(1)
        .allSatisfy(
            pom -> {
              assertThat(pom.at("name")).as(pom.directory() + ": name").isPresent();
              assertThat(pom.at("description")).as(pom.directory() + ": description").isPresent();
            });
    assertThat(published().stream().map(pom -> pom.at("name").orElseThrow()))
        .doesNotHaveDuplicates();
  }
}
