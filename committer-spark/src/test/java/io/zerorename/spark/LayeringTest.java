package io.zerorename.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.zerorename", importOptions = DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule sparkKnowsOnlyTheCoreMagicAndSpark =
      classes()
          .that()
          .resideInAPackage("io.zerorename.spark..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "scala..",
              "io.zerorename.core..",
              "io.zerorename.magic.fs..",
              "io.zerorename.magic.job..",
              "io.zerorename.spark..",
              "org.apache.hadoop..",
              "org.apache.spark..",
              "org.slf4j..",
              "com.fasterxml.jackson..");

  @ArchTest
  static final ArchRule sparkDoesNotKnowS3A =
      noClasses()
          .that()
          .resideInAPackage("io.zerorename.spark..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.hadoop.fs.s3a..");

  @ArchTest
  static final ArchRule othersDoNotKnowSpark =
      noClasses()
          .that()
          .resideInAnyPackage("io.zerorename.core..", "io.zerorename.magic..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.zerorename.spark..", "org.apache.spark..", "scala..");
}
