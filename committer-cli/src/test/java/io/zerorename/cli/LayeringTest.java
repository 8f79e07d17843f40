package io.zerorename.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.zerorename", importOptions = DoNotIncludeTests.class)
class LayeringTest {
  @ArchTest
  static final ArchRule nothingKnowsTheCommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.zerorename.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.zerorename.cli..", "picocli..");
}
