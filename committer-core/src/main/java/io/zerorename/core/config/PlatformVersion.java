package io.zerorename.core.config;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a version of Hadoop, Hive or another platform begins with. */
public record PlatformVersion(int major, int minor) {
  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(?!\\d)");

  /** Empty for what does not begin as a version does. */
  public static Optional<PlatformVersion> of(String version) {
    return Optional.of(NUMBERS.matcher(version))
        .filter(Matcher::lookingAt)
        .map(it -> new PlatformVersion(number(it, 1), number(it, 2)));
  }

  private static int number(Matcher numbers, int group) {
    return Integer.parseInt(numbers.group(group));
  }

  public boolean isBelow(int otherMajor, int otherMinor) {
    return major < otherMajor || (major == otherMajor && minor < otherMinor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
