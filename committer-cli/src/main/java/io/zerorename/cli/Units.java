package io.zerorename.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes and times for a person. */
final class Units {
  private static final Pattern DURATION = Pattern.compile("\\d{1,6}[dhms]");

  private Units() {}

  /** Such as {@code 12 B} or {@code 3.4 GB}. */
  static String bytes(long bytes) {
    return TraditionalBinaryPrefix.long2String(bytes, "B", 1);
  }

  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** Such as {@code 1 object} or {@code 2 objects}. */
  static String count(long count, String noun) {
    return count(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** Such as {@code 3 d 4 h}; the two largest units. */
  static String age(Duration age) {
    Duration time = age.isNegative() ? Duration.ZERO : age;
    if (time.toDays() > 0) {
      return time.toDays() + " d " + time.toHoursPart() + " h";
    }
    if (time.toHours() > 0) {
      return time.toHours() + " h " + time.toMinutesPart() + " min";
    }
    return time.toMinutes() > 0
        ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
        : time.toSeconds() + " s";
  }

  /** Parses times such as {@code 7d}, {@code 12h} or {@code 30m}. */
  static final class DurationReader implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      if (!DURATION.matcher(text).matches()) {
        throw new TypeConversionException("'" + text + "' is not a time such as 7d, 12h or 30m");
      }
      return Duration.parse((text.endsWith("d") ? "P" : "PT") + text);
    }
  }
}
