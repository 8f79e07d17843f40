package io.zerorename.hiveserver2;

/** How a process of Hive logs: all of it as errors, and one class's lines as output besides. */
final class Logging {
  private Logging() {}

  /**
   * The properties of Log4j 2.
   *
   * @param awaited the class that says when the process is ready
   */
  static String properties(String awaited) {
    return """
    appender.log.type = Console
    appender.log.name = log
    appender.log.target = SYSTEM_ERR
    appender.log.layout.type = PatternLayout
    appender.log.layout.pattern = %d{ABSOLUTE} %p %c{1} [%t]: %m%n
    appender.out.type = Console
    appender.out.name = out
    appender.out.target = SYSTEM_OUT
    appender.out.layout.type = PatternLayout
    appender.out.layout.pattern = %m%n
    rootLogger.level = info
    rootLogger.appenderRef.log.ref = log
    logger.awaited.name = AWAITED
    logger.awaited.level = info
    logger.awaited.appenderRef.out.ref = out
    """
        .replace("AWAITED", awaited);
  }
}
