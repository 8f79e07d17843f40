package io.zerorename.hive;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.zerorename.hive.config.HiveKeys;
import org.junit.jupiter.api.Test;

@AnalyzeClasses(packages = "io.zerorename.hive", importOptions = DoNotIncludeTests.class)
class LayeringTest {
  @ArchTest
  static final ArchRule packagesUseOnlyThoseBelow =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("hook")
          .definedBy("io.zerorename.hive")
          .layer("bypass")
          .definedBy("io.zerorename.hive.bypass")
          .layer("commit")
          .definedBy("io.zerorename.hive.commit")
          .layer("fallback")
          .definedBy("io.zerorename.hive.fallback")
          .layer("plan")
          .definedBy("io.zerorename.hive.plan")
          .layer("write")
          .definedBy("io.zerorename.hive.write")
          .layer("metastore")
          .definedBy("io.zerorename.hive.metastore")
          .layer("config")
          .definedBy("io.zerorename.hive.config")
          .whereLayer("hook")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("bypass")
          .mayOnlyBeAccessedByLayers("hook")
          .whereLayer("commit")
          .mayOnlyBeAccessedByLayers("hook", "bypass")
          .whereLayer("fallback")
          .mayOnlyBeAccessedByLayers("hook")
          .whereLayer("plan")
          .mayOnlyBeAccessedByLayers("hook", "bypass", "fallback")
          .whereLayer("write")
          .mayOnlyBeAccessedByLayers("hook", "bypass", "commit")
          .whereLayer("metastore")
          .mayOnlyBeAccessedByLayers("hook", "bypass", "commit", "fallback", "plan", "write");

  @Test
  void theHookHasTheNameByWhichUsersSetIt() {
    assertThat(HiveKeys.HOOK).isEqualTo(ZeroRenameHook.class.getName());
  }
}
