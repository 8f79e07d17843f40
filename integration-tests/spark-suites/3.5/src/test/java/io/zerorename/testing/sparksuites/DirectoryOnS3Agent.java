package io.zerorename.testing.sparksuites;

import static net.bytebuddy.matcher.ElementMatchers.is;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.Instrumentation;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/**
 * A Java agent for the process in which a suite of Spark's runs. Suites make temporary directories
 * by Java, and pass them to Spark as {@code file:} URIs: below the directory of {@link
 * DirectoryOnS3} these become URIs of the bucket. A directory that Java makes there gets the mark
 * by which the server lists it although it is empty, and an empty file the ETag that each object
 * has.
 */
public final class DirectoryOnS3Agent {
  /** The directory's path. */
  static final String DIRECTORY = "zerorename.suites.directory";

  /** The URI of the bucket, without a slash at its end. */
  static final String BUCKET = "zerorename.suites.bucket";

  /** The attribute for an ETag, by which the server tells a directory that is an object, too. */
  static final String MARK = "user:user.content-md5";

  private DirectoryOnS3Agent() {}

  public static void premain(String arguments, Instrumentation instrumentation) {
    Thread watch = new Thread(DirectoryOnS3Agent::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
        .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
        .ignore(none())
        .type(is(File.class))
        .transform(
            (builder, type, loader, module, domain) ->
                builder
                    .visit(Advice.to(UriOnS3.class).on(named("toURI")))
                    .visit(
                        Advice.to(MarkOfFile.class).on(named("mkdir").or(named("createNewFile")))))
        .type(is(Files.class))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(MarkOfPath.class).on(named("createDirectory"))))
        .installOn(instrumentation);
  }

  private static void endWithParent() {
    try {
      // The parent never writes, so this returns when it is gone.
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.err.println("standard input broke, so the parent process is gone: " + e);
    }
    Runtime.getRuntime().halt(1);
  }

  // The code below becomes part of the JDK's classes, which see no class and no method of this one.

  private static final class UriOnS3 {
    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) URI uri) {
      if (uri.getRawPath().startsWith(System.getProperty(DIRECTORY))) {
        uri = URI.create(System.getProperty(BUCKET) + uri.getRawPath());
      }
    }
  }

  private static final class MarkOfFile {
    @Advice.OnMethodExit
    static void exit(@Advice.This File file, @Advice.Return boolean made) throws IOException {
      if (made && file.getAbsolutePath().startsWith(System.getProperty(DIRECTORY))) {
        Files.setAttribute(file.toPath(), MARK, new byte[16]);
      }
    }
  }

  private static final class MarkOfPath {
    @Advice.OnMethodExit
    static void exit(@Advice.Return Path path) throws IOException {
      if (path.toAbsolutePath().toString().startsWith(System.getProperty(DIRECTORY))) {
        Files.setAttribute(path, MARK, new byte[16]);
      }
    }
  }
}
