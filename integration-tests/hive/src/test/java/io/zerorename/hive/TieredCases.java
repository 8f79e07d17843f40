package io.zerorename.hive;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;

/** The cases of a test, of which the quick tier runs the first ones. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(TieredCases.Provider.class)
@interface TieredCases {
  /** How many the quick tier runs, at least one. */
  int quick();

  /** All, with {@code |} between the arguments. */
  String[] value();

  /** For JUnit. */
  final class Provider implements ArgumentsProvider, AnnotationConsumer<TieredCases> {
    static final boolean THOROUGH =
        System.getProperty("zerorename.tests.tier", "quick").equals("thorough");

    private TieredCases cases;

    @Override
    public void accept(TieredCases annotation) {
      cases = annotation;
    }

    @Override
    public Stream<Arguments> provideArguments(ExtensionContext context) {
      return Stream.of(cases.value())
          .limit(THOROUGH ? cases.value().length : cases.quick())
          .map(Provider::arguments);
    }

    private static Arguments arguments(String line) {
      return Arguments.of(Stream.of(line.split("\\|", -1)).map(String::strip).toArray());
    }
  }
}
