package io.zerorename.cli;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The main code of all modules that are published. */
final class MainClasses {
  static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("tests"))
          .importPackages(
              "io.zerorename.core",
              "io.zerorename.magic",
              "io.zerorename.hive",
              "io.zerorename.spark",
              "io.zerorename.cli");

  private MainClasses() {}
}
