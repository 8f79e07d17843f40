package io.zerorename.magic;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.zerorename", importOptions = DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule magicKnowsOnlyTheCoreAndHadoop =
      classes()
          .that()
          .resideInAPackage("io.zerorename.magic..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "io.zerorename.core..",
              "io.zerorename.magic..",
              "org.apache.hadoop..",
              "org.apache.parquet.hadoop..",
              "org.slf4j..",
              "com.fasterxml.jackson..");

  @ArchTest
  static final ArchRule magicDoesNotKnowHiveOrS3A =
      noClasses()
          .that()
          .resideInAPackage("io.zerorename.magic..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.zerorename.hive..", "org.apache.hadoop.hive..", "org.apache.hadoop.fs.s3a..");
}
