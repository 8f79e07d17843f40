package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What is public is used from another package of the committer's main code. Otherwise it is public
 * for a test alone, or not used at all.
 */
class VisibilityTest {
  /** Named by users, or called by Hive, Hadoop or Java by reflection. */
  private static final Set<String> ENTRANCES =
      Set.of(
          "io.zerorename.cli.ZeroRename",
          "io.zerorename.hive.ZeroRenameHook",
          "io.zerorename.hive.commit.CommitTask",
          "io.zerorename.hive.commit.CommittedMoveTask",
          "io.zerorename.hive.commit.CommittedStatsTask",
          "io.zerorename.hive.commit.StatementTask",
          "io.zerorename.hive.write.PendingOutputFormat",
          "io.zerorename.magic.fs.PendingFileSystem",
          "io.zerorename.magic.mapred.MagicOutputCommitter",
          "io.zerorename.magic.job.MagicCommitter",
          "io.zerorename.magic.mapreduce.MagicCommitterFactory",
          "io.zerorename.magic.mapreduce.MagicParquetOutputFormat",
          "io.zerorename.spark.CheckpointFileSystem",
          "io.zerorename.spark.ConditionalCheckpointFileManager",
          "io.zerorename.spark.ConditionalCheckpointFileManager41",
          "io.zerorename.spark.ZeroRenameCommitProtocol",
          "io.zerorename.spark.ZeroRenameExtensions");

  /** Public for tests of other packages; not to become more. */
  private static final Set<String> FOR_TESTS =
      Set.of(
          "io.zerorename.core.parallel.RetryingStore.<init>",
          "io.zerorename.core.recovery.RecoverEntry.run",
          "io.zerorename.magic.job.MapReduceKeys.workDir");

  @Test
  void nothingIsPublicThatOnlyItsOwnPackageUses() {
    assertThat(MainClasses.ALL.size()).as("classes that were found").isGreaterThan(250);
    assertThat(
            MainClasses.ALL.stream()
                .filter(VisibilityTest::isPublic)
                .flatMap(VisibilityTest::tooWide)
                .distinct())
        .containsExactlyInAnyOrderElementsOf(FOR_TESTS);
  }

  private static Stream<String> tooWide(JavaClass type) {
    if (ENTRANCES.contains(type.getName())
        || type.isAnonymousClass()
        || type.isAssignableTo(Throwable.class)) {
      return Stream.empty();
    }
    boolean used =
        type.getDirectDependenciesToSelf().stream()
            .map(it -> it.getOriginClass())
            .anyMatch(it -> isElsewhere(it, type) || isPublic(it));
    if (!used && type.isTopLevelClass()) {
      return Stream.of(type.getName());
    }
    if (type.isInterface() || type.isEnum()) {
      return Stream.empty();
    }
    return type.getMembers().stream()
        .filter(it -> it.getModifiers().contains(JavaModifier.PUBLIC))
        .filter(it -> !isImplied(it, type))
        .filter(
            it ->
                it.getAccessesToSelf().stream()
                    .noneMatch(by -> isElsewhere(by.getOriginOwner(), type)))
        .map(it -> type.getName() + "." + it.getName());
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC);
  }

  private static boolean isElsewhere(JavaClass user, JavaClass type) {
    return !user.getPackageName().equals(type.getPackageName());
  }

  /** Public by the language, inlined by the compiler, or annotated for callers by reflection. */
  private static boolean isImplied(JavaMember member, JavaClass type) {
    if (!member.getAnnotations().isEmpty() || isOfCommandLine(member, type)) {
      return true;
    }
    if (member instanceof JavaMethod method) {
      return overrides(method, type) || (type.isRecord() && method.getParameters().isEmpty());
    }
    if (member instanceof JavaCodeUnit) {
      return type.isRecord() || type.getModifiers().contains(JavaModifier.ABSTRACT);
    }
    return member.getModifiers().contains(JavaModifier.STATIC)
        && member.getModifiers().contains(JavaModifier.FINAL);
  }

  /** Picocli makes commands and converters. */
  private static boolean isOfCommandLine(JavaMember member, JavaClass type) {
    return member.getName().equals("<init>")
        && (type.getAnnotations().stream()
                .anyMatch(it -> it.getRawType().getName().startsWith("picocli."))
            || type.getAllRawInterfaces().stream()
                .anyMatch(it -> it.getName().startsWith("picocli.")));
  }

  private static boolean overrides(JavaMethod method, JavaClass type) {
    List<String> parameters =
        method.getRawParameterTypes().stream().map(JavaType::getName).toList();
    return Stream.concat(type.getAllRawSuperclasses().stream(), type.getAllRawInterfaces().stream())
        .flatMap(it -> it.getMethods().stream())
        .anyMatch(
            it ->
                it.getName().equals(method.getName())
                    && it.getRawParameterTypes().size() == parameters.size());
  }
}
