package io.zerorename.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

@AnalyzeClasses(
    packages = "io.zerorename.core",
    importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule theCoreKnowsNoEngine =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.hadoop.mapred..",
              "org.apache.hadoop.mapreduce..",
              "org.apache.hadoop.hive..",
              "org.apache.tez..",
              "io.zerorename.magic..",
              "io.zerorename.hive..");

  @ArchTest
  static final ArchRule theStoreSeamDependsOnNoOtherPackageOfOurs =
      classes()
          .that()
          .resideInAPackage("io.zerorename.core.store")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "org.apache.hadoop.fs",
              "org.apache.hadoop.util.functional",
              "io.zerorename.core.store");

  @ArchTest
  static final ArchRule onlyTheS3aPackageTouchesTheSdkAndS3a =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.zerorename.core.s3a..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("software.amazon..", "org.apache.hadoop.fs.s3a..");

  @ArchTest
  static final ArchRule nothingInTheCoreNeedsTheS3aPackage =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.zerorename.core.s3a..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.zerorename.core.s3a..");

  @ArchTest
  static final ArchRule thereAreNoCycles =
      SlicesRuleDefinition.slices().matching("io.zerorename.core.(*)..").should().beFreeOfCycles();
}
