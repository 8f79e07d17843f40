package io.zerorename.testing.mapreduce;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the cluster. There is one for all test classes of a JVM, started with the first and
 * stopped after the last.
 */
public final class ClusterExtension implements ParameterResolver, BeforeEachCallback {
  private static final String DIRECTORY_PROPERTY = "zerorename.test.directory";

  private record Started(MapReduceCluster cluster)
      implements ExtensionContext.Store.CloseableResource {
    @Override
    public void close() throws IOException {
      cluster.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == MapReduceCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return cluster(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    cluster(context).reset();
  }

  private static MapReduceCluster cluster(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.GLOBAL)
        .getOrComputeIfAbsent(MapReduceCluster.class, type -> start(), Started.class)
        .cluster();
  }

  private static Started start() {
    try {
      return new Started(
          MapReduceCluster.start(new File(System.getProperty(DIRECTORY_PROPERTY, "target"))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
