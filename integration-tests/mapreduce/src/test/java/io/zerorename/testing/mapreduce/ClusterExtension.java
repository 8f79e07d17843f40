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
 * stopped when the JVM ends: where Surefire has several JVMs, each class is a run of its own.
 */
public final class ClusterExtension implements ParameterResolver, BeforeEachCallback {
  private static final String DIRECTORY_PROPERTY = "zerorename.test.directory";

  /** Which of Surefire's JVMs this is. */
  private static final String JVM_PROPERTY = "zerorename.test.jvm";

  private static MapReduceCluster cluster;

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == MapReduceCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return cluster();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    cluster().reset();
  }

  private static synchronized MapReduceCluster cluster() {
    if (cluster == null) {
      try {
        cluster =
            MapReduceCluster.start(
                new File(System.getProperty(DIRECTORY_PROPERTY, "target")),
                System.getProperty(JVM_PROPERTY, "jvm"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(ClusterExtension::stop));
    }
    return cluster;
  }

  private static synchronized void stop() {
    try {
      cluster.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
