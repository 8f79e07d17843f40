package io.zerorename.hive.fallback;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The first two numbers of a platform's version. */
public record PlatformVersion(int major, int minor) {
  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(?!\\d)");

  /** Reads a version; empty for what does not begin as one does. */
  public static Optional<PlatformVersion> of(String version) {
    Matcher numbers = NUMBERS.matcher(version);
    return numbers.lookingAt()
        ? Optional.of(
            new PlatformVersion(
                Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))))
        : Optional.empty();
  }

  public boolean isBelow(int otherMajor, int otherMinor) {
    return major < otherMajor || (major == otherMajor && minor < otherMinor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
